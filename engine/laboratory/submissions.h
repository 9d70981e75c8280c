// The submissions of the jobs of a history, and the jobs that grants refuse then.
#ifndef PRIORITYD_ENGINE_LABORATORY_SUBMISSIONS_H_
#define PRIORITYD_ENGINE_LABORATORY_SUBMISSIONS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/laboratory/grant_ledger.h"
#include "engine/laboratory/history.h"

namespace priorityd::laboratory {

// Knows the submissions of jobs that may be refused: none if no grant refuses jobs, and none of a
// job that started before `from`.
class Submissions {
 public:
  // `jobs` must outlive it.
  Submissions(absl::Span<const HistoryJob> jobs, const std::vector<TriedGrant>& grants,
              absl::Time from);

  // The next one, not before the first job is eligible; InfiniteFuture() = none.
  absl::Time next() const;
  // All up to `now`, by their time. `refused_by`: the grant that refuses the job, if any does.
  void Take(absl::Time now, absl::FunctionRef<std::optional<size_t>(size_t job)> refused_by);

  bool IsRefused(size_t job) const { return is_refused_[job]; }
  // In the order of time.
  const std::vector<Refusal>& refused() const { return refused_; }

 private:
  const absl::Span<const HistoryJob> jobs_;
  std::vector<size_t> order_;  // Jobs, by submission.
  size_t next_ = 0;
  std::vector<bool> is_refused_;  // By job.
  std::vector<Refusal> refused_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_SUBMISSIONS_H_
