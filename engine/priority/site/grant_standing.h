// The standing of grants of usage at the time of a snapshot.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::priority {

// The consequence of a used up grant for jobs.
enum class GrantConsequence : uint8_t {
  kNone,    // Nothing.
  kDemote,  // They have the QOS factor of another QOS.
  kBlock,   // They wait.
  kReduce,  // A factor gives them a part of its points.
  kBand,    // Their priority is at most a number.
  kCap,     // They wait while running jobs have a number of a TRES.
  kRefuse,  // New ones are refused at submission.
  kWarn,    // Nothing, but their explanation says so.
};

// A factor of the priority.
enum class ReducedFactor : uint8_t {
  kAge,
  kAssoc,
  kFairShare,
  kJobSize,
  kPartition,
  kQos,
  kTres,  // The sum of all TRES.
  kSite,
  kAll,  // Each of them.
};
inline constexpr size_t kReducedFactors = 8;  // Without kAll.

// The extent of a consequence.
struct GrantMeasure {
  ReducedFactor factor = ReducedFactor::kAll;  // kReduce.
  // kReduce: the part of the factor's points that counts, from 0 to 1. kBand: the highest priority,
  // at least 1. kCap: of the TRES, at least 0.
  double most = 0;
  std::string tres;  // kCap: canonical.

  friend bool operator==(const GrantMeasure&, const GrantMeasure&) = default;
};

// The present window of a grant. Of several grants of one owner and TRES one standing is made, with
// the consequence of the last one used.
struct GrantStanding {
  std::string name;  // Of the grant; of several, of the last one used.
  // The usage domain of the cluster whose grant it is, used up there by jobs of all members; empty
  // = the cluster's own.
  std::string domain;
  std::vector<std::string> accounts;  // Each with everything below it.
  std::string user;                   // Only this user in them; empty = everybody.
  std::string tres;  // Canonical, or a sum (TresSumText); `billing` = billing-seconds.
  // TRES-seconds: `used` and the rest of each grant, with what may be borrowed and the grace.
  double available = 0;
  double used = 0;    // TRES-seconds, times UsageFactor, not decayed.
  absl::Time until;   // The end of the window; InfiniteFuture() = it does not end by itself.
  bool ends = false;  // Whether no grant of the owner and TRES follows at `until`.
  // Whether `available` has a grace, something borrowed, and what other grants of the owner have.
  bool has_grace = false;
  bool has_borrow = false;
  bool has_others = false;
  GrantConsequence consequence = GrantConsequence::kNone;
  std::string demoted_qos;  // kDemote: the QOS.
  GrantMeasure measure;

  friend bool operator==(const GrantStanding&, const GrantStanding&) = default;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_GRANT_STANDING_H_
