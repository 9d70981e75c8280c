// The inputs of a plan: nodes, running jobs, waiting jobs.
#ifndef PRIORITYD_ENGINE_PLAN_CLUSTER_H_
#define PRIORITYD_ENGINE_PLAN_CLUSTER_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/plan/amounts.h"

namespace priorityd::plan {

// Whether two lists of nodes, both ascending, have a node in common.
inline bool Share(absl::Span<const int> a, absl::Span<const int> b) {
  return std::any_of(a.begin(), a.end(),
                     [&](int node) { return std::binary_search(b.begin(), b.end(), node); });
}

// Identical nodes.
struct NodeType {
  int nodes = 0;
  Amounts each;  // The resources of one node.
};

// Amounts of all nodes of a type that nobody can use for [from, until).
struct Closure {
  int type = 0;
  Amounts each;
  absl::Time from;
  absl::Time until;
};

// Nodes are numbered from 0, in the order of their types.
struct Cluster {
  std::vector<NodeType> types;
  std::vector<Closure> closures;
  // The sizes of resources that jobs share besides nodes: licenses, the nodes that the owner of a
  // partition has bought.
  std::vector<int64_t> pools;
};

struct PoolNeed {
  int pool = 0;
  int64_t amount = 0;  // Above 0.
};

// A request for a number of distinct nodes with an amount on each.
struct Request {
  int nodes = 1;  // At least 1.
  Amounts per_node;
};

// A place where a job may run: one of its partitions.
struct Place {
  absl::InlinedVector<int, 2> types;  // Node types, which may be mixed; ascending.
  std::vector<PoolNeed> pools;
  int partition = -1;  // For PlanOptions::max_job_part.
  // A waiting job starts there in [opens, closes), and ends by `closes`, whatever its time limit.
  absl::Time opens = absl::InfinitePast();
  absl::Time closes = absl::InfiniteFuture();
  // The request of a waiting job there, of as many nodes, and its time limit there, above 0; unset
  // = as everywhere.
  std::optional<Request> request;
  std::optional<absl::Duration> time_limit;
};

struct RunningJob {
  Request request;
  Place place;
  // The nodes that it uses, ascending; empty = unknown: the first nodes of its place with room are
  // assumed.
  std::vector<int> nodes;
  absl::Time end;  // The latest end: by its time limit.
};

struct WaitingJob {
  Request request;
  absl::InlinedVector<Place, 1> places;                  // In the order of preference.
  absl::Duration time_limit = absl::InfiniteDuration();  // Above 0.
  int user = -1;                                         // For PlanOptions::max_job_user.
  int association = -1;                                  // For PlanOptions::max_job_assoc.
  bool reserves = true;  // False = it starts now or gets no planned start.

  const Request& RequestAt(size_t place) const {
    return places[place].request.has_value() ? *places[place].request : request;
  }
  absl::Duration TimeLimitAt(size_t place) const {
    return places[place].time_limit.value_or(time_limit);
  }
};

}  // namespace priorityd::plan

#endif  // PRIORITYD_ENGINE_PLAN_CLUSTER_H_
