// QOS as stored, in sacctmgr's words and back.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_QOS_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_QOS_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/change_list.h"
#include "server/administration/setting.h"
#include "storage/qos_store.h"

namespace priorityd::administration {

// What is set of it.
Attributes AttributesOf(const storage::Qos& qos);

// Sets what `settings` say, one after the other; RawUsage=0 among them sets `resets_usage`, where
// that is not null. INVALID_ARGUMENT (INVALID_FIELD) with the fields `settings[0].name`,
// `.operator` and `.value`.
absl::Status ApplySettings(const std::vector<Setting>& settings, storage::Qos* qos,
                           bool* resets_usage = nullptr);

// INVALID_ARGUMENT where one of `names` among `all` can preempt what is not there, or by any number
// of steps itself.
absl::Status CheckPreempt(const std::vector<storage::Qos>& all,
                          const std::vector<std::string>& names);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_QOS_SETTINGS_H_
