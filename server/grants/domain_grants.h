// The grants of a usage domain in its members.
#ifndef PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
#define PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/priority/site/grant_standings.h"
#include "storage/usage_pool_store.h"
#include "storage/user_merge_store.h"

namespace priorityd::grants {

// What holds for a user of the domain holds for those who are merged into the user there: appends
// rows for them, and numbers all places from 0 on.
void AddMergedUsers(const std::vector<storage::UserMerge>& merges,
                    std::vector<storage::GrantStanding>* rows);

// Appends those of the domain to what the member's own grants leave; errors of FromRows, without
// any of them.
absl::Status AddDomainGrants(const std::vector<storage::GrantStanding>& rows,
                             const std::string& domain, priority::GrantStandings* standings);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
