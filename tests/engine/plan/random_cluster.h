// Small clusters and queues at random, in whole minutes.
#ifndef PRIORITYD_TESTS_ENGINE_PLAN_RANDOM_CLUSTER_H_
#define PRIORITYD_TESTS_ENGINE_PLAN_RANDOM_CLUSTER_H_

#include <random>
#include <vector>

#include "absl/time/time.h"
#include "engine/plan/cluster.h"
#include "engine/plan/plan.h"

namespace priorityd::plan {

struct RandomCluster {
  Cluster cluster;
  std::vector<RunningJob> running;
  std::vector<WaitingJob> waiting;
  absl::Time now = absl::FromUnixSeconds(1'000'000'020);
  PlanOptions options;

  // Jobs that are said where they run hold what the nodes have, if `consistent`.
  RandomCluster(uint32_t seed, bool consistent);

  // Gives half of the places of waiting jobs a request and a time limit of their own.
  void DrawOwnRequests();

  // In [from, to].
  int Draw(int from, int to);

 private:
  void DrawClosures();
  Place DrawPlace();
  Request DrawRequest();
  void DrawRunning(bool consistent);
  void DrawWaiting();

  std::mt19937 random_;
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_TESTS_ENGINE_PLAN_RANDOM_CLUSTER_H_
