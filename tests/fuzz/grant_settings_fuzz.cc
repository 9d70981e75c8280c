#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "engine/errors/error_details.h"
#include "engine/grants/balance.h"
#include "engine/grants/settings.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::grants {
namespace {

using slurm::Check;

void CheckFaults(const absl::Status& status) {
  const std::vector<errors::FieldViolation> violations = errors::ViolationsOf(status);
  Check(!violations.empty() && violations.size() <= slurm::kMaxViolations, "some violations");
  for (const errors::FieldViolation& violation : violations) {
    Check(violation.description.find(": got ") != std::string::npos, "a fault names its setting");
    Check(slurm::IsValidUtf8(violation.description), "messages are UTF-8");
  }
}

// Lines of `Name=text`.
void RunOne(const std::string& text) {
  if (!slurm::IsValidUtf8(text)) return;
  const absl::TimeZone zone = absl::FixedTimeZone(3600);
  const absl::Time now = absl::FromCivil(absl::CivilDay(2026, 11, 27), zone);
  std::map<std::string, std::string> cells;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
    const auto name = FindSetting(parts.first);
    cells[name.ok() ? std::string(*name) : parts.first] = parts.second;
  }
  const absl::StatusOr<Settings> settings = Read(cells, zone, now);
  if (!settings.ok()) return CheckFaults(settings.status());
  const absl::StatusOr<Settings> again = Read(Cells(*settings), zone, now);
  Check(again.ok() && *again == *settings, "settings that are written read back");
  const std::vector<absl::Time> times = BoundariesOf({&settings->grant, 1}, zone, now);
  std::vector<Period> periods;
  for (size_t i = 0; i + 1 < times.size(); ++i) {
    periods.push_back({times[i], times[i + 1], Amount::FromMinutes(1e15)});
  }
  const auto balances = BalancesOf({&settings->grant, 1}, periods, zone, now);
  for (const Balance& b : balances[0]) {
    Check(b.begin < b.end && b.begin <= now, "a window has begun and has a length");
    Check(b.carried >= Amount() && b.repaid >= Amount() && b.beyond >= Amount(), "none below 0");
  }
}

[[maybe_unused]] const bool registered = fuzz::Register({"grant_settings", RunOne});

}  // namespace
}  // namespace priorityd::grants
