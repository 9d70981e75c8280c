// Creates, changes and deletes partitions, as scontrol does.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_PARTITION_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_PARTITION_CHANGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/partition_settings.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Each is the work of a MakeChange. INVALID_ARGUMENT (INVALID_FIELD) names the field of the
// request: names[0], settings[1].value. NOT_FOUND (UNKNOWN_PARTITION) for a missing partition,
// unless `create`, which creates it. Of several defaults, the last named one wins. `Nodes` are
// nodes of the policy's NodeName lines.
absl::Status UpdatePartitions(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const std::vector<std::string>& names,
                              const std::vector<Setting>& settings, bool create, ChangeList* list);

absl::Status DeletePartitions(storage::Transaction& transaction, const storage::Cluster& cluster,
                              const std::vector<std::string>& names, absl::Time now,
                              ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_PARTITION_CHANGE_H_
