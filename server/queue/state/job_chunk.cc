#include "server/queue/state/job_chunk.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace priorityd::queue {
namespace {

// With leases of the snapshot.
std::vector<priority::Job> Unpack(const PackedJobs& jobs, const priority::Snapshot& snapshot) {
  std::vector<priority::Job> unpacked;
  unpacked.reserve(jobs.size());
  for (size_t i = 0; i < jobs.size(); ++i) {
    priority::Job& job = unpacked.emplace_back(jobs.job(i).job);
    const priority::LeasedNice* leased = snapshot.FindLeasedNice(job.job_id);
    if (leased != nullptr) job.nice = leased->nice;
  }
  return unpacked;
}

}  // namespace

QueueScale::QueueScale(std::shared_ptr<const priority::Snapshot> of)
    : snapshot(std::move(of)),
      factors(*snapshot),
      tiers(std::make_shared<const priority::StartOrder::Tiers>(snapshot->partitions())),
      moments(snapshot->computed_at(), snapshot->policy()) {}

JobChunk::JobChunk(std::shared_ptr<const PackedJobs> jobs, const QueueScale& scale,
                   priority::JobTableBuilder& builder)
    : JobChunk(jobs, Unpack(*jobs, *scale.snapshot), scale, builder) {}

JobChunk::JobChunk(std::shared_ptr<const PackedJobs> jobs,
                   const std::vector<priority::Job>& unpacked, const QueueScale& scale,
                   priority::JobTableBuilder& builder)
    : jobs_(std::move(jobs)),
      table_(builder.Build(unpacked)),
      demands_(*scale.snapshot, unpacked, table_),
      digest_(unpacked, table_, scale.factors, *scale.tiers, scale.moments,
              scale.snapshot->computed_at()) {
  if (absl::c_all_of(unpacked, [](const priority::Job& job) { return job.array_tasks == 1; }))
    return;
  for (const priority::Job& job : unpacked) tasks_.push_back(job.array_tasks);
}

priority::Job JobChunk::ranked_job(size_t i) const {
  priority::Job ranked = job(i).job;
  const uint32_t row = table_.first_row[i];
  if (row < table_.first_row[i + 1]) ranked.nice = table_.nice[row];
  return ranked;
}

}  // namespace priorityd::queue
