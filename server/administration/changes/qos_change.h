// Creates, changes and deletes QOS, as sacctmgr does.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGES_QOS_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGES_QOS_CHANGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

using Names = std::vector<std::string>;

// Each is the work of a MakeChange. INVALID_ARGUMENT (INVALID_FIELD) names the field of the
// request: names[0], settings[1].value.

// ALREADY_EXISTS if one exists.
absl::Status CreateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, ChangeList* list);

// RawUsage=0 among the settings resets their usage. NOT_FOUND (UNKNOWN_QOS) if one is missing.
absl::Status UpdateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, absl::Time now,
                       ChangeList* list);

// Also removes them from the lists of associations and of other QOS. An association whose list
// becomes empty inherits from then on. NOT_FOUND as above; FAILED_PRECONDITION (QOS_IS_DEFAULT) if
// one is a default.
absl::Status DeleteQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, absl::Time now, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGES_QOS_CHANGE_H_
