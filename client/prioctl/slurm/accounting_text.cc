#include "client/prioctl/slurm/accounting_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/slurm/tables/ledger_runs.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::prioctl {

using ::priority::v1::JobAccounting;

std::string ElapsedText(double of_seconds) {
  const int64_t seconds = numbers::RoundedWhole(of_seconds);
  const std::string clock =
      absl::StrFormat("%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return seconds < 86400 ? clock : absl::StrCat(seconds / 86400, "-", clock);
}

std::string ExitCodeText(const JobAccounting& job) {
  if (!job.has_exit_code()) return "";
  return absl::StrCat(job.exit_code(), ":", job.exit_signal());
}

std::string TimeLimitText(const JobAccounting& job) {
  if (!job.has_time_limit()) return "";
  return slurm::FormatTimeString(tables::TimeLimitOf(job).value());
}

std::string MaxRssText(const JobAccounting& job) {
  if (!job.has_max_rss()) return "";
  return absl::StrFormat("%.0fK", job.max_rss() * 1024);
}

}  // namespace priorityd::prioctl
