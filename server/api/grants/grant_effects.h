// What used up grants do to a tracked queue, beforehand.
#ifndef PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_
#define PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "engine/priority/site/grant_standing.h"
#include "server/queue/state/queue_state.h"

namespace priorityd::rpc {

// Of each that is used up and has a consequence: `grant q4 is used up at once: 120 cpu
// minutes are used; 12 of the 40 pending jobs, of 3 of the 8 users, have the QOS factor of low`.
// Each array task is a job; users are counted once for each of their associations. Of 20 at most,
// then how many more there are.
std::vector<std::string> EffectTexts(const queue::QueueState& queue,
                                     absl::Span<const priority::GrantStanding> standings);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_GRANT_EFFECTS_H_
