#include "tests/oracle/limit_exceptions.h"

#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace priorityd {
namespace {

// Slurm's words that begin so, of scenarios whose name begins so (empty = all), of these jobs
// (empty = all).
struct Exception {
  absl::string_view scenario;
  absl::string_view words;
  absl::string_view why;
  std::vector<absl::string_view> jobs;
};

constexpr absl::string_view kExecutor = "only what starts jobs knows";
constexpr absl::string_view kRange = "a range of nodes, of which a job tells the least";
constexpr absl::string_view kNotTold = "what the job asked for is not in its description";

const std::vector<Exception>& Reasons() {
  static const auto& reasons = *new std::vector<Exception>{
      {"", "Resources", kExecutor, {}},
      {"", "Priority", kExecutor, {}},
      {"", "Reservation", kExecutor, {}},
      {"", "Licenses", kExecutor, {}},
      {"", "ReqNodeNotAvail", kExecutor, {}},
      {"", "Nodes required for job are DOWN", kExecutor, {}},
      {"", "job requeued in held state", kExecutor, {}},
      {"",
       "Job's account not permitted",
       "accounts below those allowed are allowed, as in 25.11",
       {"13", "33"}},
      {"threshold_", "QOSUsageThreshold", "UsageThreshold is compared with the factor itself", {}},
      {"part_limits_no", "PartitionNodeLimit", kRange, {"7"}},
      {"dependencies", "Dependency", "a job that nobody knows is waited for", {}},
      {"part_multi_no",
       "Job's account",
       "of two partitions the other one's sentence is told",
       {"13"}},
  };
  return reasons;
}

const std::vector<Exception>& Refusals() {
  static const auto& refusals = *new std::vector<Exception>{
      {"part_limits_all", "Node count", kRange, {"refused5"}},
      {"part_limits_all",
       "Invalid account or account/partition",
       "accounts below those allowed are allowed, as in 25.11",
       {"refused11"}},
      {"part_limits_", "User's group", "groups are the executor's, without a group file", {}},
      {"waiting", "Access denied to requested reservation", kExecutor, {}},
      {"waiting", "Requested reservation is invalid", kExecutor, {}},
      {"waiting", "Invalid feature", kNotTold, {}},
      {"waiting", "Memory specification", kExecutor, {}},
      {"waiting", "Requested node configuration", kExecutor, {}},
      {"arrays", "Invalid job array specification", "MaxArraySize was not captured", {}},
      {"dependencies",
       "Job dependency problem",
       "the dependency is quoted, with what is wanted",
       {}},
  };
  return refusals;
}

const Exception* Find(absl::Span<const Exception> all, const LimitScenario& scenario,
                      const LimitScenario::Job& job) {
  for (const Exception& exception : all) {
    if (!absl::StartsWith(scenario.name, exception.scenario) ||
        !absl::StartsWith(job.words, exception.words)) {
      continue;
    }
    if (exception.jobs.empty()) return &exception;
    for (const absl::string_view id : exception.jobs) {
      if (id == job.job.job_id()) return &exception;
    }
  }
  return nullptr;
}

bool Look(bool agrees, const Exception* exception, Agreement* agreement) {
  if (agrees) {
    ++agreement->agree;
    return true;
  }
  if (exception == nullptr) return false;
  ++agreement->exceptions[std::string(exception->why)];
  return true;
}

// Reasons that Slurm prints as a sentence have a word too.
constexpr std::pair<absl::string_view, absl::string_view> kSentences[] = {
    {"Job's account not permitted", "AccountNotAllowed"},
    {"Job's QOS not permitted", "QOSNotAllowed"},
};

bool IsReason(const std::string& words, const std::string& reason, const std::string& text) {
  for (const auto& [sentence, word] : kSentences) {
    if (absl::StartsWith(words, sentence)) return reason == word && text == words;
  }
  return reason == words;
}

}  // namespace

int Agreement::all() const {
  int sum = agree;
  for (const auto& [why, count] : exceptions) sum += count;
  return sum;
}

std::string Agreement::ToString() const {
  std::string text = absl::StrCat(agree, " of ", all(), " agree\n");
  for (const auto& [why, count] : exceptions) absl::StrAppend(&text, "  ", count, ": ", why, "\n");
  return text;
}

bool LookAtReason(const LimitScenario& scenario, const LimitScenario::Job& job,
                  const std::string& reason, const std::string& text, Agreement* agreement) {
  return Look(IsReason(job.words, reason, text), Find(Reasons(), scenario, job), agreement);
}

bool LookAtRefusal(const LimitScenario& scenario, const LimitScenario::Job& job, bool refused,
                   const std::string& reason, const std::string& message, Agreement* agreement) {
  // `AssocMaxSubmitJobLimit / Job violates accounting/QOS policy (...)`: a word and a sentence.
  const std::vector<std::string> lines = absl::StrSplit(job.words, " / ");
  const bool word = !absl::StartsWith(lines.back(), "Job violates") || lines[0] == reason;
  const bool agrees = refused && word && absl::StartsWith(message, lines.back());
  return Look(agrees, Find(Refusals(), scenario, job), agreement);
}

}  // namespace priorityd
