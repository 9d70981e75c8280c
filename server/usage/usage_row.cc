#include "server/usage/usage_row.h"

#include <algorithm>
#include <cstdint>

namespace priorityd::usage {
namespace {

constexpr double kMaxGrowth = 1e4;
// Of an amount, what sums and differences of many may be off by.
constexpr double kRounding = 1e-12;

void Scale(double by, storage::UsageRow* row) {
  row->value *= by;
  row->wall_seconds *= by;
  for (storage::TresAmount& tres : row->tres_seconds) tres.amount *= by;
}

void AddTres(int32_t tres_id, double seconds, std::vector<storage::TresAmount>* amounts) {
  const auto at = std::lower_bound(
      amounts->begin(), amounts->end(), tres_id,
      [](const storage::TresAmount& amount, int32_t id) { return amount.tres_id < id; });
  if (at != amounts->end() && at->tres_id == tres_id) {
    at->amount += seconds;
  } else {
    amounts->insert(at, {tres_id, seconds});
  }
}

// `seconds` of the record, UsageFactor worked in.
void AddSeconds(const storage::UsageRecord& record, double seconds, storage::UsageRow* row) {
  row->value += record.billing_rate * seconds;
  row->wall_seconds += record.wall_rate * seconds;
  for (const storage::TresAmount& tres : record.submitted.tres) {
    AddTres(tres.tres_id, tres.amount * seconds, &row->tres_seconds);
  }
}

double SecondsAt(const storage::UsageRecord& record, absl::Time time,
                 const priority::UsageDecay& decay) {
  return decay.Interval(record.usage_factor, record.submitted.start_time, record.submitted.end_time,
                        time);
}

// Rounding may leave a trace where all was subtracted.
void ClampToZero(storage::UsageRow* row) {
  row->value = std::max(0.0, row->value);
  row->wall_seconds = std::max(0.0, row->wall_seconds);
  for (storage::TresAmount& tres : row->tres_seconds) tres.amount = std::max(0.0, tres.amount);
}

}  // namespace

void CarryForward(absl::Time time, const priority::UsageDecay& decay, storage::UsageRow* row) {
  if (time <= row->as_of) return;
  // A row without usage so far has as_of InfinitePast.
  Scale(row->as_of == absl::InfinitePast() ? 0 : decay.Carry(1, row->as_of, time), row);
  row->as_of = time;
}

void AddRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
               storage::UsageRow* row) {
  AddSeconds(record, SecondsAt(record, row->as_of, decay), row);
}

void AddLoss(const storage::UsageRecord& average, const priority::UsageDecay& decay,
             storage::UsageRow* loss) {
  const storage::SubmittedUsage& usage = average.submitted;
  const double evenly = SecondsAt(average, loss->as_of, decay);
  // All of it was before a reset, or it has no length.
  if (evenly == 0) return;
  const double whole =
      average.usage_factor * absl::ToDoubleSeconds(usage.end_time - usage.start_time);
  const double at_start = decay.Carry(whole, usage.start_time, loss->as_of);
  const double at_end = decay.Carry(whole, usage.end_time, loss->as_of);
  AddSeconds(average, std::max(at_end - evenly, evenly - at_start), loss);
}

void TakeOutRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
                   storage::UsageRow* row) {
  const double seconds = SecondsAt(record, row->as_of, decay);
  const auto take = [](double amount, double* from) {
    *from -= amount;
    if (*from < kRounding * amount) *from = 0;
  };
  take(record.billing_rate * seconds, &row->value);
  take(record.wall_rate * seconds, &row->wall_seconds);
  for (const storage::TresAmount& tres : record.submitted.tres) {
    for (storage::TresAmount& amount : row->tres_seconds) {
      if (amount.tres_id == tres.tres_id) take(tres.amount * seconds, &amount.amount);
    }
  }
}

storage::UsageRow Rewind(const storage::UsageRow& row, absl::Time time,
                         const std::vector<const storage::UsageRecord*>& later,
                         const priority::UsageDecay& decay) {
  storage::UsageRow rewound = row;
  if (NeedsWholeLedger(row, time, decay)) {
    Scale(0, &rewound);
  } else {
    for (const storage::UsageRecord* record : later) {
      AddSeconds(*record, -SecondsAt(*record, row.as_of, decay), &rewound);
    }
    ClampToZero(&rewound);
    Scale(decay.Carry(1, row.as_of, time), &rewound);
  }
  rewound.as_of = time;
  for (const storage::UsageRecord* record : later) AddRecord(*record, decay, &rewound);
  return rewound;
}

bool NeedsWholeLedger(const storage::UsageRow& row, absl::Time time,
                      const priority::UsageDecay& decay) {
  return priority::LastReset(decay.reset(), row.as_of) > time ||
         decay.Carry(1, row.as_of, time) > kMaxGrowth;
}

}  // namespace priorityd::usage
