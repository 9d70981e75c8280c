// The grants of a usage domain in its members.
#ifndef PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
#define PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_

#include <string>
#include <vector>

#include "engine/priority/site/grant_standing.h"
#include "storage/usage_pool_store.h"

namespace priorityd::grants {

// Appends those of the domain to what the member's own grants leave.
void AddDomainGrants(const std::vector<storage::GrantStanding>& rows, const std::string& domain,
                     std::vector<priority::GrantStanding>* standings);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
