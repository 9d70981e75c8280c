#include "server/settings_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw CLI::ConfigError(why, CLI::ExitCodes::ConfigError);
}

std::string PlaceOf(const CLI::App& app, const Setting& setting) {
  return absl::StrCat(ConfigFileOf(app), " line ", setting.line, ": ");
}

}  // namespace

void SettingsReader::Check(const Setting& setting, bool is_first) const {
  const CLI::Option* option = app_->get_option_no_throw("--" + setting.name);
  const std::string place = PlaceOf(*app_, setting);
  if (option == nullptr)
    Refuse(absl::StrCat(place, "got ", setting.name, ", want a flag of --help"));
  if (!option->get_configurable()) {
    Refuse(absl::StrCat(place, "got ", setting.name, ", want it on the command line"));
  }
  if (setting.value.empty() && option->get_expected_min() > 0) {
    Refuse(absl::StrCat(place, setting.name, ": got no value, want one"));
  }
  if (!is_first && option->get_expected_max() <= 1) {
    Refuse(absl::StrCat(place, setting.name, ": got a second value, want one"));
  }
}

std::vector<CLI::ConfigItem> SettingsReader::from_config(std::istream& input) const {
  absl::StatusOr<std::vector<Setting>> settings = ReadSettings(input);
  if (!settings.ok()) {
    Refuse(absl::StrCat(ConfigFileOf(*app_), " ", settings.status().message()));
  }
  std::vector<CLI::ConfigItem> items;
  for (const Setting& setting : *settings) {
    auto item = std::find_if(items.begin(), items.end(),
                             [&](const auto& other) { return other.name == setting.name; });
    Check(setting, item == items.end());
    if (item == items.end()) item = items.insert(item, CLI::ConfigItem{{}, setting.name, {}});
    item->inputs.push_back(setting.value.empty() ? "true" : setting.value);
  }
  *settings_ = *std::move(settings);
  return items;
}

std::string ConfigFileOf(const CLI::App& app) {
  const CLI::Option* option = app.get_config_ptr();
  return option->results().empty() ? "" : option->results().front();
}

std::string PlaceOfError(const CLI::App& app, const std::vector<Setting>& settings,
                         absl::string_view error) {
  const Setting* best = nullptr;
  for (const Setting& setting : settings) {
    if (!absl::StartsWith(error, absl::StrCat("--", setting.name, ":"))) continue;
    const std::vector<std::string>& used = app.get_option("--" + setting.name)->results();
    const bool is_used = std::find(used.begin(), used.end(), setting.value) != used.end();
    const bool is_named = absl::StrContains(error, setting.value);
    if (is_used && (best == nullptr || is_named)) best = &setting;
  }
  return best == nullptr ? "" : PlaceOf(app, *best);
}

}  // namespace priorityd
