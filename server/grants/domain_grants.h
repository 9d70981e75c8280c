// The grants of a usage domain in its members.
#ifndef PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
#define PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/priority/site/grant_standings.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/grants/usage_pool_store.h"

namespace priorityd::grants {

// Appends rows for the users who are merged into a user of the domain: the standings of that user
// hold for them too. Numbers all places from 0 on.
void AddMergedUsers(const std::vector<storage::UserMerge>& merges,
                    std::vector<storage::GrantStanding>* rows);

// Appends the standings of the domain's grants to those of the member's own. Errors of FromRows,
// with which it appends none.
absl::Status AddDomainGrants(const std::vector<storage::GrantStanding>& rows,
                             const std::string& domain, priority::GrantStandings* standings);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_DOMAIN_GRANTS_H_
