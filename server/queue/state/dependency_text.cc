#include "server/queue/state/dependency_text.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/queue/state/dependency.h"

namespace priorityd::queue {
namespace {

absl::string_view DoingText(priority::JobState state) {
  switch (state) {
    case priority::JobState::kPending:
      return "is pending";
    case priority::JobState::kRunning:
      return "is running";
    case priority::JobState::kSuspended:
      return "is suspended";
  }
  return "";
}

// The states of the jobs that a dependency names, by id, as words.
class Doings {
 public:
  Doings(const QueueState& state, const Dependency& dependency, const JobFilter& shown) {
    for (const DependencyTerm& term : dependency.terms) {
      for (const absl::string_view id : term.job_ids) by_id_.emplace(id, "is not in the queue");
    }
    if (by_id_.empty()) return;
    for (const auto& chunk : state.chunks()) Read(*chunk, shown);
  }

  absl::string_view Of(absl::string_view job_id) const { return by_id_.at(job_id); }

 private:
  void Read(const JobChunk& chunk, const JobFilter& shown) {
    const auto& ids = chunk.table().job_id;
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto named = by_id_.find(ids[i]);
      if (named == by_id_.end()) continue;
      const TrackedJob job = chunk.job(i);
      if (!shown || shown(job.job)) named->second = DoingText(job.job.state);
    }
  }

  absl::flat_hash_map<absl::string_view, absl::string_view> by_id_;
};

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
  const Doings doings(state, *dependency, shown);
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
                                       doings.Of(term.job_ids[i]), "."));
    }
  }
  if (job.job.dependency_never) sentences.push_back("This dependency can no longer be met.");
  return sentences;
}

}  // namespace priorityd::queue
