// What grants of usage leave at the time of a snapshot.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::priority {

// What happens to jobs when a grant is used up.
enum class GrantConsequence : uint8_t {
  kNone,    // Nothing.
  kDemote,  // They have the QOS factor of another QOS.
  kBlock,   // They wait.
};

// The present window of a grant, of those owners whose grants have a consequence. Of several grants
// of one owner and TRES one standing is made, with the consequence of the last one used.
struct GrantStanding {
  std::string name;                   // Of the grant; of several, of the last one used.
  std::vector<std::string> accounts;  // Each with everything below it.
  std::string user;                   // Only this user in them; empty = everybody.
  std::string tres;                   // Canonical; `billing` = billing-seconds.
  // TRES-seconds: `used` and what is left of each grant, with what may be borrowed and the grace.
  double available = 0;
  double used = 0;   // TRES-seconds, times UsageFactor, not decayed.
  absl::Time until;  // When the window ends; InfiniteFuture() = not by itself.
  GrantConsequence consequence = GrantConsequence::kNone;
  std::string demoted_qos;  // kDemote: the QOS.

  friend bool operator==(const GrantStanding&, const GrantStanding&) = default;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_
