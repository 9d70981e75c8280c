#include "server/usage/ledger_horizon.h"

#include "absl/time/civil_time.h"

namespace priorityd::usage {

absl::Time LedgerHorizon(const priority::Policy& policy, absl::Time time) {
  const priority::PurgeAge& age = policy.purge_job_after;
  if (age.count == 0) return absl::InfinitePast();
  const absl::TimeZone& zone = policy.time_zone;
  switch (age.unit) {
    case priority::PurgeAge::Unit::kHours:
      return BeginningOfAnHour(policy, time - absl::Hours(age.count));
    case priority::PurgeAge::Unit::kDays:
      return absl::FromCivil(absl::ToCivilDay(time, zone) - age.count, zone);
    case priority::PurgeAge::Unit::kMonths:
      return absl::FromCivil(absl::ToCivilMonth(time, zone) - age.count, zone);
  }
  return absl::InfinitePast();
}

// By the offset: when clocks go back, two hours have the same name.
absl::Time BeginningOfAnHour(const priority::Policy& policy, absl::Time time) {
  const absl::Duration offset = absl::Seconds(policy.time_zone.At(time).offset);
  const absl::Duration since_epoch = time - absl::UnixEpoch() + offset;
  return absl::UnixEpoch() + absl::Floor(since_epoch, absl::Hours(1)) - offset;
}

}  // namespace priorityd::usage
