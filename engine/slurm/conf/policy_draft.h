// A policy that is being read, and the types of functions that read and write its parameters.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_POLICY_DRAFT_H_
#define PRIORITYD_ENGINE_SLURM_CONF_POLICY_DRAFT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/policy.h"

namespace priorityd::slurm {

// PriorityFlags, as written.
struct PriorityFlagSet {
  bool no_fair_tree = false;
  bool depth_oblivious = false;
  // The flags that are fields of Policy.
  std::vector<bool priority::Policy::*> fields;
};

// A policy with data that depend on several parameters.
struct PolicyDraft {
  priority::Policy policy;
  PriorityFlagSet flags;
  std::optional<priority::FairShareAlgorithm> algorithm;  // FairShareAlgorithm.
  // The parts of the last parameter that were ignored as in slurmctld: `got "x", want y`.
  std::vector<std::string> losses;
};

// Sets the parameter in `draft` from `value`. INVALID_ARGUMENT `got "x", want y`, where y is `want`
// or more specific.
using ReadParameter = absl::Status (*)(absl::string_view value, absl::string_view want,
                                       PolicyDraft& draft);

// The canonical text of the parameter's value in `policy`; reading it gives the same value.
using WriteParameter = std::string (*)(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_POLICY_DRAFT_H_
