#include "server/usage/ledger_sum.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "server/usage/settlement.h"
#include "server/usage/usage_row.h"
#include "storage/cluster_store.h"
#include "storage/retention_store.h"

namespace priorityd::usage {
namespace {

constexpr int64_t kPageSize = 20000;

using RecordsById = absl::flat_hash_map<int64_t, std::vector<const storage::UsageRecord*>>;

// What a row keeps of its amounts until `at`.
double Kept(const storage::UsageRow& row, const priority::UsageDecay& decay, absl::Time at) {
  return row.as_of == absl::InfinitePast() ? 0 : decay.Carry(1, row.as_of, at);
}

// `slack` is allowed besides.
bool Agree(double a, double b, double relative, double slack) {
  return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)) + slack;
}

// A row at the time of comparison, when this much of its amounts is left.
struct KeptRow {
  const storage::UsageRow& row;
  double kept;
};

bool RowsAgree(const KeptRow& a, const KeptRow& b, double relative, const KeptRow& slack) {
  struct Amounts {
    double a = 0, b = 0, slack = 0;
  };
  std::map<int32_t, Amounts> seconds;
  const auto take = [&seconds](const KeptRow& from, double Amounts::*to) {
    for (const storage::TresAmount& tres : from.row.tres_seconds) {
      seconds[tres.tres_id].*to = tres.amount * from.kept;
    }
  };
  take(a, &Amounts::a);
  take(b, &Amounts::b);
  take(slack, &Amounts::slack);
  return Agree(a.row.value * a.kept, b.row.value * b.kept, relative,
               slack.row.value * slack.kept) &&
         Agree(a.row.wall_seconds * a.kept, b.row.wall_seconds * b.kept, relative,
               slack.row.wall_seconds * slack.kept) &&
         std::all_of(seconds.begin(), seconds.end(), [relative](const auto& entry) {
           return Agree(entry.second.a, entry.second.b, relative, entry.second.slack);
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
      AddUsage(of_row, DecayOf(of, id), &row);
    }
  };
  add_to(storage::UsageOf::kAssociation, by_association, associations_);
  add_to(storage::UsageOf::kQos, by_qos, qos_);
  records_ += static_cast<int64_t>(records.size());
}

void LedgerSum::TakeOut(const std::vector<storage::UsageRecord>& records) {
  for (const storage::UsageRecord& record : records) {
    const int64_t id = record.association_id;
    TakeOutRecord(record, decay_.OfAssociation(id), &associations_.at(id));
    if (!record.qos_id.has_value()) continue;
    TakeOutRecord(record, decay_.OfQos(*record.qos_id), &qos_.at(*record.qos_id));
  }
  records_ -= static_cast<int64_t>(records.size());
}

void LedgerSum::AddBuckets(const std::vector<storage::UsageBucket>& buckets) {
  std::vector<storage::UsageRecord> averages;
  averages.reserve(buckets.size());
  for (const storage::UsageBucket& bucket : buckets) averages.push_back(bucket.average);
  Add(averages);
  records_ -= static_cast<int64_t>(buckets.size());
  for (const storage::UsageBucket& bucket : buckets) records_ += bucket.records;
  const auto add_loss = [this](const storage::UsageRecord& average, storage::UsageOf of, int64_t id,
                               const Rows& rows, Rows& losses) {
    storage::UsageRow& loss = losses[id];
    CarryForward(rows.at(id).as_of, DecayOf(of, id), &loss);
    AddLoss(average, DecayOf(of, id), &loss);
  };
  for (const storage::UsageRecord& average : averages) {
    add_loss(average, storage::UsageOf::kAssociation, average.association_id, associations_,
             association_losses_);
    if (!average.qos_id.has_value()) continue;
    add_loss(average, storage::UsageOf::kQos, *average.qos_id, qos_, qos_losses_);
  }
}

