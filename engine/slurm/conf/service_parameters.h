// The parameters of the service around the priorities: site factors, privacy, retention of usage
// records, time zone. See ReadParameter and WriteParameter.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_SERVICE_PARAMETERS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_SERVICE_PARAMETERS_H_

#include <string>

#include "engine/slurm/conf/policy_draft.h"

namespace priorityd::slurm {

// Whether a PrioritySiteFactorPlugin is a plugin of slurmctld's own, which priorityd cannot load.
bool IsSlurmSiteFactor(absl::string_view value);

// Such a plugin is read as none.
absl::Status ReadSiteFactorPlugin(absl::string_view value, absl::string_view want,
                                  PolicyDraft& draft);
std::string WriteSiteFactorPlugin(const priority::Policy& policy);

// The timeout is written last, unless it is the default.
absl::Status ReadSiteFactorParameters(absl::string_view value, absl::string_view want,
                                      PolicyDraft& draft);
std::string WriteSiteFactorParameters(const priority::Policy& policy);

// A word that slurmctld does not know is a loss. Written sorted, `all` as the words it covers.
absl::Status ReadPrivateData(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePrivateData(const priority::Policy& policy);

absl::Status ReadPurgeJobAfter(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WritePurgeJobAfter(const priority::Policy& policy);

// The time zone of the host is written with Abseil's name for it.
absl::Status ReadTimeZone(absl::string_view value, absl::string_view want, PolicyDraft& draft);
std::string WriteTimeZone(const priority::Policy& policy);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_SERVICE_PARAMETERS_H_
