// Clusters that join and leave usage domains.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_DOMAIN_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_DOMAIN_CHANGE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/tres.h"
#include "server/administration/frame/change_list.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

struct DomainUpdate {
  std::vector<std::string> join;
  priority::TresMap prices;  // Of those that join; canonical names, finite, at least 0.
  std::vector<std::string> leave;
};

// The IDs of the clusters that it names. NOT_FOUND (UNKNOWN_CLUSTER).
absl::StatusOr<std::set<int32_t>> ClustersOf(storage::Transaction& transaction,
                                             const DomainUpdate& update);

// Makes clusters join the domain, or join it again, and members leave it; records the changes.
// Clusters that join get the domain's merges of users (TakeOverMerges), and those that leave lose
// them. Warns of associations that the domain lacks, and of priced TRES that a member lacks.
// NOT_FOUND (UNKNOWN_CLUSTER). FAILED_PRECONDITION: DOMAIN_NESTED for the domain itself, a member
// as domain or a domain as member; OTHER_DOMAIN for a member of another domain; COUNTED_ALREADY for
// one of which the domain counts records under another id; NOT_A_MEMBER for one that leaves;
// CLUSTER_MOVES for one that is moving to another cell; errors of TakeOverMerges. REQUIRES: the
// domain and ClustersOf(update) are locked.
absl::Status UpdateDomain(storage::Transaction& transaction, const storage::Cluster& domain,
                          const DomainUpdate& update, ChangeList* list);

// FAILED_PRECONDITION (IN_DOMAIN) if the cluster is a usage domain or a member, or was the domain
// of a cluster that was not recalculated since: it must not be deleted or move to another cell
// then. `field`: the request's name of the cluster.
absl::Status CheckNoDomain(storage::Transaction& transaction, const storage::Cluster& cluster,
                           absl::string_view field);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_DOMAIN_CHANGE_H_
