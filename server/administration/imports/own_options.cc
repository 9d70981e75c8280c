#include "server/administration/imports/own_options.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace priorityd::administration {

using slurm::DumpOption;
using slurm::Unexpected;

absl::StatusOr<absl::Time> ReadOwnTime(absl::string_view text) {
  absl::Time time;
  std::string why;
  const bool is_time = absl::ParseTime(absl::RFC3339_full, text, &time, &why) &&
                       time >= absl::UnixEpoch() &&
                       time < absl::FromCivil(absl::CivilYear(10'000), absl::UTCTimeZone());
  if (is_time) return absl::FromUnixMicros(absl::ToUnixMicros(time));
  return Unexpected(text, "a time as 2026-10-01T00:00:00Z, from 1970 to 9999");
}

absl::Status CheckLength(absl::string_view text, size_t most) {
  if (text.size() <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got ", text.size(), " bytes, want at most ", most));
}

std::string OwnOptions::Text(absl::string_view name, size_t most) {
  names_.emplace_back(name);
  const auto found = std::find_if(options_.begin(), options_.end(), [&](const DumpOption& option) {
    return absl::EqualsIgnoreCase(option.name, name);
  });
  if (found == options_.end()) return "";
  std::string text = std::move(found->value);
  options_.erase(found);
  Fault(name, CheckLength(text, most));
  return text;
}

std::string OwnOptions::Required(absl::string_view name, size_t most) {
  std::string text = Text(name, most);
  if (text.empty()) Fault(name, absl::InvalidArgumentError("got none, want one"));
  return text;
}

absl::Time OwnOptions::Time(absl::string_view name) {
  const std::string text = Required(name);
  const auto time = ReadOwnTime(text);
  if (!text.empty()) Fault(name, time.status());
  return time.value_or(absl::UnixEpoch());
}

std::optional<absl::Time> OwnOptions::OptionalTime(absl::string_view name) {
  const std::string text = Text(name);
  if (text.empty()) return std::nullopt;
  const auto time = ReadOwnTime(text);
  Fault(name, time.status());
  return time.value_or(absl::UnixEpoch());
}

void OwnOptions::Fault(absl::string_view name, const absl::Status& status) {
  if (!status.ok()) Add(absl::StrCat(name, ": ", status.message()));
}

void OwnOptions::Finish() {
  for (const DumpOption& option : options_) {
    Fault("options", Unexpected(option.name, absl::StrJoin(names_, ", ")));
  }
}

}  // namespace priorityd::administration
