#include "client/prioctl/jobs/job_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/numbers/number_text.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/numbers.h"

namespace priorityd::jobs {
namespace {

namespace v1 = ::priority::v1;

using numbers::NumberText;

constexpr char kNull[] = "(null)";

struct StateName {
  v1::JobState state;
  const char* compact;
};
constexpr StateName kStates[] = {
    {v1::JOB_STATE_PENDING, "PD"},   {v1::JOB_STATE_RUNNING, "R"},
    {v1::JOB_STATE_SUSPENDED, "S"},  {v1::JOB_STATE_COMPLETED, "CD"},
    {v1::JOB_STATE_FAILED, "F"},     {v1::JOB_STATE_TIMEOUT, "TO"},
    {v1::JOB_STATE_CANCELLED, "CA"}, {v1::JOB_STATE_PREEMPTED, "PR"},
    {v1::JOB_STATE_NODE_FAIL, "NF"},
};

double TresOf(const v1::Job& job, const std::string& name) {
  const auto found = job.tres().find(name);
  return found == job.tres().end() ? 0 : found->second;
}

bool IsTask(const v1::Job& job) { return !job.array_job_id().empty() && job.has_array_task_id(); }

}  // namespace

std::string IdText(const v1::Job& job) {
  if (IsTask(job)) return absl::StrCat(job.array_job_id(), "_", job.array_task_id());
  if (job.array_task_ids().empty()) return job.job_id();
  return absl::StrCat(job.job_id(), "_[", job.array_task_ids(), "]");
}

std::string ArrayIdText(const v1::Job& job) {
  return job.array_job_id().empty() ? job.job_id() : job.array_job_id();
}

std::string TaskText(const v1::Job& job, const std::string& otherwise) {
  if (IsTask(job)) return absl::StrCat(job.array_task_id());
  return job.array_task_ids().empty() ? otherwise : job.array_task_ids();
}

std::string StateText(v1::JobState state) {
  return v1::JobState_Name(state).substr(sizeof("JOB_STATE_") - 1);
}

std::string ShortStateText(v1::JobState state) {
  const auto* found = std::find_if(std::begin(kStates), std::end(kStates),
                                   [&](const StateName& name) { return name.state == state; });
  return found == std::end(kStates) ? "" : found->compact;
}

bool HasEnded(const v1::Job& job) { return job.state() > v1::JOB_STATE_SUSPENDED; }

std::optional<absl::Time> EndOf(const v1::Job& job) {
  if (HasEnded(job)) return ToTime(job.end_time());
  const bool runs = job.state() != v1::JOB_STATE_PENDING && job.has_start_time();
  if (!runs || !job.has_time_limit()) return std::nullopt;
  return ToTime(job.start_time()) + ToDuration(job.time_limit());
}

std::vector<v1::JobState> EveryState() {
  std::vector<v1::JobState> states;
  for (const StateName& name : kStates) states.push_back(name.state);
  return states;
}

std::string ReasonText(const v1::TrackedJob& tracked) {
  const v1::Job& job = tracked.job();
  if (job.state() == v1::JOB_STATE_TIMEOUT) return "TimeLimit";
  if (job.state() == v1::JOB_STATE_NODE_FAIL) return "NodeDown";
  const bool has_code = job.exit_code() != 0 || job.exit_signal() != 0;
  if (job.state() == v1::JOB_STATE_FAILED && has_code) return "NonZeroExitCode";
  return tracked.reason().empty() ? "None" : tracked.reason();
}

std::string DependencyText(const v1::TrackedJob& tracked) {
  const v1::Job& job = tracked.job();
  if (!tracked.unmet_dependency().empty()) return tracked.unmet_dependency();
  if (job.dependency().empty() || !job.dependency_unmet()) return kNull;
  const char* how = tracked.reason() == "DependencyNeverSatisfied" ? "(failed)" : "(unfulfilled)";
  std::string text;
  std::string type;  // Of what stands now, for an id that has the type before it.
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    const size_t colon = word.find(':');
    if (colon != std::string::npos) type = word.substr(0, colon);
    const bool has_type = colon != std::string::npos || word == "singleton";
    absl::StrAppend(&text, has_type || type.empty() ? "" : absl::StrCat(type, ":"), word, how);
    word.clear();
  };
  for (const char c : job.dependency()) {
    const bool next_of_type = c == ':' && word.find(':') != std::string::npos;
    if (c != ',' && c != '?' && !next_of_type) {
      word.push_back(c);
      continue;
    }
    end_word();
    text.push_back(next_of_type ? ',' : c);
  }
  end_word();
  return text;
}

