#include "server/administration/settings/newest_policy.h"

#include <utility>

#include "storage/configuration/policy_store.h"

namespace priorityd::administration {

absl::StatusOr<std::vector<slurm::SourceFile>> NewestPolicyFiles(storage::Transaction& transaction,
                                                                 int32_t cluster_id) {
  auto policy = storage::PolicyStore(transaction).Newest(cluster_id);
  if (!policy.ok()) return policy.status();
  std::vector<slurm::SourceFile> files;
  if (policy->has_value()) {
    for (storage::PolicyFile& file : (*policy)->files) {
      files.push_back({std::move(file.name), std::move(file.content)});
    }
  }
  if (files.empty()) files.push_back({"slurm.conf", ""});
  return files;
}

}  // namespace priorityd::administration
