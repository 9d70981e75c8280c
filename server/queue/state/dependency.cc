#include "server/queue/state/dependency.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::queue {
namespace {

constexpr std::pair<absl::string_view, DependencyType> kTypes[] = {
    {"after", DependencyType::kAfter},
    {"afterany", DependencyType::kAfterAny},
    {"afterok", DependencyType::kAfterOk},
    {"afternotok", DependencyType::kAfterNotOk},
};

absl::Status Malformed(absl::string_view term, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("got \"", absl::CHexEscape(term), "\", want ", want));
}

absl::StatusOr<DependencyTerm> ParseTerm(absl::string_view term) {
  constexpr char kWant[] =
      "after, afterany, afterok or afternotok with `:` and job ids, or singleton";
  std::vector<absl::string_view> parts = absl::StrSplit(term, ':');
  if (absl::EqualsIgnoreCase(term, "singleton")) {
    return DependencyTerm{DependencyType::kSingleton, {}};
  }
  for (const auto& [name, type] : kTypes) {
    if (!absl::EqualsIgnoreCase(parts.front(), name)) continue;
    parts.erase(parts.begin());
    for (const absl::string_view id : parts) {
      if (id.empty()) return Malformed(term, "a job id after each `:`");
      if (id.find('+') != absl::string_view::npos) {
        return Malformed(term, "job ids without a delay (`+`): begin times are eligible_time");
      }
    }
    if (parts.empty()) return Malformed(term, "job ids after a `:`");
    return DependencyTerm{type, std::move(parts)};
  }
  return Malformed(term, kWant);
}

DependencyState StateOf(DependencyType type, const TrackedJob& job) {
  const bool ended_well = job.end == JobEnd::kCompleted;
  if (type == DependencyType::kAfter) {
    const bool started = job.ended() || job.job.state != priority::JobState::kPending;
    return started ? DependencyState::kMet : DependencyState::kUnmet;
  }
  if (!job.ended()) return DependencyState::kUnmet;
  if (type == DependencyType::kAfterAny) return DependencyState::kMet;
  return ended_well == (type == DependencyType::kAfterOk) ? DependencyState::kMet
                                                          : DependencyState::kNever;
}

// All of several states.
DependencyState Both(DependencyState a, DependencyState b) { return std::max(a, b); }

DependencyState StateOf(const DependencyTerm& term,
                        absl::FunctionRef<std::optional<TrackedJob>(absl::string_view)> find,
                        absl::FunctionRef<bool()> alone) {
  if (term.type == DependencyType::kSingleton) {
    return alone() ? DependencyState::kMet : DependencyState::kUnmet;
  }
  DependencyState state = DependencyState::kMet;
  for (const absl::string_view id : term.job_ids) {
    const std::optional<TrackedJob> job = find(id);
    state = Both(state, job.has_value() ? StateOf(term.type, *job) : DependencyState::kUnmet);
  }
  return state;
}

}  // namespace

absl::StatusOr<Dependency> ParseDependency(absl::string_view expression) {
  Dependency dependency;
  dependency.any = absl::StrContains(expression, "?");
  if (dependency.any && absl::StrContains(expression, ",")) {
    return Malformed(expression, "either `,` (all) or `?` (any), not both");
  }
  for (const absl::string_view text : absl::StrSplit(expression, dependency.any ? '?' : ',')) {
    absl::StatusOr<DependencyTerm> term = ParseTerm(absl::StripAsciiWhitespace(text));
    if (!term.ok()) return term.status();
    dependency.terms.push_back(*std::move(term));
  }
  return dependency;
}

DependencyState Evaluate(const Dependency& dependency,
                         absl::FunctionRef<std::optional<TrackedJob>(absl::string_view)> find,
                         absl::FunctionRef<bool()> alone) {
  DependencyState all = DependencyState::kMet;
  DependencyState any = DependencyState::kNever;
  for (const DependencyTerm& term : dependency.terms) {
    const DependencyState state = StateOf(term, find, alone);
    all = Both(all, state);
    any = std::min(any, state);
  }
  return dependency.any ? any : all;
}

}  // namespace priorityd::queue
