#include "server/usage/decayed_row.h"

#include <algorithm>
#include <cmath>

namespace priorityd::usage {
namespace {

constexpr double kMaxGrowth = 1e4;
// The relative rounding error of sums and differences of many amounts.
constexpr double kRounding = 1e-12;

// Adds `records` to the changes of their rows.
void Distribute(storage::UsageOf of, RecordSpan records, Records RowChange::*to,
                RowChanges* changes) {
  for (const storage::UsageRecord* record : records) {
    if (of == storage::UsageOf::kAssociation) {
      ((*changes)[record->association_id].*to).push_back(record);
    } else if (record->qos_id.has_value()) {
      ((*changes)[*record->qos_id].*to).push_back(record);
    }
  }
}

void Scale(double by, storage::UsageRow* row) {
  row->value *= by;
  row->wall_seconds *= by;
  for (storage::TresAmount& tres : row->tres_seconds) tres.amount *= by;
}

void AddTres(int32_t tres_id, double seconds, storage::TresAmounts* amounts) {
  const auto at = std::lower_bound(
      amounts->begin(), amounts->end(), tres_id,
      [](const storage::TresAmount& amount, int32_t id) { return amount.tres_id < id; });
  if (at != amounts->end() && at->tres_id == tres_id) {
    at->amount += seconds;
  } else {
    amounts->insert(at, {tres_id, seconds});
  }
}

// `seconds` of the record times its UsageFactor.
void AddSeconds(const storage::UsageRecord& record, double seconds, storage::UsageRow* row) {
  row->value += record.billing_rate * seconds;
  row->wall_seconds += record.wall_rate * seconds;
  for (const storage::TresAmount& tres : record.submitted.tres) {
    AddTres(tres.tres_id, tres.amount * seconds, &row->tres_seconds);
  }
}

void TakeOut(double amount, double* from) {
  *from -= amount;
  if (*from < kRounding * amount) *from = 0;
}

double SecondsAt(const storage::UsageRecord& record, absl::Time time,
                 const priority::UsageDecay& decay) {
  return decay.Interval(record.usage_factor, record.submitted.start_time, record.submitted.end_time,
                        time);
}

void AddRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
               storage::UsageRow* row) {
  AddSeconds(record, SecondsAt(record, row->as_of, decay), row);
}

void TakeOutRecord(const storage::UsageRecord& record, const priority::UsageDecay& decay,
                   storage::UsageRow* row) {
  const double seconds = SecondsAt(record, row->as_of, decay);
  TakeOut(record.billing_rate * seconds, &row->value);
  TakeOut(record.wall_rate * seconds, &row->wall_seconds);
  for (const storage::TresAmount& tres : record.submitted.tres) {
    for (storage::TresAmount& amount : row->tres_seconds) {
      if (amount.tres_id == tres.tres_id) TakeOut(tres.amount * seconds, &amount.amount);
    }
  }
}

// Rounding may leave a residue where everything was subtracted.
void ClampToZero(storage::UsageRow* row) {
  row->value = std::max(0.0, row->value);
  row->wall_seconds = std::max(0.0, row->wall_seconds);
  for (storage::TresAmount& tres : row->tres_seconds) tres.amount = std::max(0.0, tres.amount);
}

// One amount of two rows and of the slack.
struct Compared {
  double a = 0;
  double b = 0;
  double slack = 0;
};

// By TRES; usage and wall seconds use ids that no TRES has.
constexpr int32_t kUsage = -1;
constexpr int32_t kWall = -2;
using ComparedAmounts = absl::btree_map<int32_t, Compared>;

void Collect(const storage::UsageRow& row, double kept, double Compared::*to,
             ComparedAmounts* amounts) {
  (*amounts)[kUsage].*to = row.value * kept;
  (*amounts)[kWall].*to = row.wall_seconds * kept;
  for (const storage::TresAmount& tres : row.tres_seconds) {
    (*amounts)[tres.tres_id].*to = tres.amount * kept;
  }
}

}  // namespace

Records PointersTo(absl::Span<const storage::UsageRecord> records) {
  Records pointers;
  pointers.reserve(records.size());
  for (const storage::UsageRecord& record : records) pointers.push_back(&record);
  return pointers;
}

RowChanges ChangesOf(storage::UsageOf of, RecordSpan added, RecordSpan removed) {
  RowChanges changes;
  Distribute(of, added, &RowChange::added, &changes);
  Distribute(of, removed, &RowChange::removed, &changes);
  return changes;
}

void Apply(const RowChange& change, const priority::UsageDecay& decay, storage::UsageRow* row) {
  // A row up to the last reset contains only the usage after that reset.
  absl::Time newest = std::max(row->as_of, decay.reset().floor);
  for (const storage::UsageRecord* record : change.added) {
    newest = std::max(newest, record->submitted.end_time);
  }
  CarryForward(newest, decay, row);
  for (const storage::UsageRecord* record : change.added) AddRecord(*record, decay, row);
  for (const storage::UsageRecord* record : change.removed) {
    TakeOutRecord(*record, decay, row);
  }
}

void CarryForward(absl::Time time, const priority::UsageDecay& decay, storage::UsageRow* row) {
  if (time <= row->as_of) return;
  Scale(Kept(*row, decay, time), row);
  row->as_of = time;
}

double Kept(const storage::UsageRow& row, const priority::UsageDecay& decay, absl::Time at) {
  // A row without usage so far has as_of InfinitePast.
  return row.as_of == absl::InfinitePast() ? 0 : decay.Carry(1, row.as_of, at);
}

void AddLoss(const storage::UsageRecord& average, absl::Time as_of,
             const priority::UsageDecay& decay, storage::UsageRow* loss) {
  CarryForward(as_of, decay, loss);
  const storage::SubmittedUsage& usage = average.submitted;
  const double evenly = SecondsAt(average, loss->as_of, decay);
  // It lies entirely before a reset, or has no duration.
  if (evenly == 0) return;
  const double whole =
      average.usage_factor * absl::ToDoubleSeconds(usage.end_time - usage.start_time);
  const double at_start = decay.Carry(whole, usage.start_time, loss->as_of);
  const double at_end = decay.Carry(whole, usage.end_time, loss->as_of);
  AddSeconds(average, std::max(at_end - evenly, evenly - at_start), loss);
}

bool Agree(const storage::UsageRow& a, const storage::UsageRow& b, const Slack& slack,
           const priority::UsageDecay& decay, absl::Time at) {
  ComparedAmounts amounts;
  Collect(a, Kept(a, decay, at), &Compared::a, &amounts);
  Collect(b, Kept(b, decay, at), &Compared::b, &amounts);
  if (slack.amounts != nullptr) {
    Collect(*slack.amounts, Kept(*slack.amounts, decay, at), &Compared::slack, &amounts);
  }
  return std::all_of(amounts.begin(), amounts.end(), [&](const auto& entry) {
    const Compared& of = entry.second;
    const double larger = std::max(std::abs(of.a), std::abs(of.b));
    return std::abs(of.a - of.b) <= slack.relative * larger + of.slack;
  });
}

storage::UsageRow Rewind(const storage::UsageRow& row, absl::Time time, RecordSpan later,
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
