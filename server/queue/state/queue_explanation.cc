#include "server/queue/state/queue_explanation.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/explanation/rows_ahead.h"
#include "server/queue/state/chunk_scorer.h"
#include "server/queue/state/dependency_text.h"
#include "server/queue/state/lease_text.h"

namespace priorityd::queue {
namespace {

absl::StatusOr<JobPlace> Find(const QueueState& state, const explanation::RowPick& pick,
                              absl::string_view field, const JobFilter& shown) {
  if (pick.job_id.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(field, ": got none, want a tracked job"));
  }
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    const auto& ids = state.chunks()[chunk]->table().job_id;
    const auto found = std::find(ids.begin(), ids.end(), pick.job_id);
    if (found == ids.end()) continue;
    const JobPlace place{chunk, static_cast<uint32_t>(found - ids.begin())};
    if (shown == nullptr || shown(state.chunks()[chunk]->job(place.job).job)) return place;
  }
  return absl::NotFoundError(absl::StrCat(field, ": got ", pick.job_id, ", want a tracked job"));
}

// Some jobs of the queue, with the facts about the rest that they need.
class Part {
 public:
  Part(const QueueState& state, absl::Time as_of) : state_(state), scorer_(state, as_of) {}

  void Add(JobPlace place, std::vector<priority::Job>* jobs) {
    jobs->push_back(state_.chunks()[place.chunk]->ranked_job(place.job));
    accrue_limited_.push_back(scorer_.AccrueLimited(place));
  }
  priority::WholeQueue whole() const { return {&state_.counts(), accrue_limited_}; }

 private:
  const QueueState& state_;
  ChunkScorer scorer_;
  std::vector<uint8_t> accrue_limited_;  // By job.
};

// The rank of a row, which is counted from the first row of its job.
explanation::QueuePlace PlaceOf(const QueueState& state, absl::Time as_of, JobPlace job,
                                uint32_t row) {
  ChunkScorer own(state, as_of);
  own.Look(job.chunk, nullptr);
  own.Score();
  const priority::StartOrder own_order = own.Order();
  const uint32_t own_row = own.table().first_row[job.job] + row;
  const bool ranked = own_order.Ranked(own_row);
  explanation::AheadCount ahead(own.Terms(own_row));
  explanation::QueuePlace place;
  ChunkScorer scorer(state, as_of);
  for (uint32_t chunk = 0; chunk < state.chunks().size(); ++chunk) {
    scorer.Look(chunk, nullptr);
    scorer.Score();
    const priority::StartOrder order = scorer.Order();
    for (uint32_t i = 0; i < scorer.table().rows(); ++i) {
      if (!order.Ranked(i)) continue;
      ++place.ranked_total;
      if (!ranked || !order.Before(i, own_order, own_row)) continue;
      const priority::OrderRule rule = order.RuleBetween(i, own_order, own_row);
      rule == priority::OrderRule::kPriority ? ahead.AddByPriority(scorer.Terms(i))
                                             : ahead.Add(rule);
    }
  }
  if (ranked) place.rank = ahead.total() + 1;
  place.ahead = ahead.Take();
  return place;
}

}  // namespace

absl::StatusOr<QueueExplanation> Explain(std::shared_ptr<const QueueState> state, absl::Time as_of,
                                         const explanation::RowPick& pick, const JobFilter& shown) {
  const absl::StatusOr<JobPlace> job = Find(*state, pick, "job_id", shown);
  if (!job.ok()) return job.status();
  QueueExplanation result;
  Part part(*state, as_of);
  part.Add(*job, &result.jobs);
  const priority::WholeQueue whole = part.whole();
  explanation::ExplainOptions options{
      .as_of = as_of, .job_id = {}, .partition = pick.partition, .qos = pick.qos, .whole = &whole};
  options.place = [&](uint32_t row) { return PlaceOf(*state, as_of, *job, row); };
  auto explanation = priorityd::explanation::Explain(state->snapshot(), result.jobs, options);
  if (!explanation.ok()) return explanation.status();
  result.explanation = *std::move(explanation);
  result.tracked = state->chunks()[job->chunk]->job(job->job);
  result.leased = LeaseSentence(state->snapshot(), result.tracked);
  result.waits_for = DependencySentences(*state, result.tracked, shown);
  result.state = std::move(state);
  return result;
}

absl::StatusOr<QueueComparison> Compare(std::shared_ptr<const QueueState> state, absl::Time as_of,
                                        const explanation::RowPick& pick,
                                        const explanation::RowPick& compare_to,
                                        const JobFilter& shown) {
  QueueComparison result;
  Part part(*state, as_of);
  const absl::StatusOr<JobPlace> job = Find(*state, pick, "job_id", shown);
  if (!job.ok()) return job.status();
  const absl::StatusOr<JobPlace> other = Find(*state, compare_to, "compare_to.job_id", shown);
  if (!other.ok()) return other.status();
  part.Add(*job, &result.jobs);
  if (job->chunk != other->chunk || job->job != other->job) part.Add(*other, &result.jobs);
  const priority::WholeQueue whole = part.whole();
  auto comparison = priorityd::explanation::Compare(
      state->snapshot(), result.jobs,
      {.as_of = as_of, .job = pick, .compare_to = compare_to, .whole = &whole});
  if (!comparison.ok()) return comparison.status();
  result.comparison = *std::move(comparison);
  result.state = std::move(state);
  return result;
}

}  // namespace priorityd::queue
