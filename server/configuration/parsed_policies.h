// Policies as parsed, kept so that each stored version is parsed once.
#ifndef PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_
#define PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/slurm/slurm_conf.h"
#include "storage/policy_store.h"

namespace priorityd::configuration {

// The key is the text itself, so a policy that is only supposed, or one of another
// database, never stands for a stored one. Thread-safe.
class ParsedPolicies {
 public:
  // Keeps the `capacity` policies that were used last.
  explicit ParsedPolicies(size_t capacity) : capacity_(capacity) {}

  // What the files say: the same object each time while it is kept. What this program
  // cannot read of them is logged. The errors of ParseAcceptedSlurmConf, which are not
  // kept. REQUIRES: files is not empty.
  absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> Parse(
      const std::vector<storage::PolicyFile>& files) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Policy {
    std::vector<storage::PolicyFile> files;
    std::shared_ptr<const slurm::SlurmConf> conf;
  };

  const size_t capacity_;
  absl::Mutex mutex_;  // Also held while parsing: of two who ask at once one parses.
  std::list<Policy> policies_ ABSL_GUARDED_BY(mutex_);  // The last used first.
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_
