// The jobs of a tracked queue that have ended.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_ENDED_JOBS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_ENDED_JOBS_H_

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::queue {

// Packed jobs by job_id. A copy costs little: copies share all parts that have not changed since.
// Thread-compatible; each copy belongs to one thread or is constant.
class EndedJobs {
 public:
  // (job_id, packed job); an empty job is removed. Each job_id at most once.
  using Change = std::pair<absl::string_view, absl::string_view>;
  void Apply(absl::Span<const Change> changes);

  size_t size() const { return size_; }
  // Empty = none; valid until the next change.
  absl::string_view Find(absl::string_view job_id) const;
  void ForEach(absl::FunctionRef<void(absl::string_view packed)> visit) const;

 private:
  // A change copies the parts of its jobs.
  static constexpr size_t kParts = 64;
  using Part = absl::flat_hash_map<std::string, std::string>;

  static size_t PartOf(absl::string_view job_id);

  std::array<std::shared_ptr<const Part>, kParts> parts_;  // Null = empty.
  size_t size_ = 0;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_ENDED_JOBS_H_
