// Converts the terms of Slurm's files to stored rows.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_TO_STORAGE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_TO_STORAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/reservation.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/reservation_store.h"
#include "storage/database/amount.h"

namespace priorityd::administration {

// In order of names.
std::vector<storage::NamedAmount> ToStorage(const priority::TresMap& tres);
std::optional<double> ToMinutes(const std::optional<absl::Duration>& duration);
storage::Partition ToStorage(int32_t cluster_id, const priority::Partition& partition);
// Without id.
storage::Reservation ToStorage(int32_t cluster_id, const priority::Reservation& reservation);
// Whether the option states the accounts that a user coordinates, an attribute of the user and not
// of an association.
bool IsCoordinatorOption(absl::string_view name);
// Without id and parent_id.
storage::Association ToStorage(int32_t cluster_id, const slurm::DumpAssociation& given);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_TO_STORAGE_H_
