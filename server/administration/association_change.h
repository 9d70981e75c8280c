// Changes of the association tree: what is planned, read and stored.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_CHANGE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/administration/association_filter.h"
#include "server/administration/association_plan.h"
#include "server/administration/configuration_change.h"
#include "server/administration/setting.h"
#include "server/administration/tree_rights.h"
#include "storage/database.h"

namespace priorityd::administration {

// Each is one transaction that reads no more of the tree than it needs. Usage stays where it is:
// what is deleted leaves its own to the account above it, what moves takes it along. Errors are
// those of MakeChange and of the plan; NOT_FOUND (UNKNOWN_ASSOCIATION) where nothing fits.

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

#endif  // PRIORITYD_SERVER_ADMINISTRATION_ASSOCIATION_CHANGE_H_
