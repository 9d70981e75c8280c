// What an operator should know of the limits in imported files.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LIMIT_FINDINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LIMIT_FINDINGS_H_

#include <string>
#include <vector>

#include "server/administration/site_files.h"
#include "server/priority/policy.h"

namespace priorityd::administration {

// Warnings: how many limits bite though the policy (the one in force after the import) does not say
// so, what is kept and not acted on, by name and number, and QOS whose UsageThreshold is missing.
std::vector<std::string> FindLimits(const SiteFiles& site, const priority::Policy& policy);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LIMIT_FINDINGS_H_
