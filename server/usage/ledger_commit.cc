#include "server/usage/ledger_commit.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "server/configuration/find_cluster.h"
#include "server/usage/counters.h"
#include "server/usage/decayed_row.h"
#include "server/usage/job_end_charge.h"
#include "server/usage/ledger_decision.h"
#include "server/usage/replacement_audit.h"
#include "storage/configuration/cluster_store.h"
#include "storage/ledger/job_accounting_store.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/running_job_store.h"
#include "storage/ledger/usage_store.h"

namespace priorityd::usage {
namespace {

using Batches = std::vector<BatchResults*>;

// The batches by the id of their cluster, ascending.
absl::StatusOr<std::map<int32_t, Batches>> ByCluster(storage::Transaction& transaction,
                                                     std::vector<BatchResults>& batches) {
  std::map<std::string, Batches> by_name;
  for (BatchResults& of : batches) by_name[of.batch->submitted.cluster].push_back(&of);
  std::map<int32_t, Batches> by_id;
  for (auto& [name, of_cluster] : by_name) {
    auto cluster = configuration::FindCluster(transaction, name);
    if (!cluster.ok()) return cluster.status();
    by_id[cluster->id] = std::move(of_cluster);
  }
  return by_id;
}

// The book by which all are priced; ABORTED if it is outdated.
absl::StatusOr<std::shared_ptr<const PriceBook>> LockPrices(storage::Transaction& transaction,
                                                            int32_t cluster_id,
                                                            const Batches& batches,
                                                            PriceBooks* books) {
  absl::Status locked = storage::ClusterStore(transaction).LockShared(cluster_id);
  if (!locked.ok()) return locked;
  auto book = books->Current(transaction, cluster_id, batches.front()->batch->submitted.cluster);
  if (!book.ok()) return book.status();
  for (const BatchResults* of : batches) {
    if (of->batch->priced.book == *book) continue;
    return absl::AbortedError("the configuration changed; retry");
  }
  return book;
}

absl::StatusOr<RunningJobs> LockJobs(storage::Transaction& transaction, int32_t cluster_id,
                                     const Batches& batches) {
  RunningJobs jobs = NewJobsOf(batches);
  if (jobs.empty()) return jobs;
  std::vector<storage::RunningJob> rows;
  for (const auto& [key, job] : jobs) rows.push_back(job);
  auto locked = storage::RunningJobStore(transaction).Lock(cluster_id, rows);
  if (!locked.ok()) return locked.status();
  for (storage::RunningJob& job : *locked) jobs[{job.source, job.job_id}] = job;
  return jobs;
}

absl::Status WriteJobs(storage::Transaction& transaction, int32_t cluster_id,
                       const RunningJobs& jobs) {
  std::vector<storage::RunningJob> rows;
  for (const auto& [key, job] : jobs) rows.push_back(job);
  return storage::RunningJobStore(transaction).Write(cluster_id, rows);
}

// The records of the batches, then those made from counters.
Records RecordsOf(const Batches& batches, const std::vector<Interval>& intervals) {
  Records records;
  for (const BatchResults* of : batches) {
    for (const storage::UsageRecord& record : of->batch->priced.records) records.push_back(&record);
  }
  for (const Interval& interval : intervals) records.push_back(&interval.record);
  return records;
}

absl::Status SettleRows(storage::Transaction& transaction, storage::UsageOf of, int32_t cluster_id,
                        const RowChanges& changes, const RowDecay& decay) {
  std::vector<int64_t> ids;
  for (const auto& [id, change] : changes) ids.push_back(id);
  storage::UsageStore usage(transaction);
  auto rows = usage.Lock(of, cluster_id, ids);
  if (!rows.ok()) return rows.status();
  for (storage::UsageRow& row : *rows) {
    Apply(changes.at(row.id), decay.Of(of, row.id), &row);
  }
  return usage.Write(of, cluster_id, *rows);
}

// The outcomes of the records, in the order of RecordsOf.
struct Appended {
  std::vector<Outcome> outcomes;
  std::map<size_t, std::string> refused;  // The reason of each kOtherPrincipal.
};

// The sender of the record at a place of RecordsOf. REQUIRES: it is not an interval's record; these
// replace nothing.
const Recorder& SenderOf(const Batches& batches, size_t place) {
  size_t before = 0;
  const auto batch = std::find_if(batches.begin(), batches.end(), [&](const BatchResults* of) {
    before += of->batch->priced.records.size();
    return place < before;
  });
  return (*batch)->batch->submitted.recorder;
}

absl::Status CarryOut(storage::Transaction& transaction, int32_t cluster_id,
                      const LedgerDecision& decision, const PriceBook& book) {
  absl::Status status = storage::LedgerStore(transaction).Insert(cluster_id, decision.inserted);
  if (status.ok()) {
    status = storage::JobAccountingStore(transaction).Insert(cluster_id, decision.inserted);
  }
  for (const storage::UsageOf of : {storage::UsageOf::kAssociation, storage::UsageOf::kQos}) {
    if (!status.ok()) return status;
    status = SettleRows(transaction, of, cluster_id,
                        ChangesOf(of, decision.counted, decision.replaced), book.decay());
  }
  return status;
}

// For batches: audits replacements of other principals' records.
absl::StatusOr<Appended> AppendBatches(storage::Transaction& transaction, int32_t cluster_id,
                                       const Batches& batches, const Records& records,
                                       const PriceBook& book) {
  const bool others_replace = book.policy().collectors_replace;
  auto held = storage::LedgerStore(transaction).Find(cluster_id, WantedKeys(records));
  if (!held.ok()) return held.status();
  LedgerDecision decision = Decide(*held, records, book.ledger_horizon(), others_replace);
  auto refused =
      AuditReplacements(transaction, cluster_id, records, decision.by_another,
                        [&](size_t place) -> const Recorder& { return SenderOf(batches, place); });
  if (!refused.ok()) return refused.status();
  auto ends = TakePlaceOfEnds(transaction, cluster_id, book, decision.inserted);
  if (!ends.ok()) return ends.status();
  Records all = records;
  if (!ends->replacements.empty()) {
    for (const storage::HeldRecord& of : ends->held) held->push_back(of);
    for (const storage::UsageRecord& record : ends->replacements) all.push_back(&record);
    decision = Decide(*held, all, book.ledger_horizon(), others_replace);
  }
  absl::Status written = CarryOut(transaction, cluster_id, decision, book);
  if (!written.ok()) return written;
  return Appended{std::move(decision.outcomes), *std::move(refused)};
}

void TakeResults(const Appended& appended, const Batches& batches,
                 const std::vector<Interval>& intervals) {
  size_t place = 0;
  const auto take = [&](RecordResult& result) {
    result = ResultOf(appended.outcomes[place], result);
    const auto refused = appended.refused.find(place++);
    if (refused != appended.refused.end()) result.rejection->message = refused->second;
  };
  for (BatchResults* of : batches) {
    for (const size_t result : of->batch->priced.places) take(of->results[result]);
  }
  for (const Interval& interval : intervals) take(interval.batch->results[interval.place]);
}

absl::Status WriteCluster(storage::Transaction& transaction, int32_t cluster_id,
                          const Batches& batches, PriceBooks* books) {
  auto book = LockPrices(transaction, cluster_id, batches, books);
  if (!book.ok()) return book.status();
  auto jobs = LockJobs(transaction, cluster_id, batches);
  if (!jobs.ok()) return jobs.status();
  std::vector<Interval> intervals = TakeCounters(batches, **book, &*jobs);
  for (Interval& interval : intervals) {
    interval.record.recorded_by = interval.batch->batch->priced.recorded_by;
  }
  const auto appended =
      AppendBatches(transaction, cluster_id, batches, RecordsOf(batches, intervals), **book);
  if (!appended.ok()) return appended.status();
  TakeResults(*appended, batches, intervals);
  return WriteJobs(transaction, cluster_id, *jobs);
}

}  // namespace

absl::StatusOr<std::vector<Outcome>> AppendRecords(storage::Transaction& transaction,
                                                   int32_t cluster_id, const Records& records,
                                                   const PriceBook& book) {
  auto held = storage::LedgerStore(transaction).Find(cluster_id, WantedKeys(records));
  if (!held.ok()) return held.status();
  return AppendFound(transaction, cluster_id, *held, records, book);
}

absl::StatusOr<std::vector<Outcome>> AppendFound(storage::Transaction& transaction,
                                                 int32_t cluster_id,
                                                 absl::Span<const storage::HeldRecord> held,
                                                 const Records& records, const PriceBook& book) {
  LedgerDecision decision = Decide(held, records, book.ledger_horizon(), /*others_replace=*/true);
  absl::Status written = CarryOut(transaction, cluster_id, decision, book);
  if (!written.ok()) return written;
  return std::move(decision.outcomes);
}

absl::StatusOr<std::vector<RecordResults>> WriteGroup(storage::Transaction& transaction,
                                                      Group group, PriceBooks* books) {
  std::vector<BatchResults> batches;
  for (const auto& batch : group) batches.push_back({batch.get(), batch->priced.results});
  auto by_cluster = ByCluster(transaction, batches);
  if (!by_cluster.ok()) return by_cluster.status();
  for (const auto& [cluster_id, of_cluster] : *by_cluster) {
    absl::Status status = WriteCluster(transaction, cluster_id, of_cluster, books);
    if (!status.ok()) return status;
  }
  std::vector<RecordResults> results;
  for (BatchResults& of : batches) results.push_back(std::move(of.results));
  return results;
}

}  // namespace priorityd::usage
