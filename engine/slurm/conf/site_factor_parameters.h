// PrioritySiteFactorParameters.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_SITE_FACTOR_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_SITE_FACTOR_PARAMETERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::slurm {

struct SiteFactorParameters {
  absl::Duration timeout = absl::Seconds(5);  // Of one call; above 0, at most 300 s.
  std::string for_service;                    // The text without its timeout.
};

// Words joined by `,`: at most one `timeout=SECONDS` (a decimal number with an optional suffix `s`,
// case-insensitive); all other words, in their order, are for the service. INVALID_ARGUMENT for an
// invalid timeout.
absl::StatusOr<SiteFactorParameters> ParseSiteFactorParameters(absl::string_view text);

// The text of `parameters`, with the timeout last unless it is 5 seconds.
std::string FormatSiteFactorParameters(const SiteFactorParameters& parameters);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_SITE_FACTOR_PARAMETERS_H_
