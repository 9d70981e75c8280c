// The effects of used up grants on a tracked queue, computed beforehand.
#ifndef PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_
#define PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/grant_standing.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::rpc {

// Jobs of one association.
struct PendingJobs {
  priority::AssociationIndex association = priority::kNoAssociation;
  uint64_t jobs = 0;  // Each array task is one.
};

// The effects of one grant.
struct GrantImpact {
  // `grant q4 is used up at once: ...`, as below; of one that is not `grant q4 is not used up: 120
  // of 500 cpu minutes are used`.
  std::string text;
  // If it is used up: the pending jobs of the associations that it holds for, most first, then in
  // the order of the tree.
  std::vector<PendingJobs> pending;
};

// Goes through the queue once, and through the associations for each used up grant. Past
// kMostCounted of these, the text ends with the minutes and no jobs are listed. Thread-compatible.
class GrantImpacts {
 public:
  static constexpr size_t kMostCounted = 20;

  // The queue must outlive it.
  explicit GrantImpacts(const queue::QueueState& queue)
      : queue_(queue), owners_(queue.snapshot().tree()) {}

  GrantImpact Of(const priority::GrantStanding& grant);

 private:
  // The pending jobs by association.
  const std::vector<uint64_t>& Pending();

  const queue::QueueState& queue_;
  priority::GrantOwners owners_;
  std::vector<uint64_t> pending_;  // Empty = not counted yet.
  size_t counted_ = 0;
};

// Of each that is used up and has a consequence: `grant q4 is used up at once: 120 cpu
// minutes are used; 12 of the 40 pending jobs, of 3 of the 8 users, have the QOS factor of low`.
// Each array task is a job; users are counted once for each of their associations. Of 20 at most,
// then how many more there are.
std::vector<std::string> EffectTexts(const queue::QueueState& queue,
                                     absl::Span<const priority::GrantStanding> standings);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_
