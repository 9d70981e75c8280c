#include "storage/ledger/usage_bucket.h"

#include "absl/time/time.h"

namespace priorityd::storage {

UsageBucket DecodeBucket(RowReader& row) {
  UsageBucket bucket;
  UsageRecord& record = bucket.average;
  double billing_seconds = 0;
  double wall_seconds = 0;
  row.Read(&bucket.records, &record.submitted.start_time, &record.submitted.end_time,
           &record.submitted.tres, &billing_seconds, &wall_seconds, &record.association_id,
           &record.qos_id, &record.usage_factor);
  const absl::Duration length = record.submitted.end_time - record.submitted.start_time;
  // Records without length used nothing.
  const double per_second = length > absl::ZeroDuration() ? 1 / absl::ToDoubleSeconds(length) : 0;
  record.billing_rate = billing_seconds * per_second;
  record.wall_rate = wall_seconds * per_second;
  for (TresAmount& tres : record.submitted.tres) tres.amount *= per_second;
  return bucket;
}

}  // namespace priorityd::storage
