// The parameters of the service around the priorities: site factors, who may see what and
// how often, how long records are kept, its time. See ReadParameter and WriteParameter.
#ifndef PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_
#define PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_

#include <string>

#include "server/slurm/policy_draft.h"

namespace priorityd::slurm {

absl::Status ReadSiteFactorPlugin(absl::string_view value, absl::string_view want,
                                  PolicyDraft& draft);
std::string WriteSiteFactorPlugin(const priority::Policy& policy);

// Written with the timeout last, if it is not the default.
absl::Status ReadSiteFactorParameters(absl::string_view value, absl::string_view want,
                                      PolicyDraft& draft);
std::string WriteSiteFactorParameters(const priority::Policy& policy);

// Of its words only `usage` and `all` are kept, as `usage`.
absl::Status ReadPrivateData(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePrivateData(const priority::Policy& policy);

// Of its words only rl_enable, rl_bucket_size and rl_refill_rate are kept.
absl::Status ReadSlurmctldParameters(absl::string_view value, absl::string_view want,
                                     PolicyDraft& draft);
std::string WriteSlurmctldParameters(const priority::Policy& policy);

absl::Status ReadPurgeJobAfter(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePurgeJobAfter(const priority::Policy& policy);

// The zone of the machine is written by the name that Abseil gives it.
absl::Status ReadTimeZone(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteTimeZone(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_SERVICE_PARAMETERS_H_
