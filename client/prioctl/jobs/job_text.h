// The facts about a job as Slurm's tools write them.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "priority/v1/queue.pb.h"

namespace priorityd::jobs {

// `7`; `19_3` of a task of an array; `19_[0-5%2]` of the rest of one.
std::string IdText(const ::priority::v1::Job& job);
// The array that the job is of, else its own id.
std::string ArrayIdText(const ::priority::v1::Job& job);
// Its task, or those that are left of an array; `otherwise` for other jobs.
std::string TaskText(const ::priority::v1::Job& job, const std::string& otherwise);

// `PENDING`, and `PD`.
std::string StateText(::priority::v1::JobState state);
std::string ShortStateText(::priority::v1::JobState state);
std::vector<::priority::v1::JobState> EveryState();
bool HasEnded(const ::priority::v1::Job& job);
// The end of a job that has ended, else the latest end of a running one; unset = not known.
std::optional<absl::Time> EndOf(const ::priority::v1::Job& job);

// Slurm's reason why a job waits or failed; `None` if there is none.
std::string ReasonText(const ::priority::v1::TrackedJob& job);

// The unmet part of its dependency: `afterok:5(unfulfilled)`; `(null)` for nothing. If the service
// does not say, the whole dependency of a job that waits for it.
std::string DependencyText(const ::priority::v1::TrackedJob& tracked);

// A text without control characters, which could forge lines or drive a terminal: a line break
// becomes `\n`, others `\x1b`.
std::string Visible(absl::string_view text);

// `2026-11-22T16:00:58` in the local time zone; `otherwise` where it is not set.
std::string TimeText(const google::protobuf::Timestamp& time, bool is_set,
                     const std::string& otherwise);

// `0:02`, `30:00`, `1:00:00`, `1-00:00:00`, as squeue writes times; UNLIMITED.
std::string ShortDurationText(absl::Duration duration);

absl::Time ToTime(const google::protobuf::Timestamp& time);
absl::Duration ToDuration(const google::protobuf::Duration& duration);

// The time for which a job has run; zero if it has not started.
absl::Duration RunTime(const ::priority::v1::Job& job, absl::Time now);

// `100M`, `12G`, `62.50G`, of MB.
std::string MemoryText(double megabytes);

// `cpu=2,mem=100M,node=1`, then others by name.
std::string TresText(const ::priority::v1::Job& job);

// At least one.
uint32_t NodesOf(const ::priority::v1::Job& job);
double CpusOf(const ::priority::v1::Job& job);

// The reason that a job was not changed, in scontrol's words.
std::string ErrorText(const ::priority::v1::JobUpdateResult& result);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_JOB_TEXT_H_
