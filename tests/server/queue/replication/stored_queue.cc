#include "tests/server/queue/replication/stored_queue.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/time/clock.h"
#include "storage/configuration/cluster_store.h"
#include "tests/engine/priority/small_site.h"
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

void Create(storage::Database* database, const std::string& cluster) {
  const absl::Status created = database->Write([&](storage::Transaction& transaction) {
    return storage::ClusterStore(transaction).FindOrCreate(cluster).status();
  });
  EXPECT_TRUE(created.ok()) << created;
}

std::vector<TrackedJob> JobsOf(const std::vector<std::string>& job_ids, absl::string_view user) {
  std::vector<TrackedJob> jobs;
  for (const std::string& id : job_ids) {
    TrackedJob& job = jobs.emplace_back();
    job.job = priority::JobOf(id);
    job.job.user = user;
    if (user == "cat") job.job.account = "chemistry";
    job.source = "test";
  }
  return jobs;
}

}  // namespace

StoredQueue::StoredQueue() : StoredQueue(storage::NewTestDatabase()) {}

StoredQueue::StoredQueue(const std::string& database_url, const QueueBounds& bounds)
    : database_({.url = database_url}),
      registry_(absl::Now),
      queues_(&database_, &registry_, bounds) {
  Create(&database_, "small");
  Recalculate();
}

void StoredQueue::AddCluster(const std::string& cluster) {
  Create(&database_, cluster);
  priority::SmallSite site;
  site.source.cluster.name = cluster;
  site.source.generation = 1;
  registry_.Publish(site.Build());
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

QueueAnswer StoredQueue::Update(const QueueRequest& request, const std::string& cluster) {
  auto answer = queues_.Update(cluster, request, priority::kNow);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *std::move(answer) : QueueAnswer();
}

void StoredQueue::Upsert(const std::vector<std::string>& job_ids, absl::string_view user) {
  const std::vector<TrackedJob> jobs = JobsOf(job_ids, user);
  Update({.source = "test", .upserts = jobs});
}

std::string StoredQueue::Refusal(const std::string& cluster,
                                 const std::vector<std::string>& job_ids) {
  const std::vector<TrackedJob> jobs = JobsOf(job_ids, "ann");
  for (const UpdateResult& result : Update({.source = "test", .upserts = jobs}, cluster).upserts) {
    if (result.outcome == UpdateOutcome::kRefused) return result.message;
  }
  return "";
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
