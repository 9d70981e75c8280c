#include "server/ingest/settlement.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/recalculation/usage_row.h"

namespace priorityd::ingest {
namespace {

using Records = std::vector<const storage::UsageRecord*>;

}  // namespace

void AddUsage(absl::Span<const storage::UsageRecord* const> records, const UsageDecay& decay,
              storage::UsageRow* row) {
  absl::Time newest = row->as_of;
  for (const storage::UsageRecord* record : records) {
    newest = std::max(newest, record->submitted.end_time);
  }
  recalculation::CarryForward(newest, decay, row);
  for (const storage::UsageRecord* record : records) {
    recalculation::AddRecord(*record, decay, row);
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
