// Parameters of the service: site factors, privacy, rate limits, retention, time. See ReadParameter
// and WriteParameter.
#ifndef PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_
#define PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_

#include <string>

#include "server/slurm/policy_draft.h"

namespace priorityd::slurm {

absl::Status ReadSiteFactorPlugin(absl::string_view value, absl::string_view want,
                                  PolicyDraft& draft);
std::string WriteSiteFactorPlugin(const priority::Policy& policy);

// The timeout is written last, unless it is the default.
absl::Status ReadSiteFactorParameters(absl::string_view value, absl::string_view want,
                                      PolicyDraft& draft);
std::string WriteSiteFactorParameters(const priority::Policy& policy);

// Only `usage` and `all` are stored, as `usage`.
absl::Status ReadPrivateData(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePrivateData(const priority::Policy& policy);

// Only rl_enable, rl_bucket_size and rl_refill_rate are stored.
absl::Status ReadSlurmctldParameters(absl::string_view value, absl::string_view want,
                                     PolicyDraft& draft);
std::string WriteSlurmctldParameters(const priority::Policy& policy);

absl::Status ReadPurgeJobAfter(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePurgeJobAfter(const priority::Policy& policy);

// The time zone of the host is written with Abseil's name for it.
absl::Status ReadTimeZone(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteTimeZone(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_