absl::Time ToTime(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Duration ToDuration(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

std::string Visible(absl::string_view text) {
  std::string visible;
  for (const char c : text) {
    if (!absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      visible += c;
    } else if (c == '\n') {
      visible += "\\n";
    } else {
      absl::StrAppendFormat(&visible, "\\x%02x", c);
    }
  }
  return visible;
}

std::string TimeText(const google::protobuf::Timestamp& time, bool is_set,
                     const std::string& otherwise) {
  if (!is_set) return otherwise;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", ToTime(time), absl::LocalTimeZone());
}

std::string ShortDurationText(absl::Duration duration) {
  if (duration == absl::InfiniteDuration()) return "UNLIMITED";
  const int64_t all = std::max<int64_t>(0, absl::ToInt64Seconds(duration));
  const int64_t days = all / 86400, hours = all / 3600 % 24, minutes = all / 60 % 60;
  const int64_t seconds = all % 60;
  if (days > 0) return absl::StrFormat("%d-%02d:%02d:%02d", days, hours, minutes, seconds);
  if (hours > 0) return absl::StrFormat("%d:%02d:%02d", hours, minutes, seconds);
  return absl::StrFormat("%d:%02d", minutes, seconds);
}

absl::Duration RunTime(const v1::Job& job, absl::Time now) {
  if (job.state() == v1::JOB_STATE_PENDING || !job.has_start_time()) return absl::ZeroDuration();
  const absl::Time end = HasEnded(job) ? ToTime(job.end_time()) : now;
  return std::max(absl::ZeroDuration(), end - ToTime(job.start_time()));
}

std::string MemoryText(double megabytes) {
  const int64_t whole = numbers::WholePart(megabytes);
  return static_cast<double>(whole) == megabytes ? slurm::MegabytesText(whole)
                                                 : absl::StrFormat("%.15gM", megabytes);
}

std::string TresText(const v1::Job& job) {
  std::string text = absl::StrCat("cpu=", NumberText(CpusOf(job)));
  const double memory = TresOf(job, "mem");
  if (memory > 0) absl::StrAppend(&text, ",mem=", MemoryText(memory));
  absl::StrAppend(&text, ",node=", NodesOf(job));
  const std::map<std::string, double> sorted(job.tres().begin(), job.tres().end());
  if (sorted.contains("billing"))
    absl::StrAppend(&text, ",billing=", NumberText(sorted.at("billing")));
  for (const auto& [name, count] : sorted) {
    if (name == "cpu" || name == "mem" || name == "node" || name == "billing") continue;
    absl::StrAppend(&text, ",", name, "=", NumberText(count));
  }
  return text;
}

uint32_t NodesOf(const v1::Job& job) { return std::max(1u, job.nodes()); }

double CpusOf(const v1::Job& job) {
  if (job.cpus() > 0) return job.cpus();
  return TresOf(job, "cpu") > 0 ? TresOf(job, "cpu") : 1;
}

std::string ErrorText(const v1::JobUpdateResult& result) {
  if (result.outcome() == v1::UPDATE_OUTCOME_NOT_FOUND) {
    return absl::StrCat("Invalid job id specified for job ", result.job_id());
  }
  if (result.reason() == "AccessDenied") {
    return absl::StrCat("Access/permission denied for job ", result.job_id(), " (",
                        result.message(), ")");
  }
  return absl::StrCat(result.reason(), " for job ", result.job_id(), " (", result.message(), ")");
}

}  // namespace priorityd::jobs
