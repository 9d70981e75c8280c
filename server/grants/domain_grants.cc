#include "server/grants/domain_grants.h"

#include <utility>

#include "server/grants/standings.h"

namespace priorityd::grants {

void AddDomainGrants(const std::vector<storage::GrantStanding>& rows, const std::string& domain,
                     std::vector<priority::GrantStanding>* standings) {
  std::vector<priority::GrantStanding> added = FromRows(rows);
  for (priority::GrantStanding& standing : added) {
    standing.domain = domain;
    standings->push_back(std::move(standing));
  }
}

}  // namespace priorityd::grants
