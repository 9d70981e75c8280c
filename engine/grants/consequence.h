// The consequence of a used up grant, as a text.
#ifndef PRIORITYD_ENGINE_GRANTS_CONSEQUENCE_H_
#define PRIORITYD_ENGINE_GRANTS_CONSEQUENCE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/grant_standing.h"

namespace priorityd::grants {

inline constexpr int64_t kMaxCap = 1'000'000'000'000;  // cap:TRES=N.

struct Consequence {
  priority::GrantConsequence kind = priority::GrantConsequence::kNone;
  std::string demoted_qos;  // kDemote: the QOS.
  priority::GrantMeasure measure;

  friend bool operator==(const Consequence&, const Consequence&) = default;
};

// In any case, but for the name of a QOS:
//
//   none, block, refuse, warn
//   demote:low             the QOS factor of the QOS
//   demote:FairShare=10%   a part of a factor: Age, Assoc, FairShare, JobSize, Partition, QOS,
//   TRES,
//                          Site, or Priority, which is each of them; 0% to 100%, 4 decimals
//   demote:Band=1000       priority at most 1 to 4294967295
//   cap:gres/gpu=8         a TRES and a whole number, 0 to kMaxCap
//
// INVALID_ARGUMENT: `got X, want Y`.
absl::StatusOr<Consequence> ReadConsequence(absl::string_view text);
// A text from which ReadConsequence returns the same; of kNone `none`.
std::string ConsequenceText(const Consequence& consequence);

// The measure alone, as `FairShare=10%`, `1000` or `gres/gpu=8`; empty for kinds without one.
std::string MeasureText(priority::GrantConsequence kind, const priority::GrantMeasure& measure);
absl::StatusOr<priority::GrantMeasure> ReadMeasure(priority::GrantConsequence kind,
                                                   absl::string_view text);

// `FairShare`, ..., `Priority`.
absl::string_view FactorWord(priority::ReducedFactor factor);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_CONSEQUENCE_H_
