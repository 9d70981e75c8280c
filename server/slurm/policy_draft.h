// A policy that is being read, and the functions that read and write a parameter of it.
#ifndef PRIORITYD_SERVER_SLURM_POLICY_DRAFT_H_
#define PRIORITYD_SERVER_SLURM_POLICY_DRAFT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
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

// A policy, with what its parameters say only together.
struct PolicyDraft {
  priority::Policy policy;
  PriorityFlagSet flags;
  std::optional<priority::FairShareAlgorithm> algorithm;  // FairShareAlgorithm.
  bool preemptible = false;                               // PreemptMode other than OFF.
  // What was passed over as slurmctld passes over it, of the parameter that was read last:
  // `got "x", want y`.
  std::vector<std::string> losses;
};

// Sets what `value` says in `draft`. INVALID_ARGUMENT `got "x", want y`, where y is
// `want` unless the function knows better.
using ReadParameter = absl::Status (*)(absl::string_view value, absl::string_view want,
                                       PolicyDraft& draft);

// The parameter of `policy` as the one text that stands for its value: read, it gives
// the same value again.
using WriteParameter = std::string (*)(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_POLICY_DRAFT_H_
