// Parameters with numbers: weights and the dampening factor. See ReadParameter and WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_WEIGHT_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_WEIGHT_PARAMETERS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/policy_draft.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::slurm {

// PriorityWeightAge and the other integer weights.
template <uint32_t priority::Policy::*kWeight>
absl::Status ReadWeight(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  const std::optional<uint64_t> weight =
      ReadConfInteger(value, std::numeric_limits<uint32_t>::max());
  if (!weight.has_value()) return Unexpected(value, want);
  draft.policy.*kWeight = static_cast<uint32_t>(*weight);
  return absl::OkStatus();
}
template <uint32_t priority::Policy::*kWeight>
std::string WriteWeight(const priority::Policy& policy) {
  return absl::StrCat(policy.*kWeight);
}

// Written with canonical names, sorted; Policy::weight_tres_text has the original text.
absl::Status ReadWeightTres(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteWeightTres(const priority::Policy& policy);

absl::Status ReadDampeningFactor(absl::string_view value, absl::string_view want,
                                 PolicyDraft& draft);
std::string WriteDampeningFactor(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_WEIGHT_PARAMETERS_H_
