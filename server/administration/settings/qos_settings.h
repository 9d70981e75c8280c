// Converts between stored QOS and sacctmgr's words.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_QOS_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_QOS_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "engine/slurm/dump/qos_table.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::administration {

// As a row of a table of sacctmgr.
slurm::QosRow RowOf(const storage::Qos& qos);

// Its settings.
Attributes AttributesOf(const storage::Qos& qos);

// Applies `settings` in order; RawUsage=0 among them sets `resets_usage` if that is not null.
// INVALID_ARGUMENT (INVALID_FIELD) with the fields `settings[0].name`, `.operator` and `.value`.
absl::Status ApplySettings(const std::vector<Setting>& settings, storage::Qos* qos,
                           bool* resets_usage = nullptr);

// INVALID_ARGUMENT if one of `names` among `all` can preempt a missing QOS, or itself, directly or
// indirectly.
absl::Status CheckPreempt(const std::vector<storage::Qos>& all,
                          const std::vector<std::string>& names);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_QOS_SETTINGS_H_
