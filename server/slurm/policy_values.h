// The parameters of a policy: their names, and how their values are read.
#ifndef PRIORITYD_SERVER_SLURM_POLICY_VALUES_H_
#define PRIORITYD_SERVER_SLURM_POLICY_VALUES_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/priority/policy.h"

namespace priorityd::slurm {

// PriorityFlags, as written.
struct PriorityFlagSet {
  bool no_fair_tree = false;
  bool depth_oblivious = false;
  // The flags that are fields of Policy.
  std::vector<bool priority::Policy::*> fields;
};

// A policy that is being read, with what its parameters say only together.
struct PolicyDraft {
  priority::Policy policy;
  PriorityFlagSet flags;
  std::optional<priority::FairShareAlgorithm> algorithm;  // FairShareAlgorithm.
  bool preemptible = false;                               // PreemptMode other than OFF.
};

// Sets what `value` says in `draft`. INVALID_ARGUMENT `got "x", want y`.
using ReadParameter = absl::Status (*)(absl::string_view value, PolicyDraft& draft);

// PreemptMode's words: whether jobs can be preempted at all (anything but OFF).
// INVALID_ARGUMENT as above.
absl::StatusOr<bool> ParsePreemptMode(absl::string_view text);

// The reader of a parameter by its name (case-insensitive); null = there is no such
// parameter.
ReadParameter FindParameter(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_POLICY_VALUES_H_
