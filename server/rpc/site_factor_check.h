// Checks that a policy names only allowed site factor services.
#ifndef PRIORITYD_SERVER_RPC_SITE_FACTOR_CHECK_H_
#define PRIORITYD_SERVER_RPC_SITE_FACTOR_CHECK_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "server/site_factor/allowed_services.h"
#include "server/slurm/file_violations.h"

namespace priorityd::rpc {

// `files`: a slurm.conf, the main file first, or none. INVALID_ARGUMENT (INVALID_FILE) with file
// and line for each PrioritySiteFactorPlugin that is not allowed.
absl::Status CheckSiteFactorPlugin(absl::Span<const slurm::SourceFile> files,
                                   const site_factor::AllowedServices& allowed);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_SITE_FACTOR_CHECK_H_
