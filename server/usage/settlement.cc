#include "server/usage/settlement.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "server/usage/usage_row.h"

namespace priorityd::usage {
namespace {

using Records = std::vector<const storage::UsageRecord*>;

// Records by the row they count in.
class ByRow {
 public:
  explicit ByRow(const Records& records) {
    for (const storage::UsageRecord* record : records) {
      by_association_[record->association_id].push_back(record);
      if (record->qos_id.has_value()) by_qos_[*record->qos_id].push_back(record);
    }
  }

  const Records& OfAssociation(int64_t id) const { return Find(by_association_, id); }
  const Records& OfQos(int64_t id) const { return Find(by_qos_, id); }

 private:
  using Rows = absl::flat_hash_map<int64_t, Records>;

  static const Records& Find(const Rows& rows, int64_t id) {
    static const Records* const kNone = new Records;
    const auto found = rows.find(id);
    return found == rows.end() ? *kNone : found->second;
  }

  Rows by_association_;
  Rows by_qos_;
};

}  // namespace

void AddUsage(absl::Span<const storage::UsageRecord* const> records,
              const priority::UsageDecay& decay, storage::UsageRow* row) {
  // A row that reaches up to the last reset tells by itself what it left.
  absl::Time newest = std::max(row->as_of, decay.reset().floor);
  for (const storage::UsageRecord* record : records) {
    newest = std::max(newest, record->submitted.end_time);
  }
  CarryForward(newest, decay, row);
  for (const storage::UsageRecord* record : records) {
    AddRecord(*record, decay, row);
  }
}

void Settle(const PriceBook& book, storage::Settlement* settlement) {
  const ByRow added(settlement->accepted);
  const ByRow replaced(settlement->replaced);
  const auto settle = [](const Records& added, const Records& replaced,
                         const priority::UsageDecay& decay, storage::UsageRow* row) {
    AddUsage(added, decay, row);
    for (const storage::UsageRecord* record : replaced) {
      TakeOutRecord(*record, decay, row);
    }
  };
  for (storage::UsageRow& row : settlement->associations) {
    settle(added.OfAssociation(row.id), replaced.OfAssociation(row.id),
           book.decay().OfAssociation(row.id), &row);
  }
  for (storage::UsageRow& row : settlement->qos) {
    settle(added.OfQos(row.id), replaced.OfQos(row.id), book.decay().OfQos(row.id), &row);
  }
}

}  // namespace priorityd::usage
