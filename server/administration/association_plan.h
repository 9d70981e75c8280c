// What becomes of the rows of a tree by what an operator asks for: no I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_PLAN_H_
#define PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_PLAN_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/administration/change_list.h"
#include "server/administration/tree_rights.h"
#include "server/administration/tree_settings.h"
#include "server/administration/tree_slice.h"
#include "storage/association_store.h"
#include "storage/cluster_user_store.h"

namespace priorityd::administration {

struct NewAssociation {
  std::string account;
  std::string user;
  std::string partition;
  std::string parent_account;  // Empty = root.
};

struct Creation {
  std::vector<NewAssociation> associations;
  bool allow_existing = false;
};

using UsersByName = std::map<std::string, storage::ClusterUser>;

// What is stored, as far as a plan reads it.
struct TreeState {
  int32_t cluster_id = 0;
  TreeSlice tree;
  UsersByName users;
  std::set<std::string> qos;  // Of the cluster.
};

// What is to be stored. Users are inserted or overwritten.
struct TreePlan {
  std::vector<storage::Association> inserts;
  std::vector<storage::Association> updates;
  std::vector<int64_t> deletions;
  std::vector<storage::ClusterUser> users;
  std::vector<std::string> gone_users;
};

// Each puts what it plans into `list`, and checks the rights to it. Errors: INVALID_ARGUMENT names
// the field; ALREADY_EXISTS; FAILED_PRECONDITION names what stands in the way; PERMISSION_DENIED.

// How many ids PlanCreation takes at most.
int64_t CountNew(const TreeSlice& tree, const Creation& creation);

// `ids` ascend. `state` has what is named, what is to be above it, the users and, where a default
// account is set, their associations with it.
absl::StatusOr<TreePlan> PlanCreation(TreeState state, const Creation& creation,
                                      const TreeSettings& settings, const TreeRights& rights,
                                      absl::Span<const int64_t> ids, ChangeList* list);

// Of the associations `ids`. `state` has the new parent too, and where QOS or a parent change all
// below them.
absl::StatusOr<TreePlan> PlanUpdate(const TreeState& state, const std::vector<int64_t>& ids,
                                    const TreeSettings& settings, const TreeRights& rights,
                                    ChangeList* list);

// INVALID_ARGUMENT for a QOS that is set and not there.
absl::Status CheckQosNames(const TreeSettings& settings, const std::set<std::string>& qos);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_PLAN_H_
