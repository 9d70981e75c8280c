// Creates, changes and deletes reservations, as scontrol does.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_RESERVATION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_RESERVATION_CHANGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/reservation_settings.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The reservations of a cluster that have not ended, and the nodes that they name together.
inline constexpr size_t kMaxReservations = 1000;
inline constexpr size_t kMaxReservedNodesOfCluster = 200'000;

// Each is the work of a MakeChange. INVALID_ARGUMENT (INVALID_FIELD) names the field of the
// request: names[0], settings[1].value. NOT_FOUND (UNKNOWN_RESERVATION) for a missing one, unless
// `create`, which creates it and deletes those that have ended.
//
// FAILED_PRECONDITION in Slurm's words: (RESERVATION_OVERLAP) nodes and time of another one, unless
// one of the two has MAINT or OVERLAP; (NODES_BUSY) nodes on which a tracked job runs until then,
// unless it has IGNORE_JOBS; (TOO_MANY_RESERVATIONS). Nodes are checked against the policy's
// NodeName lines, if it has some. New users and accounts without an association are warnings.
absl::Status UpdateReservations(storage::Transaction& transaction, const storage::Cluster& cluster,
                                const std::vector<std::string>& names,
                                const std::vector<Setting>& settings, bool create, absl::Time now,
                                ChangeList* list);

// FAILED_PRECONDITION (RESERVATION_IN_USE) while a tracked job that has not ended names one.
absl::Status DeleteReservations(storage::Transaction& transaction, const storage::Cluster& cluster,
                                const std::vector<std::string>& names, absl::Time now,
                                ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_RESERVATION_CHANGE_H_
