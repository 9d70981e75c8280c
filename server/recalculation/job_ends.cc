#include "server/recalculation/job_ends.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "storage/ledger/report_store.h"

namespace priorityd::recalculation {

absl::Status JobEnds::Update(storage::Transaction& transaction, int32_t cluster_id,
                             absl::Time since) {
  last_read_ = 0;
  const auto sight = storage::LedgerTail(transaction).Sight(cluster_id);
  if (!sight.ok()) return sight.status();
  // Records that the last reading did not see belong to transactions from its `unfinished` on. They
  // follow everything seen by an earlier reading that none of these transactions precedes.
  const bool is_known =
      !sights_.empty() && since >= since_ && sights_.front().next <= sights_.back().unfinished;
  absl::Status status = is_known ? ReadAppended(transaction, cluster_id, since, sights_.front().seq)
                                 : ReadAll(transaction, cluster_id, since);
  if (!status.ok()) return status;
  absl::erase_if(ends_, [since](const auto& job) { return job.second <= since; });
  since_ = since;
  NoteSight(*sight);
  return absl::OkStatus();
}

absl::Status JobEnds::ReadAll(storage::Transaction& transaction, int32_t cluster_id,
                              absl::Time since) {
  const auto all = storage::ReportStore(transaction).LatestEnds(cluster_id, since);
  if (!all.ok()) return all.status();
  ends_.clear();
  Add(*all, since);
  return absl::OkStatus();
}

absl::Status JobEnds::ReadAppended(storage::Transaction& transaction, int32_t cluster_id,
                                   absl::Time since, int64_t seq) {
  storage::LedgerTail tail(transaction);
  const auto replaced = tail.Replaced(cluster_id, seq);
  if (!replaced.ok()) return replaced.status();
  absl::Status taken_out = TakeOut(transaction, cluster_id, since, *replaced);
  if (!taken_out.ok()) return taken_out;
  const auto appended = tail.LatestEnds(cluster_id, seq);
  if (!appended.ok()) return appended.status();
  Add(*appended, since);
  return absl::OkStatus();
}

absl::Status JobEnds::TakeOut(storage::Transaction& transaction, int32_t cluster_id,
                              absl::Time since, const std::vector<storage::JobEnd>& replaced) {
  absl::flat_hash_set<std::string> wrong;
  for (const storage::JobEnd& record : replaced) {
    const auto job = ends_.find(record.job_id);
    if (job != ends_.end() && job->second == record.end_time) wrong.insert(record.job_id);
  }
  if (wrong.empty()) return absl::OkStatus();
  const auto again = storage::LedgerTail(transaction)
                         .LatestEndsOf(cluster_id, since, {wrong.begin(), wrong.end()});
  if (!again.ok()) return again.status();
  for (const std::string& job_id : wrong) ends_.erase(job_id);
  Add(*again, since);
  return absl::OkStatus();
}

void JobEnds::Add(const std::vector<storage::JobEnd>& jobs, absl::Time since) {
  last_read_ += static_cast<int64_t>(jobs.size());
  for (const storage::JobEnd& job : jobs) {
    if (job.end_time <= since) continue;
    absl::Time& end = ends_.try_emplace(job.job_id, job.end_time).first->second;
    end = std::max(end, job.end_time);
  }
}

void JobEnds::NoteSight(const storage::LedgerSight& sight) {
  sights_.push_back(sight);
  // The newest reading that precedes the start of every transaction unfinished now.
  const auto first_wrong = std::find_if(
      sights_.begin(), sights_.end(),
      [&](const storage::LedgerSight& earlier) { return earlier.next > sight.unfinished; });
  if (first_wrong != sights_.begin()) sights_.erase(sights_.begin(), first_wrong - 1);
}

}  // namespace priorityd::recalculation
