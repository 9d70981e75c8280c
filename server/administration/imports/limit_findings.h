// Warnings about the limits in imported files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LIMIT_FINDINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LIMIT_FINDINGS_H_

#include <string>
#include <vector>

#include "engine/priority/site/policy.h"
#include "server/administration/imports/site_files.h"

namespace priorityd::administration {

// Warns of limits that are enforced although the policy in force after the import does not say so,
// of AllowGroups, and of QOS without their UsageThreshold.
std::vector<std::string> FindLimits(const SiteFiles& site, const priority::Policy& policy);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_LIMIT_FINDINGS_H_
