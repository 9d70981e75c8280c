#include "server/grants/domain_grants.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "server/grants/standings.h"

namespace priorityd::grants {

void AddMergedUsers(const std::vector<storage::UserMerge>& merges,
                    std::vector<storage::GrantStanding>* rows) {
  std::map<std::string, std::vector<size_t>> of_user;
  for (size_t i = 0; i < rows->size(); ++i) of_user[(*rows)[i].user_name].push_back(i);
  for (const storage::UserMerge& merge : merges) {
    const auto found = of_user.find(merge.into_user);
    if (found == of_user.end()) continue;
    for (const size_t i : found->second) {
      storage::GrantStanding row = (*rows)[i];
      row.user_name = merge.from_user;
      rows->push_back(std::move(row));
    }
  }
  for (size_t i = 0; i < rows->size(); ++i) (*rows)[i].place = static_cast<int64_t>(i);
}

absl::Status AddDomainGrants(const std::vector<storage::GrantStanding>& rows,
                             const std::string& domain, priority::GrantStandings* standings) {
  auto added = FromRows(rows);
  if (!added.ok()) return added.status();
  for (priority::GrantStanding& standing : *added) {
    standing.domain = domain;
    standings->push_back(std::move(standing));
  }
  return absl::OkStatus();
}

}  // namespace priorityd::grants
