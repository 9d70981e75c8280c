// The table of policy parameters. The reader of slurm.conf, GetPolicy, `prioctl policy show`,
// `prioctl policy diff` and the table in docs/semantics.md use it: a new parameter is added here
// and as a field of priority::Policy.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETER_TABLE_H_
#define PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETER_TABLE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

struct PolicyParameter {
  // The name in slurm.conf.
  absl::string_view name;
  // The allowed values, also the `want` of its errors.
  absl::string_view values;
  // The result of `write` for a policy without the parameter; for TimeZone a remark.
  absl::string_view default_value;
  // The meaning in one sentence.
  absl::string_view description;
  ReadParameter read;
  WriteParameter write;

  // Sets the parameter in `draft` from `value`. INVALID_ARGUMENT `got "x", want y`.
  absl::Status Read(absl::string_view value, PolicyDraft& draft) const {
    return read(value, values, draft);
  }
};

// All parameters in display order.
absl::Span<const PolicyParameter> PolicyParameterTable();

// The parameter of that name (case-insensitive); null = not found.
const PolicyParameter* FindPolicyParameter(absl::string_view name);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_POLICY_PARAMETER_TABLE_H_
