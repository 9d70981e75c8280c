#include "server/queue/state/dependency_text.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "server/queue/state/dependency.h"

namespace priorityd::queue {
namespace {

std::optional<TrackedJob> FindJob(const QueueState& state, absl::string_view job_id) {
  for (const auto& chunk : state.chunks()) {
    const auto& ids = chunk->table().job_id;
    const auto found = std::find(ids.begin(), ids.end(), job_id);
    if (found != ids.end()) return chunk->job(found - ids.begin());
  }
  return std::nullopt;
}

absl::string_view DoingText(const QueueState& state, absl::string_view job_id,
                            const JobFilter& shown) {
  const std::optional<TrackedJob> job = FindJob(state, job_id);
  if (!job.has_value() || (shown && !shown(job->job))) return "is not in the queue";
  switch (job->job.state) {
    case priority::JobState::kPending:
      return "is pending";
    case priority::JobState::kRunning:
      return "is running";
    case priority::JobState::kSuspended:
      return "is suspended";
  }
  return "";
}

std::string WhatText(DependencyType type, absl::string_view job_id, absl::Duration delay) {
  const std::string job = absl::StrCat("job ", job_id);
  switch (type) {
    case DependencyType::kAfter:
      if (delay == absl::ZeroDuration()) return absl::StrCat("the start of ", job);
      return absl::StrCat(absl::ToInt64Minutes(delay), " minutes after the start of ", job);
    case DependencyType::kAfterAny:
      return absl::StrCat("the end of ", job);
    case DependencyType::kAfterOk:
      return absl::StrCat("a successful end of ", job);
    case DependencyType::kAfterNotOk:
      return absl::StrCat("an unsuccessful end of ", job);
    case DependencyType::kAfterCorr:
      return absl::StrCat("a successful end of the task with the same number of ", job);
    case DependencyType::kSingleton:
      break;
  }
  return "";
}

}  // namespace

std::string DependencyText(const TrackedJob& job) {
  return job.job.dependency_never
             ? absl::StrCat("waits for ", job.dependency, ", which can no longer be met")
             : absl::StrCat("waits for ", job.dependency);
}

std::vector<std::string> DependencySentences(const QueueState& state, const TrackedJob& job,
                                             const JobFilter& shown) {
  std::vector<std::string> sentences;
  if (!job.job.dependency_unmet || job.dependency.empty()) return sentences;
  const auto dependency = ParseDependency(job.dependency);
  if (!dependency.ok()) return sentences;
  const absl::string_view waits =
      dependency->any ? "One sufficient condition is " : "It waits for ";
  for (const DependencyTerm& term : dependency->terms) {
    if (term.type == DependencyType::kSingleton) {
      sentences.push_back(absl::StrCat(waits, "the end of all earlier jobs of ", job.job.user,
                                       " with the name ", job.name, " (singleton)."));
    }
    for (size_t i = 0; i < term.job_ids.size(); ++i) {
      sentences.push_back(absl::StrCat(waits, WhatText(term.type, term.job_ids[i], term.delays[i]),
                                       " (", DependencyName(term.type), "), which ",
                                       DoingText(state, term.job_ids[i], shown), "."));
    }
  }
  if (job.job.dependency_never) sentences.push_back("This dependency can no longer be met.");
  return sentences;
}

}  // namespace priorityd::queue
