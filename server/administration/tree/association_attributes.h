// The attributes of associations and users, in sacctmgr's words.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ATTRIBUTES_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ATTRIBUTES_H_

#include "server/administration/frame/change_list.h"
#include "server/administration/tree/tree_slice.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_user_store.h"

namespace priorityd::administration {

// Its own attributes, as in sacctmgr's tables.
Attributes AttributesOf(const storage::Association& row);
// With `Parent` for an account, for the description of changes.
Attributes WithParent(const TreeSlice& tree, const storage::Association& row);
// Attributes inherited from the associations above it.
Attributes InheritedBy(const TreeSlice& tree, const storage::Association& row);

// DefaultAccount, AdminLevel and Coordinators.
Attributes AttributesOf(const storage::ClusterUser& user);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_ASSOCIATION_ATTRIBUTES_H_
