#include "engine/slurm/words/purge_age.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {
namespace {

// Ten thousand years in months, so that no sum of times overflows.
constexpr uint64_t kMaxUnits = 120'000;

struct UnitName {
  absl::string_view name;
  priority::PurgeAge::Unit unit;
};
constexpr UnitName kUnits[] = {{"hour", priority::PurgeAge::Unit::kHours},
                               {"day", priority::PurgeAge::Unit::kDays},
                               {"month", priority::PurgeAge::Unit::kMonths}};

// Removes the unit at the end of `text`.
priority::PurgeAge::Unit TakeUnit(absl::string_view* text) {
  for (const UnitName& unit : kUnits) {
    if (absl::ConsumeSuffix(text, absl::StrCat(unit.name, "s")) ||
        absl::ConsumeSuffix(text, unit.name)) {
      return unit.unit;
    }
  }
  return priority::PurgeAge::Unit::kMonths;
}

}  // namespace

absl::StatusOr<priority::PurgeAge> ParsePurgeAge(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "infinite" || lower == "unlimited" || lower == "-1") return priority::PurgeAge();
  absl::string_view rest = lower;
  const priority::PurgeAge::Unit unit = TakeUnit(&rest);
  const std::optional<uint64_t> count = ReadInteger(rest, kMaxUnits);
  if (count.value_or(0) >= 1) return priority::PurgeAge{unit, static_cast<int64_t>(*count)};
  return absl::InvalidArgumentError(absl::StrCat(
      "got ", Quoted(text),
      ", want a number of months or an age such as 48hours, 30days or 12months, or INFINITE"));
}

}  // namespace priorityd::slurm
