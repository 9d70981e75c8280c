// What is set of an association, in sacctmgr's words.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_ATTRIBUTES_H_
#define PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_ATTRIBUTES_H_

#include "server/administration/change_list.h"
#include "server/administration/tree_slice.h"
#include "storage/association_store.h"
#include "storage/cluster_user_store.h"

namespace priorityd::administration {

// Of itself, as sacctmgr's tables show it.
Attributes AttributesOf(const storage::Association& row);
// With `Parent` where it is an account: what changes of it.
Attributes WithParent(const TreeSlice& tree, const storage::Association& row);
// What holds for it besides, since something above has it set.
Attributes InheritedBy(const TreeSlice& tree, const storage::Association& row);

// DefaultAccount, AdminLevel and Coordinators.
Attributes AttributesOf(const storage::ClusterUser& user);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_ATTRIBUTES_H_
