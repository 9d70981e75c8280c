// Reads leases with the rows over which they are folded, and writes what recalculations note.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_READING_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_READING_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/administration/leases/lease_fold.h"
#include "server/administration/leases/lease_values.h"
#include "storage/configuration/lease_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The present rows that `leases` need; nothing is read for no leases.
absl::StatusOr<LeasedRows> ReadLeasedRows(storage::Transaction& transaction, int32_t cluster_id,
                                          absl::Span<const storage::Lease> leases);

// Updates the jobs in `rows` to the present ones among those of `leases`.
absl::Status ReadLeasedJobs(storage::Transaction& transaction, int32_t cluster_id,
                            absl::Span<const storage::Lease> leases, LeasedRows* rows);

// The leased values of these objects at `time`, by object; those without leases are missing.
using ValuesByObject = std::map<std::string, std::vector<LeasedValue>>;
absl::StatusOr<ValuesByObject> ReadLeasedValues(storage::Transaction& transaction,
                                                int32_t cluster_id,
                                                const std::vector<std::string>& objects,
                                                absl::Time time);

// Notes the passages and audits those that were not noted yet: exactly once each, since both are in
// one transaction. Then deletes old leases, and ends `orphans`, the ids of leases of jobs that have
// left the queue: the next recalculation passes these ends.
absl::Status NotePassages(storage::Transaction& transaction, int32_t cluster_id,
                          const std::vector<LeasePassage>& passages,
                          const std::vector<int64_t>& orphans, absl::Time time);

// Deletes leases that ended 400 days before `time`, or were cancelled 30 days before.
absl::Status DeleteOldLeases(storage::Transaction& transaction, int32_t cluster_id,
                             absl::Time time);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASE_READING_H_
