#include "engine/slurm/conf/weight_parameters.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {

absl::Status ReadWeightTres(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  absl::StatusOr<priority::TresMap> weights = ParseTresWeights(value);
  if (!weights.ok()) return weights.status();
  draft.policy.weight_tres = *std::move(weights);
  draft.policy.weight_tres_text = std::string(value);
  return absl::OkStatus();
}

std::string WriteWeightTres(const priority::Policy& policy) {
  return absl::StrJoin(policy.weight_tres, ",", [](std::string* out, const auto& weight) {
    absl::StrAppend(out, weight.first, "=", DecimalText(weight.second));
  });
}

absl::Status ReadDampeningFactor(absl::string_view value, absl::string_view want,
                                 PolicyDraft& draft) {
  const std::optional<double> factor = ReadDecimal(value);
  if (!factor.has_value() || *factor < 1) return Unexpected(value, want);
  draft.policy.dampening_factor = *factor;
  return absl::OkStatus();
}

std::string WriteDampeningFactor(const priority::Policy& policy) {
  return DecimalText(policy.dampening_factor);
}

}  // namespace priorityd::slurm
