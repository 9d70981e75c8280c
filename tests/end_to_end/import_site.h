// A small site for a server that a test has started.
#ifndef PRIORITYD_TESTS_END_TO_END_IMPORT_SITE_H_
#define PRIORITYD_TESTS_END_TO_END_IMPORT_SITE_H_

#include <string>

#include "priority/v1/admin_service.grpc.pb.h"

namespace priorityd {

// Imports a slurm.conf and what `sacctmgr dump` wrote; the test fails if it is refused.
void ImportSite(::priority::v1::AdminService::Stub& admin, const std::string& slurm_conf,
                const std::string& dump);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_END_TO_END_IMPORT_SITE_H_
