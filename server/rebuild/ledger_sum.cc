#include "server/rebuild/ledger_sum.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/ingest/settlement.h"
#include "server/recalculation/usage_row.h"
#include "storage/cluster_store.h"

namespace priorityd::rebuild {
namespace {

constexpr int64_t kPageSize = 20000;

using RecordsById = absl::flat_hash_map<int64_t, std::vector<const storage::UsageRecord*>>;

// What a row keeps of its amounts until `at`.
double Kept(const storage::UsageRow& row, const UsageDecay& decay, absl::Time at) {
  return row.as_of == absl::InfinitePast() ? 0 : decay.Carry(1, row.as_of, at);
}

bool Agree(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

bool TresAgree(const storage::UsageRow& a, double kept_a, const storage::UsageRow& b, double kept_b,
               double tolerance) {
  std::map<int32_t, std::pair<double, double>> seconds;
  for (const storage::TresAmount& t : a.tres_seconds) seconds[t.tres_id].first = t.amount * kept_a;
  for (const storage::TresAmount& t : b.tres_seconds) seconds[t.tres_id].second = t.amount * kept_b;
  return std::all_of(seconds.begin(), seconds.end(), [tolerance](const auto& entry) {
    return Agree(entry.second.first, entry.second.second, tolerance);
  });
}

}  // namespace

void LedgerSum::Add(const std::vector<storage::UsageRecord>& records) {
  RecordsById by_association;
  RecordsById by_qos;
  for (const storage::UsageRecord& record : records) {
    by_association[record.association_id].push_back(&record);
    if (record.qos_id.has_value()) by_qos[*record.qos_id].push_back(&record);
  }
  const auto add_to = [this](storage::UsageOf of, const RecordsById& by_id, Rows& rows) {
    for (const auto& [id, of_row] : by_id) {
      storage::UsageRow& row = rows[id];
      row.id = id;
      ingest::AddUsage(of_row, DecayOf(of, id), &row);
    }
  };
  add_to(storage::UsageOf::kAssociation, by_association, associations_);
  add_to(storage::UsageOf::kQos, by_qos, qos_);
  records_ += static_cast<int64_t>(records.size());
}

void LedgerSum::TakeOut(const std::vector<storage::UsageRecord>& records) {
  for (const storage::UsageRecord& record : records) {
    const int64_t id = record.association_id;
    recalculation::TakeOutRecord(record, decay_.OfAssociation(id), &associations_.at(id));
    if (!record.qos_id.has_value()) continue;
    recalculation::TakeOutRecord(record, decay_.OfQos(*record.qos_id), &qos_.at(*record.qos_id));
  }
  records_ -= static_cast<int64_t>(records.size());
}

absl::Status LedgerSum::ReadAhead(storage::Database& database, ProgressReport progress) {
  storage::LedgerRange range{.after = read_upto_};
  std::vector<storage::UsageRecord> replaced;
  absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
    absl::Status locked = storage::ClusterStore(transaction).Lock(cluster_id_);
    if (!locked.ok()) return locked;
    absl::StatusOr<int64_t> end = storage::LedgerScan(transaction).End();
    if (end.ok()) range.upto = *end;
    return end.status();
  });
  if (!status.ok() || range.upto == range.after) return status;
  status = database.Read([&](storage::Transaction& transaction) {
    auto read = storage::LedgerScan(transaction).ReadReplaced(cluster_id_, range);
    if (read.ok()) replaced = *std::move(read);
    return read.status();
  });
  if (!status.ok()) return status;
  TakeOut(replaced);
  while (status.ok() && read_upto_ < range.upto) {
    storage::LedgerPage page;
    status = database.Read([&](storage::Transaction& transaction) {
      auto read = storage::LedgerScan(transaction).Read(cluster_id_, range, read_upto_, kPageSize);
      if (read.ok()) page = *std::move(read);
      return read.status();
    });
    if (!status.ok()) break;
    Add(page.records);
    read_upto_ = page.next;
    const double fraction = static_cast<double>(read_upto_) / static_cast<double>(range.upto);
    status = progress({records_, fraction});
  }
  return status;
}

