// Plans the changes of association rows for an operator's request, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_PLAN_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_PLAN_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/tree/tree_rights.h"
#include "server/administration/tree/tree_settings.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"

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

// The stored state that a plan needs.
struct TreeState {
  int32_t cluster_id = 0;
  TreeSlice tree;
  UsersByName users;
  std::set<std::string> qos;  // Of the cluster.
};

// The rows to store. Users are inserted or overwritten.
struct TreePlan {
  std::vector<storage::Association> inserts;
  std::vector<storage::Association> updates;
  std::vector<int64_t> deletions;
  std::vector<storage::ClusterUser> users;
  std::vector<std::string> gone_users;
};

// Each plan records its changes in `list` and checks the rights to them. Errors: INVALID_ARGUMENT
// names the field; ALREADY_EXISTS; FAILED_PRECONDITION names the obstacle; PERMISSION_DENIED.

// The maximum number of ids that PlanCreation uses.
int64_t CountNew(const TreeSlice& tree, const Creation& creation);

// `ids` ascend. `state` contains the named associations, their future parents, the users and, if a
// default account is set, their associations with it.
absl::StatusOr<TreePlan> PlanCreation(TreeState state, const Creation& creation,
                                      const TreeSettings& settings, const TreeRights& rights,
                                      absl::Span<const int64_t> ids, ChangeList* list);

// Updates the associations `ids`. `state` also contains the new parent and, if QOS or the parent
// change, everything below them.
absl::StatusOr<TreePlan> PlanUpdate(const TreeState& state, const std::vector<int64_t>& ids,
                                    const TreeSettings& settings, const TreeRights& rights,
                                    ChangeList* list);

// `before`, which is in `tree`, with the settings; name, id and parent stay. INVALID_ARGUMENT.
absl::StatusOr<storage::Association> WithWords(const TreeSlice& tree,
                                               const storage::Association& before,
                                               const TreeSettings& settings);

// INVALID_ARGUMENT if a QOS in the settings does not exist.
absl::Status CheckQosNames(const TreeSettings& settings, const std::set<std::string>& qos);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_PLAN_H_
