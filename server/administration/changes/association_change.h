// Changes of the association tree: reads, plans and stores them.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ASSOCIATION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ASSOCIATION_CHANGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/settings/setting.h"
#include "server/administration/tree/association_filter.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/tree_rights.h"
#include "storage/database/database.h"

namespace priorityd::administration {

// Each is one transaction that reads only the required part of the tree. A deleted association
// leaves its usage to the account above it, a moved one keeps it. Errors of MakeChange and of the
// plan; NOT_FOUND (UNKNOWN_ASSOCIATION) if nothing matches.

absl::StatusOr<ChangeResult> CreateAssociations(storage::Database& database,
                                                const ChangeFrame& frame, const Creation& creation,
                                                const std::vector<Setting>& settings,
                                                const TreeRights& rights);

absl::StatusOr<ChangeResult> UpdateAssociations(storage::Database& database,
                                                const ChangeFrame& frame,
                                                const AssociationFilter& where,
                                                const std::vector<Setting>& settings,
                                                const TreeRights& rights);

absl::StatusOr<ChangeResult> DeleteAssociations(storage::Database& database,
                                                const ChangeFrame& frame,
                                                const AssociationFilter& where,
                                                const TreeRights& rights);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_ASSOCIATION_CHANGE_H_
