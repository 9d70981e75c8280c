// The standings of usage domains' grants in the members.
#ifndef STORAGE_GRANTS_DOMAIN_GRANT_STORE_H_
#define STORAGE_GRANTS_DOMAIN_GRANT_STORE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"
#include "storage/grants/usage_pool_store.h"

namespace priorityd::storage {

// All lists are by place.
class DomainGrantStore {
 public:
  explicit DomainGrantStore(Transaction& transaction) : transaction_(transaction) {}

  // By the places of the domain: the standings of its newest snapshot whose `used` reaches
  // `available`, to 1e-9. Without those that have no consequence, and those of coordinators, whose
  // accounts may be others' in members.
  absl::StatusOr<std::vector<GrantStanding>> ListUsedUp(int32_t domain_id);

  // The standings of the domain's grants in the newest snapshot of a member.
  absl::StatusOr<std::vector<GrantStanding>> List(int32_t cluster_id);
  // Replaces `present`, which are all that List would return, by `standings`; writes only those
  // that differ.
  absl::Status Replace(int32_t cluster_id, const std::vector<GrantStanding>& present,
                       const std::vector<GrantStanding>& standings);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_GRANTS_DOMAIN_GRANT_STORE_H_
