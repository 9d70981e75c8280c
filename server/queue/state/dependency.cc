#include "server/queue/state/dependency.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/priority/site/microseconds.h"

namespace priorityd::queue {
namespace {

constexpr std::pair<absl::string_view, DependencyType> kTypes[] = {
    {"after", DependencyType::kAfter},         {"afterany", DependencyType::kAfterAny},
    {"afterok", DependencyType::kAfterOk},     {"afternotok", DependencyType::kAfterNotOk},
    {"aftercorr", DependencyType::kAfterCorr}, {"singleton", DependencyType::kSingleton},
};
// Types of Slurm that priorityd does not support.
constexpr absl::string_view kNotOurs[] = {"afterburstbuffer", "expand"};
constexpr uint32_t kMostMinutes = 10 * 366 * 24 * 60;

absl::Status Malformed(absl::string_view term, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("got \"", absl::CHexEscape(term), "\", want ", want));
}

std::optional<DependencyType> TypeOf(absl::string_view word) {
  for (const auto& [name, type] : kTypes) {
    if (absl::EqualsIgnoreCase(word, name)) return type;
  }
  return std::nullopt;
}

// One job of a term, from the whole `text`.
absl::Status AddJob(absl::string_view text, DependencyTerm* term) {
  if (text.empty()) return Malformed(text, "a job id after each `:`");
  const size_t plus = text.find('+');
  absl::Duration delay;
  if (plus != absl::string_view::npos) {
    uint32_t minutes = 0;
    if (term->type != DependencyType::kAfter) {
      return Malformed(text, "a delay (`+`) with `after` only");
    }
    if (!absl::SimpleAtoi(text.substr(plus + 1), &minutes) || minutes > kMostMinutes) {
      return Malformed(text, "JOB+MINUTES, at most ten years");
    }
    delay = absl::Minutes(minutes);
  }
  absl::string_view job_id = text.substr(0, plus);
  // `ARRAY_*` is what `ARRAY` is.
  if (job_id.size() > 2) job_id = absl::StripSuffix(job_id, "_*");
  if (job_id.empty()) return Malformed(text, "a job id before the `+`");
  term->job_ids.push_back(job_id);
  term->delays.push_back(delay);
  return absl::OkStatus();
}

absl::Status Unknown(absl::string_view term) {
  for (const absl::string_view name : kNotOurs) {
    if (!absl::EqualsIgnoreCase(term.substr(0, term.find(':')), name)) continue;
    return Malformed(term,
                     absl::StrCat("none of type ", name, ", which priorityd does not support"));
  }
  return Malformed(term,
                   "after, afterany, afterok, afternotok or aftercorr with `:` and job ids, or "
                   "singleton");
}

// `13202` of `afterany:13201,13202`.
bool IsJobAlone(absl::string_view text) {
  return !absl::StrContains(text, ':') && absl::c_any_of(text, absl::ascii_isdigit);
}

absl::Status ParseTerm(absl::string_view text, Dependency* dependency) {
  std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  const std::optional<DependencyType> type = TypeOf(parts.front());
  auto& terms = dependency->terms;
  if (!type.has_value()) {
    if (dependency->any || !IsJobAlone(text)) return Unknown(text);
    if (terms.empty()) terms.push_back({DependencyType::kAfterAny, {}, {}});
    return terms.back().type == DependencyType::kSingleton ? Unknown(text)
                                                           : AddJob(text, &terms.back());
  }
  terms.push_back({*type, {}, {}});
  if (*type == DependencyType::kSingleton) {
    return parts.size() == 1 ? absl::OkStatus() : Malformed(text, "singleton without job ids");
  }
  if (parts.size() == 1) return Malformed(text, "job ids after a `:`");
  for (size_t i = 1; i < parts.size(); ++i) {
    if (absl::Status s = AddJob(parts[i], &terms.back()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// Evaluates one dependency.
class Judge {
 public:
  Judge(const TrackedJob& waits, absl::Time now, JobProgress& jobs)
      : waits_(waits), now_(now), jobs_(jobs) {}

  Standing Of(const DependencyTerm& term) {
    if (term.type == DependencyType::kSingleton) {
      return {jobs_.IsAlone(waits_) ? DependencyState::kMet : DependencyState::kUnmet};
    }
    Standing all;
    for (size_t i = 0; i < term.job_ids.size(); ++i) {
      const Standing one = Of(term.type, term.job_ids[i], term.delays[i]);
      all.state = std::max(all.state, one.state);
      all.since = std::max(all.since, one.since);
    }
    return all;
  }

  Standing Of(DependencyType type, absl::string_view job_id, absl::Duration delay) {
    if (type == DependencyType::kAfterCorr) return {Corresponding(job_id)};
    const Progress progress = jobs_.Of(job_id).progress;
    if (!progress.known) return {DependencyState::kUnmet};
    if (type == DependencyType::kAfter) return After(progress, delay);
    if (!progress.ended) return {DependencyState::kUnmet};
    if (type == DependencyType::kAfterAny) return {DependencyState::kMet};
    return {progress.ended_well == (type == DependencyType::kAfterOk) ? DependencyState::kMet
                                                                      : DependencyState::kNever};
  }

 private:
  Standing After(const Progress& progress, absl::Duration delay) const {
    if (!progress.started) return {DependencyState::kUnmet};
    if (delay == absl::ZeroDuration()) return {DependencyState::kMet};
    const absl::Time known_start = waits_.job.dependency_until.value_or(now_ + delay);
    return {DependencyState::kMet,
            progress.started_at.has_value() ? *progress.started_at + delay : known_start};
  }

  // Of aftercorr.
  DependencyState Corresponding(absl::string_view job_id) {
    const NamedJob named = jobs_.Of(job_id);
    if (waits_.array_task_id.has_value() && named.is_array) {
      return AfterOk(jobs_.OfTask(job_id, *waits_.array_task_id));
    }
    // Tasks whose counterpart has ended successfully are split off to be started before the others.
    const bool of_all = !waits_.array_task_ids.empty() && named.is_array;
    const Progress& progress = named.progress;
    if (of_all && progress.ended && progress.any_ended_well && !progress.ended_well) {
      return DependencyState::kUnmet;
    }
    return AfterOk(progress);
  }

  static DependencyState AfterOk(const Progress& progress) {
    if (!progress.known || !progress.ended) return DependencyState::kUnmet;
    return progress.ended_well ? DependencyState::kMet : DependencyState::kNever;
  }

  const TrackedJob& waits_;
  const absl::Time now_;
  JobProgress& jobs_;
};

std::string UnmetText(const Dependency& dependency, const TrackedJob& waits, absl::Time now,
                      JobProgress& jobs) {
  Judge judge(waits, now, jobs);
  std::vector<std::string> parts;
  const auto add = [&](const Standing& standing, absl::string_view what) {
    const bool met = standing.state == DependencyState::kMet && standing.since <= now;
    const bool never = standing.state == DependencyState::kNever;
    if (!met) parts.push_back(absl::StrCat(what, never ? "(failed)" : "(unfulfilled)"));
  };
  for (const DependencyTerm& term : dependency.terms) {
    if (term.type == DependencyType::kSingleton) add(judge.Of(term), DependencyName(term.type));
    for (size_t i = 0; i < term.job_ids.size(); ++i) {
      const int64_t minutes = absl::ToInt64Minutes(term.delays[i]);
      add(judge.Of(term.type, term.job_ids[i], term.delays[i]),
          absl::StrCat(DependencyName(term.type), ":", term.job_ids[i],
                       jobs.Of(term.job_ids[i]).is_array ? "_*" : "",
                       minutes > 0 ? absl::StrCat("+", minutes) : ""));
    }
  }
  return absl::StrJoin(parts, dependency.any ? "?" : ",");
}

}  // namespace

absl::string_view DependencyName(DependencyType type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  return "";
}

absl::StatusOr<Dependency> ParseDependency(absl::string_view expression) {
  Dependency dependency;
  dependency.any = absl::StrContains(expression, "?");
  if (dependency.any && absl::StrContains(expression, ",")) {
    return Malformed(expression, "either `,` (all) or `?` (any), not both");
  }
  for (const absl::string_view text : absl::StrSplit(expression, dependency.any ? '?' : ',')) {
    absl::Status parsed = ParseTerm(absl::StripAsciiWhitespace(text), &dependency);
    if (!parsed.ok()) return parsed;
  }
  return dependency;
}

std::vector<std::string> IdsThatName(const TrackedJob& job) {
  std::vector<std::string> ids = {std::string(job.job.job_id)};
  if (job.array_job_id.empty()) return ids;
  ids.emplace_back(job.array_job_id);
  if (job.array_task_id.has_value()) {
    ids.push_back(absl::StrCat(job.array_job_id, "_", *job.array_task_id));
  }
  return ids;
}

size_t CountJobIds(const Dependency& dependency) {
  size_t ids = 0;
  for (const DependencyTerm& term : dependency.terms) ids += term.job_ids.size();
  return ids;
}

bool NamesItself(const Dependency& dependency, const TrackedJob& job) {
  const auto is_itself = [&job](absl::string_view job_id) {
    if (job_id == job.job.job_id) return true;
    const auto task = NamedTask(job_id);
    return task.has_value() && task->first == job.array_job_id && task->second == job.array_task_id;
  };
  return absl::c_any_of(dependency.terms, [&is_itself](const DependencyTerm& term) {
    return absl::c_any_of(term.job_ids, is_itself);
  });
}

std::vector<absl::string_view> IdsToHearOf(absl::string_view job_id) {
  std::vector<absl::string_view> ids = {job_id};
  if (const auto task = NamedTask(job_id)) ids.push_back(task->first);
  return ids;
}

Standing Evaluate(const Dependency& dependency, const TrackedJob& waits, absl::Time now,
                  JobProgress& jobs) {
  Judge judge(waits, now, jobs);
  Standing all;
  Standing any{DependencyState::kNever, absl::InfiniteFuture()};
  for (const DependencyTerm& term : dependency.terms) {
    const Standing one = judge.Of(term);
    all.state = std::max(all.state, one.state);
    all.since = std::max(all.since, one.since);
    any.state = std::min(any.state, one.state);
    if (one.state == DependencyState::kMet) any.since = std::min(any.since, one.since);
  }
  return dependency.any ? any : all;
}

Resolution Resolve(const TrackedJob& waits, absl::Time now, JobProgress& jobs) {
  const priority::Job& job = waits.job;
  const auto dependency = ParseDependency(waits.dependency);
  if (!dependency.ok()) {
    return {job.dependency_unmet, job.dependency_never, job.dependency_until, ""};
  }
  const Standing standing = Evaluate(*dependency, waits, now, jobs);
  const bool met = standing.state == DependencyState::kMet;
  Resolution resolution{.unmet = waits.told_dependency_unmet || !met,
                        .never = standing.state == DependencyState::kNever};
  if (met && standing.since > absl::InfinitePast()) {
    resolution.until = priority::CutToMicroseconds(standing.since);
  }
  if (!met || standing.since > now) resolution.text = UnmetText(*dependency, waits, now, jobs);
  return resolution;
}

bool IsApplied(const Resolution& resolution, const TrackedJob& job) {
  return job.job.dependency_unmet == resolution.unmet &&
         job.job.dependency_never == resolution.never &&
         job.job.dependency_until == resolution.until && job.unmet_dependency == resolution.text;
}

void Apply(const Resolution& resolution, TrackedJob* job) {
  job->job.dependency_unmet = resolution.unmet;
  job->job.dependency_never = resolution.never;
  job->job.dependency_until = resolution.until;
  job->unmet_dependency = resolution.text;
}

}  // namespace priorityd::queue
