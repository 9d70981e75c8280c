// What a plan is made for: nodes, what holds them, what waits.
#ifndef PRIORITYD_SERVER_PLAN_CLUSTER_H_
#define PRIORITYD_SERVER_PLAN_CLUSTER_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "server/plan/amounts.h"

namespace priorityd::plan {

// Nodes that are alike.
struct NodeType {
  int nodes = 0;
  Amounts each;  // Of one node.
};

// Nodes are numbered from 0, type after type.
struct Cluster {
  std::vector<NodeType> types;
  // What jobs share beyond nodes, each with its size: the nodes that a partition's owner has
  // bought, licenses.
  std::vector<int64_t> pools;
};

struct PoolNeed {
  int pool = 0;
  int64_t amount = 0;  // Above 0.
};

// Where a job may run: one of its partitions.
struct Place {
  absl::InlinedVector<int, 2> types;  // On nodes of any of these, mixed; ascending.
  std::vector<PoolNeed> pools;
  int partition = -1;  // For PlanOptions::max_job_part.
};

// So many different nodes, with so much of each.
struct Request {
  int nodes = 1;  // At least 1.
  Amounts per_node;
};

struct RunningJob {
  Request request;
  Place place;
  // The nodes that it holds, ascending; empty = nobody has said: it is taken to hold the first ones
  // of its place that have room.
  std::vector<int> nodes;
  absl::Time end;  // At the latest: by its time limit.
};

struct WaitingJob {
  Request request;
  absl::InlinedVector<Place, 1> places;                  // In the order of its preference.
  absl::Duration time_limit = absl::InfiniteDuration();  // Above 0.
  int user = -1;                                         // For PlanOptions::max_job_user.
  int association = -1;                                  // For PlanOptions::max_job_assoc.
  bool reserves = true;  // Else it starts now or no start is planned.
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_SERVER_PLAN_CLUSTER_H_
