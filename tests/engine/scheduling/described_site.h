// The small site on nodes that a test describes.
#ifndef PRIORITYD_TESTS_ENGINE_SCHEDULING_DESCRIBED_SITE_H_
#define PRIORITYD_TESTS_ENGINE_SCHEDULING_DESCRIBED_SITE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/scheduling/described_cluster.h"
#include "engine/scheduling/planned_queue.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::scheduling {

// Nodes a, b, c with 8 CPUs each, in all partitions.
struct DescribedSite {
  DescribedSite() {
    description.node_types = {
        {.name = "plain", .nodes = {"a", "b", "c"}, .partitions = {}, .tres = {{"cpu", 8}}}};
  }

  // Ann's, in the partition `main` under the QOS `normal`, for an hour.
  priority::Job& Waits(const char* job_id, double cpus) {
    priority::Job& job = jobs.emplace_back(priority::JobOf(job_id));
    job.partitions = {"main"};
    job.qos = {"normal"};
    job.cpus = cpus;
    job.time_limit = absl::Hours(1);
    return job;
  }
  // The same since so many minutes, on a node.
  priority::Job& Runs(const char* job_id, double cpus, int minutes, const char* node) {
    priority::Job& job = Waits(job_id, cpus);
    job.state = priority::JobState::kRunning;
    job.start_time = priority::kNow - absl::Minutes(minutes);
    placements.push_back({.job_id = job_id, .node_types = {}, .nodes = {node}});
    return job;
  }

  // Call when everything is described; the others then refer to the results.
  void Build() {
    snapshot = site.Build();
    ranking = priority::Rank(*snapshot, jobs, {.as_of = priority::kNow});
    cluster = std::make_unique<const DescribedCluster>(
        DescribedCluster::Make(*snapshot, description, placements).value());
    queue = std::make_unique<const PlannedQueue>(
        PlannedQueue{*snapshot, jobs, ranking, priority::kNow});
  }

  priority::SmallSite site;
  ClusterDescription description;
  std::vector<JobPlacement> placements;
  std::vector<priority::Job> jobs;

  std::unique_ptr<const priority::Snapshot> snapshot;
  priority::Ranking ranking;
  std::unique_ptr<const DescribedCluster> cluster;
  std::unique_ptr<const PlannedQueue> queue;
};

}  // namespace priorityd::scheduling

#endif  // PRIORITYD_TESTS_ENGINE_SCHEDULING_DESCRIBED_SITE_H_
