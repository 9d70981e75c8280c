// The table of a policy's parameters. Reading slurm.conf, GetPolicy, `prioctl policy show`,
// the differences that `prioctl policy diff` names, and the table in docs/semantics.md all
// come from it: a parameter is added here, and as a field of priority::Policy.
#ifndef PRIORITYD_SERVER_SLURM_POLICY_PARAMETER_TABLE_H_
#define PRIORITYD_SERVER_SLURM_POLICY_PARAMETER_TABLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/slurm/policy_draft.h"

namespace priorityd::slurm {

struct PolicyParameter {
  // As slurm.conf spells it.
  absl::string_view name;
  // What it may say, also as the `want` of its errors.
  absl::string_view values;
  // What `write` gives for a policy without the parameter; TimeZone's is a remark.
  absl::string_view default_value;
  // One sentence.
  absl::string_view description;
  ReadParameter read;
  WriteParameter write;

  // Sets what `value` says in `draft`. INVALID_ARGUMENT `got "x", want y`.
  absl::Status Read(absl::string_view value, PolicyDraft& draft) const {
    return read(value, values, draft);
  }
};

// All parameters, in the order in which they are shown.
absl::Span<const PolicyParameter> PolicyParameterTable();

// The parameter of that name (case-insensitive); null = there is none.
const PolicyParameter* FindPolicyParameter(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_POLICY_PARAMETER_TABLE_H_
