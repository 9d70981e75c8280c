#include "client/prioctl/jobs/job_sheet.h"

#include <pwd.h>

#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "client/prioctl/jobs/job_text.h"
#include "engine/numbers/number_text.h"
#include "engine/slurm/words/array_task_ids.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

constexpr char kUnknown[] = "Unknown";

std::string OrNull(const std::string& text) { return text.empty() ? "(null)" : text; }

std::string IdLine(const v1::Job& job) {
  std::string line = absl::StrCat("JobId=", job.job_id());
  const bool is_array = !job.array_task_ids().empty();
  if (is_array || !job.array_job_id().empty()) {
    absl::StrAppend(&line, " ArrayJobId=", ArrayIdText(job), " ArrayTaskId=", TaskText(job, "N/A"));
    const auto limit = slurm::ArrayTaskLimit(job.array_task_ids());
    if (limit.has_value()) absl::StrAppend(&line, " ArrayTaskThrottle=", *limit);
  }
  return absl::StrCat(line, " JobName=", OrNull(job.name()));
}

std::string UserText(const std::string& user) {
  const passwd* entry = getpwnam(user.c_str());
  return entry == nullptr ? user : absl::StrCat(user, "(", entry->pw_uid, ")");
}

// A job has begun to accrue once its begin time has come.
std::string AccrueText(const v1::Job& job, absl::Time now) {
  const bool accrues = job.has_accrue_time() && ToTime(job.accrue_time()) <= now;
  return TimeText(job.accrue_time(), accrues, kUnknown);
}

std::string StartText(const v1::Job& job, absl::Time now) {
  if (job.state() != v1::JOB_STATE_PENDING) {
    return TimeText(job.start_time(), job.has_start_time(), kUnknown);
  }
  const bool later = job.has_eligible_time() && ToTime(job.eligible_time()) > now;
  return TimeText(job.eligible_time(), later, kUnknown);
}

std::string EligibleText(const v1::Job& job) {
  if (job.hold() != v1::HOLD_UNSPECIFIED || job.dependency_unmet()) return kUnknown;
  if (job.has_eligible_time()) return TimeText(job.eligible_time(), true, kUnknown);
  return TimeText(job.submit_time(), job.has_submit_time(), kUnknown);
}

std::string EndText(const v1::Job& job) {
  const std::optional<absl::Time> end = EndOf(job);
  if (!end.has_value()) return kUnknown;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", *end, absl::LocalTimeZone());
}

// The report of a frontend about the end of the job; empty = none.
std::string EndLine(const v1::Job& job) {
  std::vector<std::string> words;
  if (job.has_requeue()) words.push_back(absl::StrCat("Requeue=", job.requeue() ? 1 : 0));
  if (job.has_exit_code()) {
    words.push_back(absl::StrCat("ExitCode=", job.exit_code(), ":", job.exit_signal()));
  }
  return absl::StrJoin(words, " ");
}

// The settings that leases change; empty = none.
std::string LeasesLine(const v1::TrackedJob& tracked) {
  std::vector<std::string> texts;
  for (const v1::LeasedSetting& leased : tracked.leased()) {
    texts.push_back(absl::StrCat(leased.name(), "=", leased.value(), " until ",
                                 TimeText(leased.until(), true, kUnknown), ", then ",
                                 leased.then()));
  }
  return texts.empty() ? "" : absl::StrCat("Leases=", absl::StrJoin(texts, "; "));
}

std::string LimitText(const v1::Job& job) {
  return job.has_time_limit() ? slurm::FormatTimeString(ToDuration(job.time_limit())) : "UNLIMITED";
}

}  // namespace

std::string JobSheet(const v1::TrackedJob& tracked, absl::Time now, bool one_line) {
  const v1::Job& job = tracked.job();
  const std::string reason = absl::StrReplaceAll(ReasonText(tracked), {{" ", "_"}});
  std::vector<std::string> lines = {
      IdLine(job),
      absl::StrCat("UserId=", UserText(job.user())),
      absl::StrCat("Priority=", tracked.priority(), " Nice=", job.nice(), " Account=",
                   OrNull(job.account()), " QOS=", OrNull(absl::StrJoin(job.qos(), ","))),
      LeasesLine(tracked),
      absl::StrCat("JobState=", StateText(job.state()), " Reason=", reason,
                   " Dependency=", DependencyText(tracked)),
      EndLine(job),
      absl::StrCat("RunTime=", slurm::FormatTimeString(RunTime(job, now)),
                   " TimeLimit=", LimitText(job)),
      absl::StrCat("SubmitTime=", TimeText(job.submit_time(), job.has_submit_time(), kUnknown),
                   " EligibleTime=", EligibleText(job)),
      absl::StrCat("AccrueTime=", AccrueText(job, now)),
      absl::StrCat("StartTime=", StartText(job, now), " EndTime=", EndText(job)),
      absl::StrCat("Partition=", OrNull(absl::StrJoin(job.partitions(), ","))),
      absl::StrCat("NodeList=", job.node_list()),
      absl::StrCat("NumNodes=", NodesOf(job), " NumCPUs=", numbers::NumberText(CpusOf(job))),
      absl::StrCat("TRES=", TresText(job)),
      absl::StrCat("Place=", tracked.rank() == 0 ? "N/A" : absl::StrCat(tracked.rank()),
                   " SiteFactor=", job.site_factor(), " Reservation=", OrNull(job.reservation()),
                   " Source=", OrNull(tracked.source()))};
  std::erase(lines, "");
  for (std::string& line : lines) line = Visible(line);
  return absl::StrCat(absl::StrJoin(lines, one_line ? " " : "\n   "), one_line ? "\n" : "\n\n");
}

}  // namespace priorityd::jobs