absl::Status LedgerSum::ReadRest(storage::Transaction& transaction) {
  storage::LedgerScan scan(transaction);
  absl::StatusOr<int64_t> end = scan.End();
  if (!end.ok()) return end.status();
  const storage::LedgerRange range{read_upto_, *end};
  auto replaced = scan.ReadReplaced(cluster_id_, range);
  if (!replaced.ok()) return replaced.status();
  TakeOut(*replaced);
  while (read_upto_ < range.upto) {
    auto page = scan.Read(cluster_id_, range, read_upto_, kPageSize);
    if (!page.ok()) return page.status();
    Add(page->records);
    read_upto_ = page->next;
  }
  return absl::OkStatus();
}

storage::UsageRow LedgerSum::RowOf(storage::UsageOf of, int64_t id) const {
  const Rows& rows = of == storage::UsageOf::kAssociation ? associations_ : qos_;
  const auto found = rows.find(id);
  if (found != rows.end()) return found->second;
  storage::UsageRow row;
  row.id = id;
  // So that a record that arrives late is counted from the reset on.
  ingest::AddUsage({}, DecayOf(of, id), &row);
  return row;
}

const UsageDecay& LedgerSum::DecayOf(storage::UsageOf of, int64_t id) const {
  return of == storage::UsageOf::kAssociation ? decay_.OfAssociation(id) : decay_.OfQos(id);
}

absl::StatusOr<std::vector<RowDifference>> LedgerSum::Compare(storage::Transaction& transaction,
                                                              absl::Time at,
                                                              double tolerance) const {
  std::vector<RowDifference> differences;
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    absl::Status status = CompareRows(transaction, of, at, tolerance, &differences);
    if (!status.ok()) return status;
  }
  return differences;
}

absl::Status LedgerSum::CompareRows(storage::Transaction& transaction, storage::UsageOf of,
                                    absl::Time at, double tolerance,
                                    std::vector<RowDifference>* differences) const {
  auto stored = storage::UsageStore(transaction).List(of, cluster_id_);
  if (!stored.ok()) return stored.status();
  absl::btree_map<int64_t, const storage::UsageRow*> by_id;
  for (const storage::UsageRow& row : *stored) by_id[row.id] = &row;
  for (const auto& [id, row] : of == storage::UsageOf::kAssociation ? associations_ : qos_) {
    by_id.try_emplace(id, nullptr);
  }
  const storage::UsageRow none;
  for (const auto& [id, found] : by_id) {
    const storage::UsageRow& was = found == nullptr ? none : *found;
    const storage::UsageRow row = RowOf(of, id);
    const UsageDecay& decay = DecayOf(of, id);
    const absl::Time time = std::max({at, was.as_of, row.as_of});
    const double was_kept = Kept(was, decay, time);
    const double kept = Kept(row, decay, time);
    if (Agree(was.value * was_kept, row.value * kept, tolerance) &&
        Agree(was.wall_seconds * was_kept, row.wall_seconds * kept, tolerance) &&
        TresAgree(was, was_kept, row, kept, tolerance)) {
      continue;
    }
    differences->push_back({of, id, was.value * was_kept, row.value * kept});
  }
  return absl::OkStatus();
}

absl::Status LedgerSum::Write(storage::Transaction& transaction,
                              const std::vector<RowDifference>& differences) const {
  storage::UsageStore store(transaction);
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    std::vector<int64_t> ids;
    std::vector<storage::UsageRow> rows;
    for (const RowDifference& difference : differences) {
      if (difference.of != of) continue;
      ids.push_back(difference.id);
      rows.push_back(RowOf(of, difference.id));
    }
    auto locked = store.Lock(of, cluster_id_, ids);
    if (!locked.ok()) return locked.status();
    if (absl::Status s = store.Write(of, rows); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rebuild
