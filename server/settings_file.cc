#include "server/settings_file.h"

#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "server/log_line.h"

namespace priorityd {
namespace {

absl::Status SettingError(int line, absl::string_view got, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", line, ": got ", LogLine(got), ", want ", want));
}

bool IsFlagName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_islower(c) && c != '_') return false;
  }
  return !name.empty();
}

// `text` is the line without spaces at its ends, and not empty.
absl::StatusOr<Setting> ReadSetting(int line, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
  const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
  if (!IsFlagName(name)) return SettingError(line, name, "the name of a flag, without dashes");
  if (LogLine(value) != value) return SettingError(line, value, "no control characters");
  if (value.empty() && absl::StrContains(text, '=')) return SettingError(line, text, "a value");
  if (absl::StartsWith(value, "\"") || absl::StartsWith(value, "'")) {
    return SettingError(line, value, "the value without quotes");
  }
  return Setting{line, std::string(name), std::string(value)};
}

std::map<std::string, std::vector<std::string>> ByName(const std::vector<Setting>& settings) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Setting& setting : settings) values[setting.name].push_back(setting.value);
  return values;
}

}  // namespace

absl::StatusOr<std::vector<Setting>> ReadSettings(std::istream& file) {
  std::string text(kMostSettingsBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMostSettingsBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("got more than ", kMostSettingsBytes, " bytes, want a file of settings"));
  }
  absl::string_view lines = text;
  absl::ConsumePrefix(&lines, "\xEF\xBB\xBF");
  std::vector<Setting> settings;
  int line = 0;
  for (const absl::string_view whole : absl::StrSplit(lines, '\n')) {
    ++line;
    const absl::string_view stripped = absl::StripAsciiWhitespace(whole);
    if (stripped.empty() || stripped.front() == '#') continue;
    absl::StatusOr<Setting> setting = ReadSetting(line, stripped);
    if (!setting.ok()) return setting.status();
    settings.push_back(*std::move(setting));
  }
  return settings;
}

std::vector<std::string> ChangedNames(const std::vector<Setting>& before,
                                      const std::vector<Setting>& after) {
  const auto old_values = ByName(before);
  const auto new_values = ByName(after);
  std::set<std::string> changed;
  for (const auto* values : {&old_values, &new_values}) {
    for (const auto& [name, unused] : *values) {
      const auto old_value = old_values.find(name);
      const auto new_value = new_values.find(name);
      const bool in_both = old_value != old_values.end() && new_value != new_values.end();
      if (!in_both || old_value->second != new_value->second) changed.insert(name);
    }
  }
  return {changed.begin(), changed.end()};
}

}  // namespace priorityd
