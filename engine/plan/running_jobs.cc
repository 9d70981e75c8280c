#include "engine/plan/running_jobs.h"

#include <utility>

namespace priorityd::plan {
namespace {

// Since when a running job uses its nodes does not matter to a plan. So a profile has one step for
// each end, and free resources at InfinitePast are those beside all running jobs.
constexpr absl::Time kSince = absl::InfinitePast();

}  // namespace

RunningJobs::RunningJobs(const Cluster& cluster) : cluster_(cluster), free_(cluster) {}

void RunningJobs::Start(size_t number, RunningJob job) {
  Run& run = jobs_[number];
  run = {.nodes = job.nodes, .end = job.end};
  run.job = std::move(job);
  if (run.nodes.empty()) unknown_.insert(number);
  is_assumed_ = false;
  Reserve(number, run);
}

void RunningJobs::End(size_t number) {
  const auto run = jobs_.find(number);
  Release(number, run->second);
  unknown_.erase(number);
  is_assumed_ = false;
  jobs_.erase(run);
}

ClusterProfile& RunningJobs::FreeFrom(absl::Time now) {
  if (!is_assumed_) AssumeNodes();
  ExtendOverdue(now);
  return free_;
}

std::optional<size_t> RunningJobs::HolderUntil(absl::Time end, absl::Span<const int> nodes) const {
  for (auto at = ends_.lower_bound({end, 0}); at != ends_.end() && at->first.first == end; ++at) {
    if (Share(nodes, at->second->nodes)) return at->first.second;
  }
  return std::nullopt;
}

void RunningJobs::Reserve(size_t number, Run& run) {
  free_.Reserve(run.job.request, run.job.place, run.nodes, kSince, run.end);
  ends_.emplace(std::pair(run.end, number), &run);
}

void RunningJobs::Release(size_t number, const Run& run) {
  free_.Release(run.job.request, run.job.place, run.nodes, kSince, run.end);
  ends_.erase({run.end, number});
}

void RunningJobs::AssumeNodes() {
  for (const size_t number : unknown_) Release(number, jobs_.find(number)->second);
  for (const size_t number : unknown_) {
    Run& run = jobs_.find(number)->second;
    run.nodes = free_.FirstAt(kSince, run.job.request, run.job.place);
    Reserve(number, run);
  }
  is_assumed_ = true;
}

void RunningJobs::ExtendOverdue(absl::Time now) {
  const absl::Time end = now + kOverdue;
  while (!ends_.empty() && ends_.begin()->first.first < end) {
    const size_t number = ends_.begin()->first.second;
    Run& run = *ends_.begin()->second;
    free_.Reserve(run.job.request, run.job.place, run.nodes, run.end, end);
    ends_.erase(ends_.begin());
    run.end = end;
    ends_.emplace(std::pair(end, number), &run);
  }
}

}  // namespace priorityd::plan
