#include "client/examples/batch_frontend/easy_backfill.h"

#include <algorithm>
#include <utility>

namespace priorityd::batch_frontend {
namespace {

// One run of the planner.
class Planner {
 public:
  Planner(const ClusterMoment& moment, absl::Span<const WaitingJob> ranked)
      : now_(moment.now), free_(moment.free), running_(moment.running), ranked_(ranked) {}

  Schedule Plan(bool backfill) {
    const size_t next = RunMainLoop();
    if (backfill && schedule_.reservation.has_value()) Backfill(next);
    return std::move(schedule_);
  }

 private:
  // Ends behind the job that was given the reservation; returns the next place.
  size_t RunMainLoop() {
    for (size_t job = 0; job < ranked_.size(); ++job) {
      if (auto allocation = FirstFit(free_, ranked_[job].request)) {
        Start(job, *std::move(allocation), false);
      } else if (Reserve(job)) {
        return job + 1;
      }
    }
    return ranked_.size();
  }

  // False if the job fits at no time.
  bool Reserve(size_t job) {
    std::sort(running_.begin(), running_.end(),
              [](const RunningJob& a, const RunningJob& b) { return a.latest_end < b.latest_end; });
    spare_ = free_;
    for (size_t i = 0; i < running_.size(); ++i) {
      Release(running_[i].allocation, &spare_);
      const absl::Time end = running_[i].latest_end;
      if (i + 1 < running_.size() && running_[i + 1].latest_end == end) continue;
      auto allocation = FirstFit(spare_, ranked_[job].request);
      if (!allocation) continue;
      Take(*allocation, &spare_);
      schedule_.reservation = Reservation{job, end, *std::move(allocation)};
      return true;
    }
    return false;
  }

  void Backfill(size_t next) {
    const absl::Time shadow_time = schedule_.reservation->shadow_time;
    for (size_t job = next; job < ranked_.size(); ++job) {
      const bool ends_in_time = now_ + ranked_[job].time_limit <= shadow_time;
      auto allocation = FirstFit(ends_in_time ? free_ : FreeForLong(), ranked_[job].request);
      if (!allocation) continue;
      if (!ends_in_time) Take(*allocation, &spare_);
      Start(job, *std::move(allocation), true);
    }
  }

  // Free now, and not needed at the shadow time.
  FreeCpus FreeForLong() const {
    FreeCpus both = free_;
    for (size_t node = 0; node < both.size(); ++node) {
      both[node] = std::min(both[node], spare_[node]);
    }
    return both;
  }

  void Start(size_t job, Allocation allocation, bool backfilled) {
    Take(allocation, &free_);
    running_.push_back({allocation, now_ + ranked_[job].time_limit});
    schedule_.starts.push_back({job, std::move(allocation), backfilled});
  }

  const absl::Time now_;
  FreeCpus free_;
  FreeCpus spare_;  // Free at the shadow time besides the reservation.
  std::vector<RunningJob> running_;
  const absl::Span<const WaitingJob> ranked_;
  Schedule schedule_;
};

}  // namespace

Schedule PlanEasyBackfill(const ClusterMoment& moment, absl::Span<const WaitingJob> ranked,
                          bool backfill) {
  return Planner(moment, ranked).Plan(backfill);
}

}  // namespace priorityd::batch_frontend
