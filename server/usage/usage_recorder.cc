#include "server/usage/usage_recorder.h"

#include <map>
#include <string>
#include <vector>

#include "server/configuration/find_cluster.h"
#include "server/usage/counters.h"
#include "server/usage/settlement.h"
#include "storage/cluster_store.h"

namespace priorityd::usage {
namespace {

// How often a group is written again after the database was lost in a commit or
// the configuration changed.
constexpr int kMaxAttempts = 5;

// What is known of a commit whose answer was lost is known again after another.
absl::Status Unknown(const absl::Status& status) {
  return absl::IsAborted(status) ? absl::UnavailableError(status.message()) : status;
}

}  // namespace

UsageRecorder::UsageRecorder(storage::Database* database, Clock clock,
                             GroupCommitter::Options options)
    : clock_(std::move(clock)),
      database_(database),
      books_(database),
      committer_(options, [this](Group group) { return Commit(group); }) {}

void UsageRecorder::Record(std::unique_ptr<UsageBatch> batch, GroupCommitter::Place place) {
  auto book = books_.Latest(batch->cluster);
  absl::Status status = book.status();
  if (status.ok()) status = Prepare(*std::move(book), clock_(), &books_, batch.get());
  if (!status.ok()) {
    batch->done(Unknown(status));
    return;
  }
  committer_.Submit(std::move(batch), std::move(place));
}

absl::Status UsageRecorder::Commit(Group group) {
  absl::Status status;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    bool stale = false;
    status = database_->Write(
        [&](storage::Transaction& transaction) { return Write(transaction, group, &stale); });
    if (stale) status = PrepareAgain(group);
    if (!stale && !absl::IsAborted(status)) return status;
    if (stale && !status.ok()) return status;
  }
  return absl::UnavailableError("usage records: the configuration keeps changing; try again");
}

absl::Status UsageRecorder::PrepareAgain(Group group) {
  for (const std::unique_ptr<UsageBatch>& batch : group) {
    auto book = books_.Latest(batch->cluster);
    if (!book.ok()) return book.status();
    if (*book == batch->book) continue;
    absl::Status status = Prepare(*std::move(book), clock_(), &books_, batch.get());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status UsageRecorder::Write(storage::Transaction& transaction, Group group, bool* stale) {
  *stale = false;
  std::map<std::string, std::vector<UsageBatch*>> by_name;
  for (const std::unique_ptr<UsageBatch>& batch : group) {
    by_name[batch->cluster].push_back(batch.get());
  }
  std::map<int32_t, std::vector<UsageBatch*>> by_id;
  for (auto& [name, batches] : by_name) {
    auto found = configuration::FindCluster(transaction, name);
    if (!found.ok()) return found.status();
    by_id[found->id] = std::move(batches);
  }
  for (const auto& [id, batches] : by_id) {
    absl::Status status = WriteCluster(transaction, id, batches, stale);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status UsageRecorder::WriteCluster(storage::Transaction& transaction, int32_t cluster_id,
                                         absl::Span<UsageBatch* const> batches, bool* stale) {
  absl::Status locked = storage::ClusterStore(transaction).LockShared(cluster_id);
  if (!locked.ok()) return locked;
  auto book = books_.Current(transaction, cluster_id, batches.front()->cluster);
  if (!book.ok()) return book.status();
  std::vector<const storage::UsageRecord*> records;
  for (const UsageBatch* batch : batches) {
    if (batch->book != *book) {
      *stale = true;
      return absl::AbortedError("the configuration changed; try again");
    }
    for (const storage::UsageRecord& record : batch->records) records.push_back(&record);
  }
  auto intervals = MakeIntervals(transaction, cluster_id, **book, batches);
  if (!intervals.ok()) return intervals.status();
  for (const Interval& interval : *intervals) records.push_back(&interval.record);
  const auto settle = [&](storage::Settlement& settlement) {
    Settle(**book, &settlement);
    return absl::OkStatus();
  };
  auto outcomes = storage::LedgerStore(transaction)
                      .Append(cluster_id, records, settle, (*book)->ledger_horizon());
  if (!outcomes.ok()) return outcomes.status();
  auto outcome = outcomes->begin();
  for (UsageBatch* batch : batches) {
    for (size_t place : batch->places) {
      batch->results[place] = ResultOf(*outcome++, batch->results[place]);
    }
  }
  for (const Interval& interval : *intervals) {
    RecordResult& result = interval.batch->results[interval.place];
    result = ResultOf(*outcome++, result);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
