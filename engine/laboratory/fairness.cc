#include "engine/laboratory/fairness.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "engine/priority/fair_share/usage_decay.h"

namespace priorityd::laboratory {
namespace {

priority::UsageDecay DecayOf(absl::Duration half_life) {
  const priority::HalfLifeChange always[] = {{absl::InfinitePast(), half_life}};
  return priority::UsageDecay(always, {});
}

// Walks through a schedule in order of time.
class Sampler {
 public:
  Sampler(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
          absl::Duration half_life)
      : jobs_(jobs), decay_(DecayOf(half_life)), due_(DueShares(*site.tree)) {
    for (size_t job = 0; job < jobs.size(); ++job) {
      association_.push_back(AssociationOf(site, jobs[job]));
      if (association_[job] < 0) continue;
      arrivals_.push_back(job);
      if (schedule.starts[job].has_value()) starts_.emplace_back(*schedule.starts[job], job);
    }
    std::sort(starts_.begin(), starts_.end());
    usage_.assign(site.tree->size(), 0);
    if (!jobs.empty()) as_of_ = jobs.front().eligible;
  }

  void AdvanceTo(absl::Time time) {
    while (next_arrival_ < arrivals_.size() && jobs_[arrivals_[next_arrival_]].eligible <= time) {
      ++waiting_[association_[arrivals_[next_arrival_++]]];
    }
    for (; next_start_ < starts_.size() && starts_[next_start_].first <= time; ++next_start_) {
      running_.push_back(starts_[next_start_]);
      Leave(association_[starts_[next_start_].second]);
    }
    Use(time);
  }

  // Usage / due share of each waiting user.
  std::vector<double> Ratios() const {
    std::vector<double> ratios;
    for (const auto& [association, jobs] : waiting_) {
      if (due_[association] > 0) ratios.push_back(usage_[association] / due_[association]);
    }
    return ratios;
  }

 private:
  using Start = std::pair<absl::Time, size_t>;

  void Leave(priority::AssociationIndex association) {
    const auto waiting = waiting_.find(association);
    if (--waiting->second == 0) waiting_.erase(waiting);
  }

  void Use(absl::Time time) {
    const double kept = time > as_of_ ? decay_.Carry(1, as_of_, time) : 1;
    for (double& usage : usage_) usage *= kept;
    size_t left = 0;
    for (const Start& run : running_) {
      const HistoryJob& job = jobs_[run.second];
      const absl::Time end = run.first + job.run_time;
      usage_[association_[run.second]] +=
          decay_.Interval(job.cpus, std::max(run.first, as_of_), std::min(end, time), time);
      if (end > time) running_[left++] = run;
    }
    running_.resize(left);
    as_of_ = std::max(as_of_, time);
  }

  const absl::Span<const HistoryJob> jobs_;
  const priority::UsageDecay decay_;
  const std::vector<double> due_;
  std::vector<priority::AssociationIndex> association_;
  std::vector<size_t> arrivals_;
  std::vector<Start> starts_;
  size_t next_arrival_ = 0;
  size_t next_start_ = 0;
  std::vector<Start> running_;
  absl::btree_map<priority::AssociationIndex, int64_t> waiting_;
  std::vector<double> usage_;
  absl::Time as_of_;
};

}  // namespace

double JainIndex(absl::Span<const double> values) {
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares == 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

Fairness FairnessOf(const Site& site, absl::Span<const HistoryJob> jobs, const Schedule& schedule,
                    const Period& period, absl::Duration half_life, absl::Duration step) {
  Sampler sampler(site, jobs, schedule, half_life);
  Fairness fairness;
  double sum = 0;
  for (absl::Time time = period.begin + step; time <= period.end; time += step) {
    sampler.AdvanceTo(time);
    const std::vector<double> ratios = sampler.Ratios();
    if (ratios.size() < 2) continue;
    ++fairness.samples;
    sum += JainIndex(ratios);
  }
  if (fairness.samples > 0) fairness.jain_index = sum / static_cast<double>(fairness.samples);
  return fairness;
}

}  // namespace priorityd::laboratory
