#include "engine/slurm/conf/scheduler_parameters.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/priority/site/scheduling.h"
#include "engine/slurm/conf/parameter_words.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"

namespace priorityd::slurm {
namespace {

using priority::Scheduling;

constexpr uint32_t kMostJobs = 1'000'000;
constexpr uint32_t kMostMinutes = 30 * 24 * 60;
constexpr uint32_t kMostCappedNodes = 1'000'000;
constexpr size_t kMostCaps = 1000;

constexpr Word<bool> kSchedulerTypes[] = {{"sched/backfill", true}, {"sched/builtin", false}};

struct Count {
  absl::string_view word;
  std::optional<uint32_t> Scheduling::*field;
  uint32_t least;
};
constexpr Count kCounts[] = {
    {"bf_max_job_test", &Scheduling::max_job_test, 1},
    {"bf_max_job_user", &Scheduling::max_job_user, 0},
    {"bf_max_job_assoc", &Scheduling::max_job_assoc, 0},
    {"bf_max_job_part", &Scheduling::max_job_part, 0},
};

using WordAndValue = std::pair<absl::string_view, absl::string_view>;

WordAndValue SidesOf(absl::string_view word) {
  const WordAndValue sides =
      absl::StrSplit(absl::StripAsciiWhitespace(word), absl::MaxSplits('=', 1));
  return {absl::StripAsciiWhitespace(sides.first), absl::StripAsciiWhitespace(sides.second)};
}

std::optional<uint32_t> ReadNumber(absl::string_view text, uint32_t least, uint32_t most) {
  uint32_t number = 0;
  const bool is_valid = absl::SimpleAtoi(text, &number) && number >= least && number <= most;
  return is_valid ? std::optional<uint32_t>(number) : std::nullopt;
}

std::optional<uint32_t> NumberOf(const WordAndValue& sides, uint32_t least, uint32_t most,
                                 PolicyDraft& draft) {
  const std::optional<uint32_t> number = ReadNumber(sides.second, least, most);
  if (!number.has_value()) {
    draft.losses.push_back(absl::StrCat(sides.first, ": got ", Quoted(sides.second),
                                        ", want a number from ", least, " to ", most));
  }
  return number;
}

void UseWord(WordAndValue sides, PolicyDraft& draft) {
  Scheduling& scheduling = draft.policy.scheduling;
  if (absl::EqualsIgnoreCase(sides.first, "max_job_bf")) sides.first = "bf_max_job_test";
  for (const Count& count : kCounts) {
    if (!absl::EqualsIgnoreCase(sides.first, count.word)) continue;
    scheduling.*count.field = NumberOf(sides, count.least, kMostJobs, draft);
  }
  if (!absl::EqualsIgnoreCase(sides.first, "bf_window")) return;
  const std::optional<uint32_t> minutes = NumberOf(sides, 1, kMostMinutes, draft);
  scheduling.window.reset();
  if (minutes.has_value()) scheduling.window = absl::Minutes(*minutes);
}

}  // namespace

absl::Status ReadSchedulerType(absl::string_view value, absl::string_view want,
                               PolicyDraft& draft) {
  if (!ReadWord(value, kSchedulerTypes, draft.policy.scheduling.backfill)) {
    draft.policy.scheduling.backfill = true;
    draft.losses.push_back(absl::StrCat("got ", Quoted(value), ", want ", want));
  }
  return absl::OkStatus();
}

std::string WriteSchedulerType(const priority::Policy& policy) {
  return std::string(WriteWord(policy.scheduling.backfill, kSchedulerTypes));
}

absl::Status ReadSchedulerParameters(absl::string_view value, absl::string_view /*want*/,
                                     PolicyDraft& draft) {
  Scheduling& scheduling = draft.policy.scheduling;
  for (const Count& count : kCounts) (scheduling.*count.field).reset();
  scheduling.window.reset();
  for (const absl::string_view word : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    UseWord(SidesOf(word), draft);
  }
  return absl::OkStatus();
}

std::string WriteSchedulerParameters(const priority::Policy& policy) {
  const Scheduling& scheduling = policy.scheduling;
  std::vector<std::string> words;
  for (const Count& count : kCounts) {
    const std::optional<uint32_t>& number = scheduling.*count.field;
    if (number.has_value()) words.push_back(absl::StrCat(count.word, "=", *number));
  }
  if (scheduling.window.has_value()) {
    words.push_back(absl::StrCat("bf_window=", absl::ToInt64Minutes(*scheduling.window)));
  }
  return absl::StrJoin(words, ",");
}

absl::Status ReadPartitionNodeCaps(absl::string_view value, absl::string_view want,
                                   PolicyDraft& draft) {
  std::map<std::string, uint32_t> caps;
  for (const absl::string_view word : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    const WordAndValue sides = SidesOf(word);
    const std::optional<uint32_t> nodes = ReadNumber(sides.second, 0, kMostCappedNodes);
    if (!nodes.has_value() || sides.first.empty()) return Unexpected(word, want);
    if (absl::Status s = CheckName(sides.first); !s.ok()) return s;
    if (!caps.emplace(std::string(sides.first), *nodes).second) {
      return Unexpected(word, "each partition once");
    }
  }
  if (caps.size() > kMostCaps) {
    return Unexpected(absl::StrCat(caps.size(), " partitions"),
                      absl::StrCat("at most ", kMostCaps));
  }
  draft.policy.scheduling.node_caps = std::move(caps);
  return absl::OkStatus();
}

std::string WritePartitionNodeCaps(const priority::Policy& policy) {
  return absl::StrJoin(policy.scheduling.node_caps, ",", absl::PairFormatter("="));
}

}  // namespace priorityd::slurm
