#include "server/flags/settings_reader.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace priorityd::flags {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw CLI::ConfigError(why, CLI::ExitCodes::ConfigError);
}

// The first fault of the value by the checks of the flag.
std::string FaultOf(const std::string& value, CLI::Option* option) {
  try {
    for (int i = 0;; ++i) {
      const std::string fault = (*option->get_validator(i))(value);
      if (!fault.empty()) return fault;
    }
  } catch (const CLI::OptionNotFound&) {
    return "";  // That was the last check.
  }
}

// The same for each of the values that the flag separates.
std::string FaultOfAll(const std::string& value, CLI::Option* option) {
  const char delimiter = option->get_delimiter();
  if (delimiter == '\0') return FaultOf(value, option);
  for (const absl::string_view one : absl::StrSplit(value, delimiter, absl::SkipEmpty())) {
    const std::string fault = FaultOf(std::string(one), option);
    if (!fault.empty()) return fault;
  }
  return "";
}

// Checks the settings of one file.
class SettingsCheck {
 public:
  SettingsCheck(CLI::App* app, const std::vector<Setting>& settings)
      : app_(app), settings_(settings) {}

  // `name: got X, want Y`; empty for a valid setting.
  std::string FaultOfSetting(const Setting& setting, bool is_first) const {
    CLI::Option* option = app_->get_option_no_throw("--" + setting.name);
    const std::string& name = setting.name;
    if (option == nullptr) return absl::StrCat("got ", name, ", want a flag of --help");
    if (!option->get_configurable()) {
      return absl::StrCat("got ", name, ", want it on the command line");
    }
    if (setting.value.empty() && option->get_expected_min() > 0) {
      return absl::StrCat(name, ": got no value, want one");
    }
    if (!is_first && option->get_expected_max() <= 1) {
      return absl::StrCat(name, ": got a second value, want one");
    }
    return FaultOfUse(setting, option);
  }

 private:
  // The command line's values are checked with the command line.
  std::string FaultOfUse(const Setting& setting, CLI::Option* option) const {
    const std::string fault =
        option->count() > 0 || setting.value.empty() ? "" : FaultOfAll(setting.value, option);
    if (!fault.empty()) return absl::StrCat(setting.name, ": ", fault);
    const std::set<CLI::Option*> needs = option->get_needs();
    for (const CLI::Option* needed : needs) {
      if (IsGiven(*needed)) continue;
      return absl::StrCat(setting.name, ": got no ", needed->get_single_name(), ", want it too");
    }
    return "";
  }

  bool IsGiven(const CLI::Option& option) const {
    return option.count() > 0 ||
           std::any_of(settings_.begin(), settings_.end(), [&](const Setting& setting) {
             return setting.name == option.get_single_name();
           });
  }

  CLI::App* const app_;
  const std::vector<Setting>& settings_;
};

}  // namespace

std::vector<CLI::ConfigItem> SettingsReader::from_config(std::istream& input) const {
  const std::string file = ConfigFileOf(*app_);
  WrongLines wrong;
  absl::StatusOr<std::vector<Setting>> settings = ReadSettings(input, &wrong);
  if (!settings.ok()) Refuse(absl::StrCat(file, ": ", settings.status().message()));
  const SettingsCheck check(app_, *settings);
  std::vector<CLI::ConfigItem> items;
  for (const Setting& setting : *settings) {
    auto item = std::find_if(items.begin(), items.end(),
                             [&](const auto& other) { return other.name == setting.name; });
    const std::string fault = check.FaultOfSetting(setting, item == items.end());
    if (!fault.empty()) {
      wrong.Add(setting.line, fault);
      continue;
    }
    if (item == items.end()) item = items.insert(item, CLI::ConfigItem{{}, setting.name, {}});
    item->inputs.push_back(setting.value.empty() ? "true" : setting.value);
  }
  if (!wrong.empty()) Refuse(wrong.Text(file));
  *settings_ = *std::move(settings);
  return items;
}

std::string ConfigFileOf(const CLI::App& app) {
  const CLI::Option* option = app.get_config_ptr();
  return option->results().empty() ? "" : option->results().front();
}

}  // namespace priorityd::flags
