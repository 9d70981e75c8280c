// A chunk of a few hundred tracked jobs: packed, and as columns ready for ranking.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_JOB_CHUNK_H_
#define PRIORITYD_SERVER_QUEUE_STATE_JOB_CHUNK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/limit_check.h"
#include "engine/priority/ranking/start_order.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/chunk_summary.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Packed jobs, one after another.
class PackedJobs {
 public:
  void Add(absl::string_view packed) {
    bytes_.append(packed.data(), packed.size());
    begin_.push_back(static_cast<uint32_t>(bytes_.size()));
  }
  void ShrinkToFit() {
    bytes_.shrink_to_fit();
    begin_.shrink_to_fit();
  }

  size_t size() const { return begin_.size() - 1; }
  absl::string_view packed(size_t i) const {
    return absl::string_view(bytes_).substr(begin_[i], begin_[i + 1] - begin_[i]);
  }
  TrackedJob job(size_t i) const { return UnpackJob(packed(i)); }

 private:
  std::string bytes_;
  std::vector<uint32_t> begin_ = {0};
};

// A snapshot with data derived from it for every chunk. Immutable.
struct QueueScale {
  explicit QueueScale(std::shared_ptr<const priority::Snapshot> of);

  std::shared_ptr<const priority::Snapshot> snapshot;
  priority::FactorScale factors;
  std::shared_ptr<const priority::StartOrder::Tiers> tiers;
  BoundMoments moments;
};

// Immutable. Chunks of the same jobs for different snapshots share the packed jobs.
class JobChunk {
 public:
  // `builder` belongs to the same snapshot.
  JobChunk(std::shared_ptr<const PackedJobs> jobs, const QueueScale& scale,
           priority::JobTableBuilder& builder);

  const std::shared_ptr<const PackedJobs>& jobs() const { return jobs_; }
  size_t size() const { return jobs_->size(); }
  // As stored.
  TrackedJob job(size_t i) const { return jobs_->job(i); }
  // As ranked: with the nice value that a lease gives it.
  priority::Job ranked_job(size_t i) const;
  // Without limits on usage or accrual, which depend on the whole queue.
  const priority::JobTable& table() const { return table_; }
  const priority::LimitDemands& demands() const { return demands_; }
  const ChunkDigest& digest() const { return digest_; }
  // The number of jobs as which entry i counts.
  uint32_t tasks(size_t i) const { return tasks_.empty() ? 1 : tasks_[i]; }

 private:
  JobChunk(std::shared_ptr<const PackedJobs> jobs, const std::vector<priority::Job>& unpacked,
           const QueueScale& scale, priority::JobTableBuilder& builder);

  std::shared_ptr<const PackedJobs> jobs_;
  priority::JobTable table_;
  priority::LimitDemands demands_;
  ChunkDigest digest_;
  std::vector<uint32_t> tasks_;  // Empty = one each.
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_JOB_CHUNK_H_
