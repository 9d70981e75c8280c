#include "engine/slurm/words/unused_setting.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

constexpr absl::string_view kIdleValues[] = {"",    "(null)", "NO",        "NONE",     "N/A",
                                             "OFF", "FALSE",  "UNLIMITED", "INFINITE", "-1"};

// Cuts to kMaxUnusedValue bytes at the beginning of a UTF-8 character.
std::string Cut(std::string value) {
  if (value.size() <= kMaxUnusedValue) return value;
  size_t size = kMaxUnusedValue;
  while (size > 0 && (static_cast<unsigned char>(value[size]) & 0xC0) == 0x80) --size;
  value.resize(size);
  return value;
}

}  // namespace

bool IsIdleValue(absl::string_view value) {
  value = absl::StripAsciiWhitespace(value);
  if (value.find_first_not_of("0:-.") == absl::string_view::npos) return true;
  return absl::c_any_of(
      kIdleValues, [value](absl::string_view idle) { return absl::EqualsIgnoreCase(idle, value); });
}

void UnusedSettings::Add(UnusedSetting setting) {
  std::pair<UnusedClass, std::string> key(setting.unused_class,
                                          absl::AsciiStrToLower(setting.name));
  const auto found = settings_.find(key);
  if (found != settings_.end()) {
    found->second.places += setting.places;
    return;
  }
  setting.value = Cut(std::move(setting.value));
  settings_.emplace(std::move(key), std::move(setting));
}

void UnusedSettings::Add(absl::Span<const UnusedSetting> settings) {
  for (const UnusedSetting& setting : settings) Add(setting);
}

std::vector<UnusedSetting> UnusedSettings::Sorted() const {
  std::vector<UnusedSetting> sorted;
  for (const auto& [key, setting] : settings_) sorted.push_back(setting);
  return sorted;
}

std::string UnusedNames(absl::Span<const UnusedSetting> settings, UnusedClass unused_class) {
  std::string names;
  for (const UnusedSetting& setting : settings) {
    if (setting.unused_class != unused_class) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", setting.name);
    if (setting.places > 1) absl::StrAppend(&names, " (", setting.places, ")");
  }
  return names;
}

std::vector<UnusedSetting> NotAccepted(absl::Span<const UnusedSetting> settings,
                                       absl::Span<const std::string> accepted) {
  std::vector<UnusedSetting> left;
  for (const UnusedSetting& setting : settings) {
    const bool is_accepted = absl::c_any_of(accepted, [&](const std::string& name) {
      return name == "*" || absl::EqualsIgnoreCase(name, setting.name);
    });
    if (setting.unused_class == UnusedClass::kNumbers && !is_accepted) left.push_back(setting);
  }
  return left;
}

}  // namespace priorityd::slurm
