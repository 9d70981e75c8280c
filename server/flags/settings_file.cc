#include "server/flags/settings_file.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/flags/flag_values.h"
#include "server/logging/log_line.h"

namespace priorityd::flags {
namespace {

// Of what is wrong with a line.
constexpr size_t kMostBytesOfWhy = 300;

std::string Shortened(absl::string_view text) {
  if (text.size() <= kMostBytesOfWhy) return std::string(text);
  size_t end = kMostBytesOfWhy;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), "...");
}

bool IsFlagName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_islower(c) && c != '_') return false;
  }
  return !name.empty();
}

// `name: got X, want Y`; empty for a setting. `text` is the line.
std::string WhyWrong(absl::string_view name, absl::string_view value, absl::string_view text) {
  if (!IsFlagName(name)) {
    return absl::StrCat("got ", logging::LogLine(name),
                        ", want the name of a flag, without dashes");
  }
  if (logging::LogLine(value) != value) {
    return absl::StrCat(name, ": got ", logging::LogLine(value), ", want no control characters");
  }
  if (value.empty() && absl::StrContains(text, '=')) {
    return absl::StrCat(name, ": got no value, want one");
  }
  if (absl::StartsWith(value, "\"") || absl::StartsWith(value, "'")) {
    return absl::StrCat(name, ": got ", value, ", want the value without quotes");
  }
  return "";
}

// The same of a line that is wrong and must not be printed: only the name of its flag is.
std::string WhyWrongUnseen(absl::string_view name, absl::string_view value,
                           absl::string_view text) {
  if (IsFlagName(name)) {
    return absl::StrCat(name, value.empty() ? ": got no value, want one"
                                            : ": got quotes or control characters, want none");
  }
  absl::ConsumePrefix(&text, "--");
  const absl::string_view first = text.substr(0, text.find_first_of("=: \t"));
  const bool is_url = first == "database_url" || first == "reports_database_url";
  return absl::StrCat(is_url ? first : "a line that may hold a password",
                      ": got no name before the first =, want NAME = VALUE");
}

// `text` is the line without spaces at its ends, and not empty.
void ReadSetting(int line, absl::string_view text, std::vector<Setting>* settings,
                 WrongLines* wrong) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  const absl::string_view name = absl::StripAsciiWhitespace(parts.first);
  const absl::string_view value = absl::StripAsciiWhitespace(parts.second);
  const std::string why = WhyWrong(name, value, text);
  if (why.empty()) {
    settings->push_back({line, std::string(name), std::string(value)});
  } else {
    wrong->Add(line, MayHoldPassword(text) ? WhyWrongUnseen(name, value, text) : why);
  }
}

std::map<std::string, std::vector<std::string>> ByName(const std::vector<Setting>& settings) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Setting& setting : settings) values[setting.name].push_back(setting.value);
  return values;
}

}  // namespace

void WrongLines::Add(int line, absl::string_view why) {
  ++count_;
  first_.emplace(line, Shortened(why));
  if (first_.size() > kMostWrongLines) first_.erase(std::prev(first_.end()));
}

std::string WrongLines::Text(absl::string_view file) const {
  std::vector<std::string> lines;
  for (const auto& [line, why] : first_) lines.push_back(absl::StrCat(file, ":", line, ": ", why));
  if (count_ > first_.size()) {
    lines.push_back(absl::StrCat(file, ": ", count_ - first_.size(), " more lines that are wrong"));
  }
  return absl::StrJoin(lines, "\n");
}

absl::StatusOr<std::vector<Setting>> ReadSettings(std::istream& file, WrongLines* wrong) {
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
    ReadSetting(line, stripped, &settings, wrong);
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

}  // namespace priorityd::flags
