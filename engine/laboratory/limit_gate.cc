#include "engine/laboratory/limit_gate.h"

#include <algorithm>
#include <utility>

namespace priorityd::laboratory {

LimitGate::LimitGate(const priority::Snapshot& idle)
    : idle_(idle),
      scale_(idle),
      builder_(scale_, absl::InfiniteFuture()),
      limits_(&idle.limits()),
      counts_(*limits_),
      freed_(limits_->counters(), 0) {}

void LimitGate::Start(size_t job, const priority::Job& running) {
  if (empty()) return;
  const absl::Span<const priority::Job> one(&running, 1);
  const priority::JobTable table = builder_.Build(one);
  const priority::LimitDemands demands(idle_, one, table);
  Run& run = runs_[job];
  run.counted = demands.Counted(idle_, table, 0);
  run.tres.assign(run.counted.tres.begin(), run.counted.tres.end());
  run.limit = table.rows() > 0 ? priority::TimeLimitOf(idle_, running, table, 0)
                               : running.time_limit.value_or(absl::InfiniteDuration());
  run.start = *running.start_time;
  run.usage_factor = limits_->OfQos(run.counted.qos).usage_factor;
  Count(run, true);
  last_start_ = ++changes_;
}

void LimitGate::End(size_t job) {
  if (empty()) return;
  const auto run = runs_.find(job);
  Count(run->second, false);
  ++changes_;
  if (run->second.counted.association != priority::kNoAssociation) {
    limits_->CountersOf(run->second.counted.association, run->second.counted.qos, &counters_);
    for (const int32_t counter : counters_) freed_[counter] = changes_;
  }
  runs_.erase(run);
}

void LimitGate::Count(const Run& run, bool there) {
  priority::CountedJob counted = run.counted;
  counted.tres = run.tres;
  counts_.Count(*limits_, counted, there);
}

void LimitGate::SetSnapshot(const priority::Snapshot& snapshot, absl::Time recorded) {
  snapshot_ = &snapshot;
  limits_ = &snapshot.limits();
  ++snapshots_;
  counts_ = priority::LimitCounts(*limits_);
  for (auto& [job, run] : runs_) {
    const absl::Duration used = std::max(recorded - run.start, absl::ZeroDuration());
    run.counted.seconds = priority::SecondsLeft(run.limit, used) * run.usage_factor;
    Count(run, true);
  }
  check_.reset();
}

void LimitGate::SetTime(absl::Time now) {
  if (check_.has_value() && now_ == now) return;
  now_ = now;
  check_.emplace(*snapshot_, counts_, now);
}

int LimitGate::ClassOf(const priority::JobTable& table, const priority::LimitDemands& demands,
                       size_t row) {
  if (empty()) return 0;
  const priority::LimitDemands::Wanted wanted = demands.WantedBy(row);
  const priority::QosOrder order = limits_->OrderOf(table.partition[row], table.qos[row]);
  std::vector<double> key(wanted.tres.begin(), wanted.tres.end());
  key.insert(key.end(), {static_cast<double>(table.association[table.job[row]]),
                         static_cast<double>(order.number), wanted.seconds, wanted.nodes});
  const auto [entry, is_new] = class_of_.emplace(std::move(key), static_cast<int>(answers_.size()));
  if (is_new) answers_.emplace_back();
  return entry->second;
}

void LimitGate::ForgetClasses() {
  class_of_.clear();
  answers_.clear();
}

bool LimitGate::Holds(const Answer& answer) const {
  if (answer.snapshot != snapshots_) return false;
  if (!answer.blocks) return answer.change >= last_start_;
  if (answer.decays && answer.time != now_) return false;
  return answer.counter < 0 || freed_[answer.counter] <= answer.change;
}

bool LimitGate::IsKnownToBlock(int of) const {
  return !empty() && answers_[of].blocks && Holds(answers_[of]);
}

bool LimitGate::Blocks(int of, const priority::JobTable& table,
                       const priority::LimitDemands& demands, size_t row) {
  if (empty()) return false;
  Answer& answer = answers_[of];
  if (Holds(answer)) return answer.blocks;
  const std::optional<priority::ExceededLimit> exceeded =
      check_->FirstExceeded(table, demands, row);
  answer = {.snapshot = snapshots_, .change = changes_, .time = now_};
  answer.blocks = exceeded.has_value();
  if (!answer.blocks) return false;
  answer.grant = exceeded->limit->grant;
  const priority::LimitRule& rule = exceeded->limit->rule();
  answer.decays = rule.counts_usage && !exceeded->limit->of_grant();
  if (rule.scope != priority::LimitScope::kJob) {
    answer.counter = limits_->CounterOf(*exceeded->limit, table.association[table.job[row]]);
  }
  return true;
}

}  // namespace priorityd::laboratory
