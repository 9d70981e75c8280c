// Imports QOS from `sacctmgr show qos`.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_QOS_IMPORT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_QOS_IMPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/slurm/dump/qos_table.h"
#include "server/administration/frame/reconciliation.h"
#include "server/administration/imports/import_audit.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// Imports the columns of the table; others stay unchanged, or have their defaults in a new QOS.
// Records each change in `audit`.
absl::StatusOr<Counts> ImportQos(storage::Transaction& transaction, int32_t cluster_id,
                                 const slurm::QosTable& table, bool clean, absl::Time now,
                                 ImportAudit* audit);

// Creates the missing ones of `names` with default attributes. Returns the created names, sorted.
absl::StatusOr<std::vector<std::string>> CreateMissingQos(storage::Transaction& transaction,
                                                          int32_t cluster_id,
                                                          std::vector<std::string> names,
                                                          ImportAudit* audit);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_QOS_IMPORT_H_
