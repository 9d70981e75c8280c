#include "engine/slurm/conf/scheduler_parameters.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/conf/conf_lines.h"

namespace priorityd::slurm {
namespace {

constexpr uint32_t kMostJobs = 1'000'000;
constexpr uint32_t kMostMinutes = 30 * 24 * 60;

struct Count {
  absl::string_view word;
  std::optional<uint32_t> SchedulerParameters::*field;
  uint32_t least;
};
constexpr Count kCounts[] = {
    {"bf_max_job_test", &SchedulerParameters::max_job_test, 1},
    {"bf_max_job_user", &SchedulerParameters::max_job_user, 0},
    {"bf_max_job_assoc", &SchedulerParameters::max_job_assoc, 0},
    {"bf_max_job_part", &SchedulerParameters::max_job_part, 0},
};

class Reader {
 public:
  absl::StatusOr<SchedulerParameters> Read(absl::Span<const SourceFile> files) {
    ReadConfLines(files, ignored_, warnings_, [this](const ConfLine& line) {
      for (const ConfPair& pair : line.pairs) Use(pair);
    });
    if (!violations_.empty()) return violations_.ToStatus();
    return parameters_;
  }

 private:
  void Use(const ConfPair& pair) {
    if (absl::EqualsIgnoreCase(pair.key, "SchedulerType")) return UseType(pair);
    if (!absl::EqualsIgnoreCase(pair.key, "SchedulerParameters")) return;
    for (const absl::string_view word : absl::StrSplit(pair.value, ',', absl::SkipWhitespace())) {
      UseWord(pair, word);
    }
  }

  void UseType(const ConfPair& pair) {
    if (absl::EqualsIgnoreCase(pair.value, "sched/backfill")) {
      parameters_.backfill = true;
    } else if (absl::EqualsIgnoreCase(pair.value, "sched/builtin")) {
      parameters_.backfill = false;
    } else {
      Add(pair, absl::StrCat("got ", Quoted(pair.value), ", want sched/backfill or sched/builtin"));
    }
  }

  void UseWord(const ConfPair& pair, absl::string_view word) {
    const std::pair<absl::string_view, absl::string_view> sides =
        absl::StrSplit(absl::StripAsciiWhitespace(word), absl::MaxSplits('=', 1));
    for (const Count& count : kCounts) {
      if (!absl::EqualsIgnoreCase(sides.first, count.word)) continue;
      parameters_.*count.field = Number(pair, sides, count.least, kMostJobs);
    }
    if (!absl::EqualsIgnoreCase(sides.first, "bf_window")) return;
    const auto minutes = Number(pair, sides, 1, kMostMinutes);
    if (minutes.has_value()) parameters_.window = absl::Minutes(*minutes);
  }

  std::optional<uint32_t> Number(const ConfPair& pair,
                                 const std::pair<absl::string_view, absl::string_view>& sides,
                                 uint32_t least, uint32_t most) {
    uint32_t number = 0;
    if (absl::SimpleAtoi(sides.second, &number) && number >= least && number <= most) return number;
    Add(pair, absl::StrCat(sides.first, ": got ", Quoted(sides.second), ", want a number from ",
                           least, " to ", most));
    return std::nullopt;
  }

  void Add(const ConfPair& pair, absl::string_view message) {
    violations_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", message));
  }

  FileViolations violations_;
  FileViolations ignored_;  // Violations that ParseSlurmConf reports.
  std::vector<std::string> warnings_;
  SchedulerParameters parameters_;
};

}  // namespace

absl::StatusOr<SchedulerParameters> ParseSchedulerParameters(absl::Span<const SourceFile> files) {
  return Reader().Read(files);
}

}  // namespace priorityd::slurm
