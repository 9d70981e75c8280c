#include "engine/laboratory/submissions.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace priorityd::laboratory {
namespace {

bool AnyRefuses(const std::vector<TriedGrant>& grants) {
  return absl::c_any_of(grants, [](const TriedGrant& grant) {
    return grant.settings.consequence == priority::GrantConsequence::kRefuse;
  });
}

}  // namespace

Submissions::Submissions(absl::Span<const HistoryJob> jobs, const std::vector<TriedGrant>& grants,
                         absl::Time from)
    : jobs_(jobs), is_refused_(jobs.size()) {
  if (!AnyRefuses(grants)) return;
  for (size_t job = 0; job < jobs.size(); ++job) {
    if (jobs[job].start >= from) order_.push_back(job);
  }
  absl::c_stable_sort(order_,
                      [jobs](size_t a, size_t b) { return jobs[a].submit < jobs[b].submit; });
}

absl::Time Submissions::next() const {
  if (next_ == order_.size()) return absl::InfiniteFuture();
  return std::max(jobs_[order_[next_]].submit, jobs_.front().eligible);
}

void Submissions::Take(absl::Time now,
                       absl::FunctionRef<std::optional<size_t>(size_t job)> refused_by) {
  for (; next_ < order_.size() && jobs_[order_[next_]].submit <= now; ++next_) {
    const size_t job = order_[next_];
    const std::optional<size_t> grant = refused_by(job);
    if (!grant.has_value()) continue;
    is_refused_[job] = true;
    refused_.push_back({job, *grant, now});
  }
}

}  // namespace priorityd::laboratory
