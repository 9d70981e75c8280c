// Checks that a policy names only allowed site factor services.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CHECK_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CHECK_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/slurm/words/file_violations.h"
#include "server/site_factor/allowed_services.h"

namespace priorityd::rpc {

// `files`: a slurm.conf, the main file first, or none. INVALID_ARGUMENT (INVALID_FILE) with file
// and line for each PrioritySiteFactorPlugin that is not allowed.
absl::Status CheckSiteFactorPlugin(absl::Span<const slurm::SourceFile> files,
                                   const site_factor::AllowedServices& allowed);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_SITE_FACTOR_CHECK_H_