absl::StatusOr<storage::LedgerRange> LedgerSum::NextRange(storage::Transaction& transaction) {
  storage::LedgerRange range{.after = read_upto_};
  absl::StatusOr<int64_t> end = storage::LedgerScan(transaction).End();
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
  for (Rows* rows : {&associations_, &qos_, &association_losses_, &qos_losses_}) rows->clear();
  records_ = 0;
  horizon_ = horizon;
  // Nothing is before a horizon that never moved.
  if (horizon == absl::InfinitePast()) return absl::OkStatus();
  storage::LedgerScan scan(transaction);
  absl::Status status = scan.ReadBuckets(
      cluster_id_, [this](const std::vector<storage::UsageBucket>& page) { AddBuckets(page); });
  if (!status.ok()) return status;
  return scan.ReadOld(cluster_id_, horizon,
                      [this](const std::vector<storage::UsageRecord>& page) { Add(page); });
}

absl::Status LedgerSum::ReadAhead(storage::Database& database, ProgressReport progress) {
  storage::LedgerRange range;
  absl::Status status = database.Write([&](storage::Transaction& transaction) -> absl::Status {
    absl::Status locked = storage::ClusterStore(transaction).Lock(cluster_id_);
    if (!locked.ok()) return locked;
    absl::StatusOr<storage::LedgerRange> next = NextRange(transaction);
    if (next.ok()) range = *next;
    return next.status();
  });
  if (!status.ok()) return status;
  const bool is_stale = horizon_.has_value() && *horizon_ != range.horizon;
  if (is_stale || range.upto == range.after) return status;
  std::vector<storage::UsageRecord> replaced;
  status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    if (!horizon_.has_value()) return ReadBeforeHorizon(transaction, range.horizon);
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
  absl::StatusOr<storage::LedgerRange> range = NextRange(transaction);
  if (!range.ok()) return range.status();
  if (!horizon_.has_value()) {
    absl::Status status = ReadBeforeHorizon(transaction, range->horizon);
    if (!status.ok()) return status;
  }
  auto replaced = scan.ReadReplaced(cluster_id_, *range);
  if (!replaced.ok()) return replaced.status();
  TakeOut(*replaced);
  while (read_upto_ < range->upto) {
    auto page = scan.Read(cluster_id_, *range, read_upto_, kPageSize);
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
  AddUsage({}, DecayOf(of, id), &row);
  return row;
}

const priority::UsageDecay& LedgerSum::DecayOf(storage::UsageOf of, int64_t id) const {
  return of == storage::UsageOf::kAssociation ? decay_.OfAssociation(id) : decay_.OfQos(id);
}

absl::StatusOr<std::vector<RowDifference>> LedgerSum::Compare(storage::Transaction& transaction,
                                                              absl::Time at,
                                                              const Tolerance& tolerance) const {
  std::vector<RowDifference> differences;
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
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
  for (const auto& [id, row] : of == storage::UsageOf::kAssociation ? associations_ : qos_) {
    by_id.try_emplace(id, nullptr);
  }
  const storage::UsageRow none;
  const Rows& losses = of == storage::UsageOf::kAssociation ? association_losses_ : qos_losses_;
  for (const auto& [id, found] : by_id) {
    const storage::UsageRow& was = found == nullptr ? none : *found;
    const storage::UsageRow row = RowOf(of, id);
    const priority::UsageDecay& decay = DecayOf(of, id);
    const absl::Time time = std::max({at, was.as_of, row.as_of});
    const double was_kept = Kept(was, decay, time);
    const double kept = Kept(row, decay, time);
    const auto lost = losses.find(id);
    const storage::UsageRow& loss =
        tolerance.rolled_up && lost != losses.end() ? lost->second : none;
    if (RowsAgree({was, was_kept}, {row, kept}, tolerance.relative,
                  {loss, Kept(loss, decay, time)})) {
      continue;
    }
    differences->push_back({of, id, was.value * was_kept, row.value * kept});
  }
  return absl::OkStatus();
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
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    const std::vector<storage::UsageRow> rows = RowsOf(of, differences);
    std::vector<int64_t> ids;
    for (const storage::UsageRow& row : rows) ids.push_back(row.id);
    auto locked = store.Lock(of, cluster_id_, ids);
    if (!locked.ok()) return locked.status();
    if (absl::Status s = store.Write(of, rows); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
