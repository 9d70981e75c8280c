#include "server/queue/state/job_memory.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"

namespace priorityd::queue {
namespace {

// Of a job with one pair and short texts, as measured.
constexpr size_t kJobBytes = 330;
// The columns of a further pair, with its previous priority.
constexpr size_t kPairBytes = 200;
// An entry of the index by ids in dependencies, and `afternotok:` and `(unfulfilled)` of the id in
// unmet_dependency.
constexpr size_t kDependencyIdBytes = 224;
// A count, and what packing adds to a name.
constexpr size_t kCountBytes = 16;

template <typename Names>
size_t BytesOfNames(const Names& names) {
  size_t bytes = 0;
  for (const absl::string_view name : names) bytes += name.size() + kCountBytes;
  return bytes;
}

size_t PairsOf(const priority::Job& job) {
  return std::max<size_t>(1, job.partitions.size()) * std::max<size_t>(1, job.qos.size());
}

// The entries of the index; a task has one for its array as well.
size_t EntriesOf(absl::string_view dependency) {
  return absl::c_count_if(dependency, [](char c) { return c == ':' || c == ',' || c == '_'; });
}

size_t BytesOfDependency(const TrackedJob& job) {
  if (job.dependency.empty()) return 0;
  // The expression, its unmet part, and the keys of the index.
  const size_t texts = 3 * job.dependency.size();
  if (job.ended()) return texts;
  return texts + std::max<size_t>(1, EntriesOf(job.dependency)) *
                     (kDependencyIdBytes + job.job.job_id.size());
}

}  // namespace

size_t MemoryOf(const TrackedJob& job) {
  size_t bytes = kJobBytes + (PairsOf(job.job) - 1) * kPairBytes;
  // Also as keys of the indices of the queue.
  bytes += 3 * (job.job.job_id.size() + job.name.size() + job.array_job_id.size());
  for (const absl::string_view text : {job.job.user, job.job.account, job.job.node_list,
                                       job.job.reservation, job.source, job.array_task_ids}) {
    bytes += text.size();
  }
  bytes += BytesOfNames(job.job.partitions) + BytesOfNames(job.job.qos);
  for (const auto& [name, count] : job.job.tres) bytes += name.size() + kCountBytes;
  return bytes + BytesOfDependency(job);
}

}  // namespace priorityd::queue
