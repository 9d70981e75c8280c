#include "server/queue/state/job_chunk.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace priorityd::queue {

QueueScale::QueueScale(std::shared_ptr<const priority::Snapshot> of)
    : snapshot(std::move(of)),
      factors(*snapshot),
      tiers(std::make_shared<const priority::StartOrder::Tiers>(snapshot->partitions())) {}

JobChunk::JobChunk(std::shared_ptr<const PackedJobs> jobs, const priority::Snapshot& snapshot,
                   priority::JobTableBuilder& builder)
    : jobs_(std::move(jobs)) {
  std::vector<priority::Job> unpacked;
  unpacked.reserve(jobs_->size());
  for (size_t i = 0; i < jobs_->size(); ++i) unpacked.push_back(jobs_->job(i).job);
  table_ = builder.Build(unpacked);
  demands_ = priority::LimitDemands(snapshot, unpacked, table_);
  if (absl::c_all_of(unpacked, [](const priority::Job& job) { return job.array_tasks == 1; }))
    return;
  for (const priority::Job& job : unpacked) tasks_.push_back(job.array_tasks);
}

}  // namespace priorityd::queue
