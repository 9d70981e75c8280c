#include "engine/forecast/queued_jobs.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace priorityd::forecast {

template <typename Sums, typename AddTo>
const Sums& QueuedJobs::Continue(Walk<Sums>* walk, const AddTo& add) const {
  Sums sums = walk->sums;
  for (size_t place = walk->seen; place < jobs_.size(); ++place) add(jobs_[place], place, &sums);
  *walk = {jobs_.size(), sums};
  return walk->sums;
}

void QueuedJobs::Remove(size_t place) {
  jobs_[place] = jobs_.back();
  jobs_.pop_back();
  if (all_.seen > place) all_ = {};
  if (larger_.seen > place) larger_ = {};
  absl::erase_if(smaller_, [&](const auto& walk) { return walk.second.seen > place; });
}

QueueSums QueuedJobs::All() {
  return Continue(&all_, [this](const QueuedJob& job, size_t place, QueueSums* sums) {
    sums->cpus += job.cpus;
    sums->work += double{job.cpus} * job.limit;
    sums->expected_work += double{job.cpus} * job.expected;
    sums->widest = std::max<double>(sums->widest, job.cpus);
    if (!sums->oldest.has_value() || job.submit_time < jobs_[*sums->oldest].submit_time) {
      sums->oldest = place;
    }
  });
}

SmallerSums QueuedJobs::NoLargerThan(double cpus, double limit) {
  if (smaller_.size() >= kMostKinds) smaller_.clear();
  const auto add = [=](const QueuedJob& job, size_t, SmallerSums* sums) {
    if (job.cpus > cpus) return;
    ++sums->narrower;
    sums->narrower_cpus += job.cpus;
    if (job.limit > limit) return;
    ++sums->smaller;
    sums->smaller_work += double{job.cpus} * job.limit;
    sums->smaller_expected_work += double{job.cpus} * job.expected;
  };
  return Continue(&smaller_[{cpus, limit}], add);
}

size_t QueuedJobs::LargerThan(double cpus) {
  if (larger_than_ != cpus) larger_ = {};
  larger_than_ = cpus;
  return Continue(&larger_, [=](const QueuedJob& job, size_t, size_t* larger) {
    *larger += job.cpus > cpus ? 1 : 0;
  });
}

}  // namespace priorityd::forecast
