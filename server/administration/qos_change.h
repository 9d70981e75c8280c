// Creates, changes and deletes QOS, as sacctmgr does.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_QOS_CHANGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_QOS_CHANGE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/administration/change_list.h"
#include "server/administration/setting.h"
#include "storage/cluster_store.h"
#include "storage/transaction.h"

namespace priorityd::administration {

using Names = std::vector<std::string>;

// Each is the work of a MakeChange. INVALID_ARGUMENT (INVALID_FIELD) names the field of the
// request: names[0], settings[1].value.

// ALREADY_EXISTS where one is there.
absl::Status CreateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, ChangeList* list);

// RawUsage=0 among the settings resets what jobs under them used. NOT_FOUND (UNKNOWN_QOS) where
// one is not there.
absl::Status UpdateQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, const std::vector<Setting>& settings, absl::Time now,
                       ChangeList* list);

// Takes them off the lists of associations and of other QOS. What an association's list had
// nothing else of, it inherits from then on. NOT_FOUND as above; FAILED_PRECONDITION
// (QOS_IS_DEFAULT) where one is a default.
absl::Status DeleteQos(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const Names& names, absl::Time now, ChangeList* list);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_QOS_CHANGE_H_
