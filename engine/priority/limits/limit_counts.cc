#include "engine/priority/limits/limit_counts.h"

namespace priorityd::priority {

LimitCounts::LimitCounts(const Limits& limits)
    : tres_(limits.tres().size()),
      width_(kColumns + 2 * tres_),
      blocks_((limits.counters() + kBlock - 1) / kBlock),
      own_(blocks_.size()) {}

LimitCounts::LimitCounts(const LimitCounts& other)
    : tres_(other.tres_), width_(other.width_), blocks_(other.blocks_), own_(blocks_.size()) {}

double* LimitCounts::Own(int32_t counter) {
  std::shared_ptr<Block>& block = blocks_[counter / kBlock];
  uint8_t& own = own_[counter / kBlock];
  if (own == 0) {
    block = block == nullptr ? std::make_shared<Block>(kBlock * width_)
                             : std::make_shared<Block>(*block);
  }
  own = 1;
  return block->data() + (counter % kBlock) * width_;
}

void LimitCounts::Count(const Limits& limits, const CountedJob& job, bool there) {
  if (job.association == kNoAssociation || blocks_.empty()) return;
  const double sign = there ? 1 : -1;
  limits.CountersOf(job.association, job.qos, &counters_);
  for (const int32_t counter : counters_) {
    double* columns = Own(counter);
    columns[kSubmitted] += sign * job.jobs;
    if (!job.running) continue;
    columns[kJobs] += sign * job.jobs;
    columns[kSeconds] += sign * job.seconds;
    for (size_t i = 0; i < tres_; ++i) {
      columns[kColumns + i] += sign * job.tres[i];
      const double seconds =
          limits.IsPriced(static_cast<int>(i)) ? job.priced_seconds : job.seconds;
      columns[kColumns + tres_ + i] += sign * job.tres[i] * seconds;
    }
  }
}

double LimitCounts::Running(const Limits& limits, const Limit& limit,
                            AssociationIndex association) const {
  const LimitRule& rule = limit.rule();
  if (rule.scope == LimitScope::kJob || blocks_.empty()) return 0;
  const int32_t counter = limits.CounterOf(limit, association);
  switch (rule.measure) {
    case LimitMeasure::kJobs:
      return rule.phase == LimitPhase::kSubmission ? submitted(counter) : jobs(counter);
    case LimitMeasure::kTres:
      return tres(counter, limit.tres);
    case LimitMeasure::kWall:
    case LimitMeasure::kTresSeconds:
      return seconds(counter, limit.tres);
    case LimitMeasure::kTresPerNode:
      return 0;
  }
  return 0;
}

}  // namespace priorityd::priority
