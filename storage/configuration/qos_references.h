// Finds rows of a cluster that name a QOS.
#ifndef STORAGE_CONFIGURATION_QOS_REFERENCES_H_
#define STORAGE_CONFIGURATION_QOS_REFERENCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/configuration/association_store.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

class QosReferences {
 public:
  explicit QosReferences(Transaction& transaction) : transaction_(transaction) {}

  // Associations, not deleted, that list one of these QOS or have one as their default; by id.
  absl::StatusOr<std::vector<Association>> Associations(int32_t cluster_id,
                                                        const std::vector<std::string>& names);

  // Tracked jobs that have not ended and name one of them; of partitions the same.
  absl::StatusOr<int64_t> CountJobs(int32_t cluster_id, const std::vector<std::string>& names);
  absl::StatusOr<int64_t> CountJobsOfPartitions(int32_t cluster_id,
                                                const std::vector<std::string>& names);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_QOS_REFERENCES_H_
