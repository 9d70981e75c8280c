#include "tests/server/queue/replication/stored_queue.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/time/clock.h"
#include "storage/cluster_store.h"
#include "tests/server/priority/small_site.h"
#include "tests/storage/test_database.h"

namespace priorityd::queue {
namespace {

std::map<std::string, int64_t> FactorByJob(const QueueState& state) {
  std::map<std::string, int64_t> factors;
  for (const auto& chunk : state.chunks()) {
    for (uint32_t i = 0; i < chunk->size(); ++i) {
      const TrackedJob job = chunk->job(i);
      factors[std::string(job.job.job_id)] = job.job.site_factor;
    }
  }
  return factors;
}

}  // namespace

StoredQueue::StoredQueue() : StoredQueue(storage::NewTestDatabase()) {}

StoredQueue::StoredQueue(const std::string& database_url)
    : database_({.url = database_url}), registry_(absl::Now), queues_(&database_, &registry_) {
  const absl::Status created = database_.Write([](storage::Transaction& transaction) {
    return storage::ClusterStore(transaction).FindOrCreate("small").status();
  });
  EXPECT_TRUE(created.ok()) << created;
  Recalculate();
}

std::shared_ptr<const priority::Snapshot> StoredQueue::Recalculate(
    const priority::Policy& policy, const std::map<std::string, double>& usage) {
  priority::SmallSite site;
  site.usage = usage;
  site.source.generation = ++generation_;
  site.source.policy = policy;
  site.source.computed_at = priority::kNow + generation_ * absl::Minutes(5);
  std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
  registry_.Publish(snapshot);
  return snapshot;
}

void StoredQueue::Update(const QueueRequest& request) {
  const auto answer = queues_.Update("small", request, priority::kNow);
  EXPECT_TRUE(answer.ok()) << answer.status();
}

void StoredQueue::Upsert(const std::vector<std::string>& job_ids, absl::string_view user) {
  std::vector<TrackedJob> jobs;
  for (const std::string& id : job_ids) {
    TrackedJob& job = jobs.emplace_back();
    job.job = priority::JobOf(id);
    job.job.user = user;
    if (user == "cat") job.job.account = "chemistry";
    job.source = "test";
  }
  Update({.source = "test", .upserts = jobs});
}

void StoredQueue::Remove(const std::string& job_id) {
  const absl::string_view removals[] = {job_id};
  Update({.source = "test", .removals = removals});
}

std::vector<std::string> JobIds(const QueueState& state) {
  std::vector<std::string> ids;
  for (const auto& [id, factor] : FactorByJob(state)) ids.push_back(id);
  return ids;
}

std::vector<int64_t> SiteFactorsOf(const QueueState& state) {
  std::vector<int64_t> factors;
  for (const auto& [id, factor] : FactorByJob(state)) factors.push_back(factor);
  return factors;
}

}  // namespace priorityd::queue
