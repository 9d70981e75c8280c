// A cache of parsed policies, so that each stored version is parsed once.
#ifndef PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_
#define PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "storage/configuration/policy_store.h"

namespace priorityd::configuration {

// The key is the text itself, so a hypothetical policy, or one of another database, is never
// confused with a stored one. Thread-safe.
class ParsedPolicies {
 public:
  // Keeps the `capacity` most recently used policies.
  explicit ParsedPolicies(size_t capacity) : capacity_(capacity) {}

  // The parsed files: the same object each time while it is kept. Logs lines that this version
  // cannot read, once for each text. Errors of ParseAcceptedSlurmConf, which are not cached.
  // REQUIRES: files is not empty.
  absl::StatusOr<std::shared_ptr<const slurm::SlurmConf>> Parse(
      const std::vector<storage::PolicyFile>& files) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Policy {
    std::vector<storage::PolicyFile> files;
    std::shared_ptr<const slurm::SlurmConf> conf;
  };

  const size_t capacity_;
  absl::Mutex mutex_;  // Also held while parsing: of two concurrent calls, one parses.
  std::list<Policy> policies_ ABSL_GUARDED_BY(mutex_);  // Most recently used first.
  // Hashes of texts whose lines have been logged.
  absl::flat_hash_set<size_t> logged_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_PARSED_POLICIES_H_
