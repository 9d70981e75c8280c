#include "server/usage/ledger_sum.h"

#include <algorithm>

#include "storage/configuration/cluster_store.h"
#include "storage/ledger/retention_store.h"

namespace priorityd::usage {
namespace {

constexpr int64_t kPageSize = 20000;

constexpr storage::UsageOf kBoth[] = {storage::UsageOf::kAssociation, storage::UsageOf::kQos};

}  // namespace

void LedgerSum::Apply(RecordSpan added, RecordSpan removed) {
  for (const storage::UsageOf of : kBoth) {
    for (const auto& [id, change] : ChangesOf(of, added, removed)) {
      storage::UsageRow& row = rows_.Of(of)[id];
      row.id = id;
      usage::Apply(change, decay_.Of(of, id), &row);
    }
  }
}

void LedgerSum::Add(const std::vector<storage::UsageRecord>& records) {
  Apply(PointersTo(records), {});
  records_ += static_cast<int64_t>(records.size());
}

void LedgerSum::TakeOut(const std::vector<storage::UsageRecord>& records) {
  Apply({}, PointersTo(records));
  records_ -= static_cast<int64_t>(records.size());
}

void LedgerSum::AddBuckets(const std::vector<storage::UsageBucket>& buckets) {
  Records averages;
  averages.reserve(buckets.size());
  for (const storage::UsageBucket& bucket : buckets) {
    averages.push_back(&bucket.average);
    records_ += bucket.records;
  }
  Apply(averages, {});
  for (const storage::UsageOf of : kBoth) {
    for (const auto& [id, change] : ChangesOf(of, averages)) {
      const absl::Time as_of = rows_.Of(of).at(id).as_of;
      for (const storage::UsageRecord* average : change.added) {
        AddLoss(*average, as_of, decay_.Of(of, id), &losses_.Of(of)[id]);
      }
    }
  }
}

absl::StatusOr<storage::LedgerRange> LedgerSum::NextRange(storage::Transaction& transaction) const {
  storage::LedgerRange range{.after = read_upto_};
  absl::StatusOr<int64_t> end = storage::LedgerScan(transaction).End(cluster_id_);
  if (!end.ok()) return end.status();
  range.upto = *end;
  auto horizon = storage::RetentionStore(transaction).Horizon(cluster_id_);
  if (!horizon.ok()) return horizon.status();
  range.horizon = *horizon;
  return range;
}

absl::StatusOr<bool> LedgerSum::IsStale(storage::Transaction& transaction) const {
  auto horizon = storage::RetentionStore(transaction).Horizon(cluster_id_);
  if (!horizon.ok()) return horizon.status();
  return horizon_.has_value() && *horizon_ != *horizon;
}

absl::Status LedgerSum::ReadBeforeHorizon(storage::Transaction& transaction, absl::Time horizon) {
  rows_ = RowsOfBoth();
  losses_ = RowsOfBoth();
  records_ = 0;
  horizon_ = horizon;
  // Nothing precedes a horizon that never moved.
  if (horizon == absl::InfinitePast()) return absl::OkStatus();
  storage::LedgerScan scan(transaction);
  absl::Status status = scan.ReadBuckets(
      cluster_id_, [this](const std::vector<storage::UsageBucket>& page) { AddBuckets(page); });
  if (!status.ok()) return status;
  return scan.ReadOld(cluster_id_, horizon,
                      [this](const std::vector<storage::UsageRecord>& page) { Add(page); });
}

absl::StatusOr<storage::LedgerRange> LedgerSum::LockAndFindRange(
    storage::Transaction& transaction) const {
  absl::Status locked = storage::ClusterStore(transaction).Lock(cluster_id_);
  if (!locked.ok()) return locked;
  return NextRange(transaction);
}

absl::Status LedgerSum::ReadAhead(storage::Database& database, ProgressReport progress) {
  auto range = database.Write(
      [&](storage::Transaction& transaction) { return LockAndFindRange(transaction); });
  if (!range.ok()) return range.status();
  const bool is_stale = horizon_.has_value() && *horizon_ != range->horizon;
  const bool is_at_end = horizon_.has_value() && range->upto <= range->after;
  if (is_stale || is_at_end) return absl::OkStatus();
  absl::Status status = database.Read(
      [&](storage::Transaction& transaction) { return ReadChanged(transaction, *range); });
  while (status.ok() && read_upto_ < range->upto) {
    status = database.Read(
        [&](storage::Transaction& transaction) { return ReadPage(transaction, *range); });
    if (!status.ok()) return status;
    const double fraction = static_cast<double>(read_upto_) / static_cast<double>(range->upto);
    status = progress({records_, fraction});
  }
  return status;
}

absl::Status LedgerSum::ReadRest(storage::Transaction& transaction) {
  absl::StatusOr<storage::LedgerRange> range = NextRange(transaction);
  if (!range.ok()) return range.status();
  absl::Status status = ReadChanged(transaction, *range);
  while (status.ok() && read_upto_ < range->upto) status = ReadPage(transaction, *range);
  return status;
}

absl::Status LedgerSum::ReadChanged(storage::Transaction& transaction,
                                    const storage::LedgerRange& range) {
  if (!horizon_.has_value()) return ReadBeforeHorizon(transaction, range.horizon);
  auto replaced = storage::LedgerScan(transaction).ReadReplaced(cluster_id_, range);
  if (!replaced.ok()) return replaced.status();
  TakeOut(*replaced);
  return absl::OkStatus();
}

absl::Status LedgerSum::ReadPage(storage::Transaction& transaction,
                                 const storage::LedgerRange& range) {
  auto page = storage::LedgerScan(transaction).Read(cluster_id_, range, read_upto_, kPageSize);
  if (!page.ok()) return page.status();
  Add(page->records);
  read_upto_ = page->next;
  return absl::OkStatus();
}

storage::UsageRow LedgerSum::RowOf(storage::UsageOf of, int64_t id) const {
  const Rows& rows = rows_.Of(of);
  const auto found = rows.find(id);
  if (found != rows.end()) return found->second;
  storage::UsageRow row;
  row.id = id;
  // A record that arrives late then counts from the reset on.
  usage::Apply({}, decay_.Of(of, id), &row);
  return row;
}

absl::StatusOr<std::vector<RowDifference>> LedgerSum::Compare(storage::Transaction& transaction,
                                                              absl::Time at,
                                                              const Tolerance& tolerance) const {
  std::vector<RowDifference> differences;
  for (const storage::UsageOf of : kBoth) {
    absl::Status status = CompareRows(transaction, of, at, tolerance, &differences);
    if (!status.ok()) return status;
  }
  return differences;
}

absl::Status LedgerSum::CompareRows(storage::Transaction& transaction, storage::UsageOf of,
                                    absl::Time at, const Tolerance& tolerance,
                                    std::vector<RowDifference>* differences) const {
  auto stored = storage::UsageStore(transaction).List(of, cluster_id_);
  if (!stored.ok()) return stored.status();
  absl::btree_map<int64_t, const storage::UsageRow*> by_id;
  for (const storage::UsageRow& row : *stored) by_id[row.id] = &row;
  for (const auto& [id, row] : rows_.Of(of)) by_id.try_emplace(id, nullptr);
  const storage::UsageRow none;
  for (const auto& [id, found] : by_id) {
    auto difference = Difference(of, id, found == nullptr ? none : *found, at, tolerance);
    if (difference.has_value()) differences->push_back(*difference);
  }
  return absl::OkStatus();
}

std::optional<RowDifference> LedgerSum::Difference(storage::UsageOf of, int64_t id,
                                                   const storage::UsageRow& stored, absl::Time at,
                                                   const Tolerance& tolerance) const {
  const storage::UsageRow row = RowOf(of, id);
  const priority::UsageDecay& decay = decay_.Of(of, id);
  const absl::Time time = std::max({at, stored.as_of, row.as_of});
  Slack slack{.relative = tolerance.relative};
  const auto loss = losses_.Of(of).find(id);
  if (tolerance.rolled_up && loss != losses_.Of(of).end()) slack.amounts = &loss->second;
  if (Agree(stored, row, slack, decay, time)) return std::nullopt;
  return RowDifference{of, id, stored.value * Kept(stored, decay, time),
                       row.value * Kept(row, decay, time)};
}

std::vector<storage::UsageRow> LedgerSum::RowsOf(
    storage::UsageOf of, const std::vector<RowDifference>& differences) const {
  std::vector<storage::UsageRow> rows;
  for (const RowDifference& difference : differences) {
    if (difference.of == of) rows.push_back(RowOf(of, difference.id));
  }
  return rows;
}

absl::Status LedgerSum::Write(storage::Transaction& transaction,
                              const std::vector<RowDifference>& differences) const {
  storage::UsageStore store(transaction);
  for (const storage::UsageOf of : kBoth) {
    const std::vector<storage::UsageRow> rows = RowsOf(of, differences);
    std::vector<int64_t> ids;
    for (const storage::UsageRow& row : rows) ids.push_back(row.id);
    auto locked = store.Lock(of, cluster_id_, ids);
    if (!locked.ok()) return locked.status();
    if (absl::Status s = store.Write(of, cluster_id_, rows); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
