#include "server/ingest/settlement.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace priorityd::ingest {
namespace {

using Records = std::vector<const storage::UsageRecord*>;

void CarryTo(absl::Time time, const UsageDecay& decay, storage::UsageRow* row) {
  if (time <= row->as_of) return;
  // A row without usage so far has as_of InfinitePast.
  const double kept = row->as_of == absl::InfinitePast() ? 0 : decay.Carry(1, row->as_of, time);
  row->value *= kept;
  row->wall_seconds *= kept;
  for (storage::TresAmount& tres : row->tres_seconds) tres.amount *= kept;
  row->as_of = time;
}

// Keeps the list ascending by tres_id.
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

}  // namespace

void AddUsage(absl::Span<const storage::UsageRecord* const> records, const UsageDecay& decay,
              storage::UsageRow* row) {
  absl::Time newest = row->as_of;
  for (const storage::UsageRecord* record : records) {
    newest = std::max(newest, record->submitted.end_time);
  }
  CarryTo(newest, decay, row);
  for (const storage::UsageRecord* record : records) {
    const storage::SubmittedUsage& usage = record->submitted;
    const double seconds =
        decay.Interval(record->usage_factor, usage.start_time, usage.end_time, row->as_of);
    row->value += record->billing_rate * seconds;
    row->wall_seconds += seconds;
    for (const storage::TresAmount& tres : usage.tres) {
      AddTres(tres.tres_id, tres.amount * seconds, &row->tres_seconds);
    }
  }
}

void Settle(const PriceBook& book, storage::Settlement* settlement) {
  absl::flat_hash_map<int64_t, Records> by_association;
  absl::flat_hash_map<int64_t, Records> by_qos;
  for (const storage::UsageRecord* record : settlement->accepted) {
    by_association[record->association_id].push_back(record);
    if (record->qos_id.has_value()) by_qos[*record->qos_id].push_back(record);
  }
  for (storage::UsageRow& row : settlement->associations) {
    AddUsage(by_association[row.id], book.decay(), &row);
  }
  for (storage::UsageRow& row : settlement->qos) {
    AddUsage(by_qos[row.id], book.DecayOfQos(row.id), &row);
  }
}

}  // namespace priorityd::ingest
