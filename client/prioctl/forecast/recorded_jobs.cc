#include "client/prioctl/forecast/recorded_jobs.h"

#include <algorithm>
#include <compare>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/replay/forecast_jobs.h"
#include "client/prioctl/replay/ledger_history.h"
#include "client/prioctl/replay/sacct_history.h"
#include "client/prioctl/replay/swf_history.h"
#include "client/swf/swf.h"
#include "engine/laboratory/history.h"
#include "engine/slurm/words/array_task_ids.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

using forecast::RecordedJob;

forecast::Seconds SecondsOf(absl::Time time) { return absl::ToUnixSeconds(time); }

// 0 = none, and for an unlimited one.
double LimitOf(const std::optional<absl::Duration>& limit) {
  if (!limit.has_value() || *limit == absl::InfiniteDuration()) return 0;
  return std::max(absl::ToDoubleSeconds(*limit), 0.0);
}

std::string NameOf(int64_t number) { return number < 0 ? "" : absl::StrCat(number); }

// Whether jobs of the trace have run, none of them with a wait time.
bool HasNoWaits(const std::vector<swf::SwfJob>& jobs) {
  const auto waits = [](const swf::SwfJob& job) { return job.wait_time.has_value(); };
  const auto runs = [](const swf::SwfJob& job) { return job.run_time.has_value(); };
  return std::none_of(jobs.begin(), jobs.end(), waits) &&
         std::any_of(jobs.begin(), jobs.end(), runs);
}

RecordedJob FromSwf(const swf::SwfJob& from, bool has_no_waits) {
  RecordedJob recorded;
  forecast::Job& job = recorded.job;
  job.id = absl::StrCat(from.number);
  job.submit_time = SecondsOf(from.submit_time);
  job.cpus = static_cast<double>(std::max<int64_t>(from.processors, 1));
  job.limit = LimitOf(from.requested_time);
  job.user = NameOf(from.user);
  job.account = NameOf(from.group);
  job.partition = absl::StrCat(NameOf(from.queue), "/", NameOf(from.partition));
  std::optional<absl::Duration> wait = from.wait_time;
  if (has_no_waits) wait = absl::ZeroDuration();
  if (!wait.has_value()) return recorded;
  const absl::Time left = from.submit_time + *wait;
  if (from.never_ran) {
    recorded.cancel = SecondsOf(left);
    return recorded;
  }
  recorded.start = SecondsOf(left);
  if (from.run_time.has_value()) recorded.end = SecondsOf(left + *from.run_time);
  return recorded;
}

absl::StatusOr<RecordedJobs> ReadSwf(const std::string& name, absl::string_view content) {
  const auto trace = swf::ParseSwf(content);
  if (!trace.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " ", trace.status().message()));
  }
  RecordedJobs recorded;
  recorded.cpus = static_cast<double>(trace->max_processors);
  const bool has_no_waits = HasNoWaits(trace->jobs);
  if (has_no_waits) {
    recorded.notes.push_back(absl::StrCat(
        name, ": no job has a wait time: all are taken to be submitted when they started"));
  }
  int64_t without_size = 0;
  for (const swf::SwfJob& job : trace->jobs) {
    without_size += job.processors == 0;
    recorded.jobs.push_back(FromSwf(job, has_no_waits));
  }
  if (without_size > 0) {
    recorded.notes.push_back(
        absl::StrCat(name, ": jobs without processors, taken as one each: ", without_size));
  }
  return recorded;
}

// Of all arrays of a file; each becomes a job.
constexpr size_t kMostWaitingTasks = 1'000'000;

// The jobs of a file that are left out or not wholly understood.
struct SacctLosses {
  int64_t without_submit = 0;
  int64_t held = 0;
  int64_t cut_arrays = 0;

  std::vector<std::string> Notes(const std::string& name) const {
    std::vector<std::string> notes;
    const auto add = [&](absl::string_view what, int64_t count) {
      if (count > 0) notes.push_back(absl::StrCat(name, ": ", what, ": ", count));
    };
    add("jobs without a submit time, left out", without_submit);
    add("jobs that were not eligible yet, left out", held);
    add("arrays whose waiting tasks are not all listed (run sacct with SLURM_BITSTR_LEN=0), taken "
        "as one job each",
        cut_arrays);
    return notes;
  }
};

// As it was known before its start; nullopt if it does not wait for resources.
std::optional<RecordedJob> FromSacct(const replay::SacctJob& row, SacctLosses* losses) {
  if (row.is_held) {
    ++losses->held;
    return std::nullopt;
  }
  const std::optional<absl::Time> submit = row.submit.has_value() || row.eligible.has_value()
                                               ? std::max(row.submit, row.eligible)
                                               : row.start;
  if (!submit.has_value()) {
    ++losses->without_submit;
    return std::nullopt;
  }
  RecordedJob job = {replay::ForecastJobOf(row.job)};
  job.job.id = row.listed_id;
  if (row.requested_cpus > 0) job.job.cpus = std::max(row.requested_cpus, 1.0);
  // A job that became eligible waits from then on.
  job.job.submit_time = SecondsOf(std::min(*submit, row.start.value_or(*submit)));
  if (row.start.has_value()) job.start = SecondsOf(*row.start);
  if (row.end.has_value()) (row.start.has_value() ? job.end : job.cancel) = SecondsOf(*row.end);
  return job;
}

// The tasks in an id such as `7_[1-50%5]`; empty for others.
absl::string_view WaitingTasksOf(absl::string_view id) {
  const size_t begin = id.find("_[");
  if (begin == absl::string_view::npos || !absl::EndsWith(id, "]")) return "";
  return id.substr(begin + 2, id.size() - begin - 3);
}

// Adds the job, or one for each task of an array's waiting rest: each has a row once it starts.
// INVALID_ARGUMENT if they become too many.
absl::Status AddTasks(const RecordedJob& job, size_t* tasks, SacctLosses* losses,
                      std::vector<RecordedJob>* jobs) {
  const absl::string_view waiting = WaitingTasksOf(job.job.id);
  const auto count = slurm::CountArrayTasks(waiting);
  losses->cut_arrays += !waiting.empty() && !count.ok();
  if (waiting.empty() || !count.ok()) {
    jobs->push_back(job);
    return absl::OkStatus();
  }
  *tasks += *count;
  if (*tasks > kMostWaitingTasks) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", *tasks, " waiting tasks of arrays up to ", job.job.id.substr(0, 80),
                     ", want at most ", kMostWaitingTasks, " in a file"));
  }
  const std::string array = job.job.id.substr(0, job.job.id.find('_'));
  slurm::ForEachArrayTask(waiting, [&](uint32_t task) {
    jobs->push_back(job);
    jobs->back().job.id = absl::StrCat(array, "_", task);
    return true;
  });
  return absl::OkStatus();
}

// The place of a job in the order of submit times, and of ids in each second: the row of waiting
// tasks is elsewhere than the rows of tasks that have started.
struct SacctKey {
  forecast::Seconds submit_time = 0;
  uint64_t number = 0;
  uint32_t task = 0;
  size_t row = 0;

  auto operator<=>(const SacctKey&) const = default;
};

SacctKey KeyOf(const RecordedJob& job, size_t row) {
  const std::pair<absl::string_view, absl::string_view> id =
      absl::StrSplit(job.job.id, absl::MaxSplits('_', 1));
  SacctKey key{.submit_time = job.job.submit_time, .row = row};
  if (!absl::SimpleAtoi(id.first, &key.number)) key.number = std::numeric_limits<uint64_t>::max();
  if (!absl::SimpleAtoi(id.second, &key.task)) key.task = 0;
  return key;
}

// Parses each id once: a file may have a million tasks, all submitted in one second.
void SortBySubmitTime(std::vector<RecordedJob>* jobs) {
  std::vector<SacctKey> keys;
  keys.reserve(jobs->size());
  for (size_t i = 0; i < jobs->size(); ++i) keys.push_back(KeyOf((*jobs)[i], i));
  std::sort(keys.begin(), keys.end());
  std::vector<RecordedJob> sorted;
  sorted.reserve(jobs->size());
  for (const SacctKey& key : keys) sorted.push_back(std::move((*jobs)[key.row]));
  *jobs = std::move(sorted);
}

absl::StatusOr<RecordedJobs> ReadSacct(const std::string& name, absl::string_view content,
                                       absl::TimeZone zone) {
  const auto rows = replay::ReadSacctJobs(name, content, zone);
  if (!rows.ok()) return rows.status();
  RecordedJobs recorded;
  SacctLosses losses;
  size_t tasks = 0;
  for (const replay::SacctJob& row : *rows) {
    if (row.is_step) continue;
    const std::optional<RecordedJob> job = FromSacct(row, &losses);
    if (!job.has_value()) continue;
    if (absl::Status s = AddTasks(*job, &tasks, &losses, &recorded.jobs); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": ", s.message()));
    }
  }
  SortBySubmitTime(&recorded.jobs);
  recorded.notes = losses.Notes(name);
  return recorded;
}

// Whether the first line is a usage record of its own; sacct --json is one document of many lines.
bool IsRecords(absl::string_view content) {
  const absl::string_view line = *absl::StrSplit(content, absl::MaxSplits('\n', 1)).begin();
  v1::UsageRecord record;
  return absl::StartsWith(line, "{") && ParseJson(line, &record).ok();
}

absl::StatusOr<RecordedJobs> ReadRecords(const std::string& name, absl::string_view content) {
  std::istringstream input{std::string(content)};
  JsonLinesReader reader(&input, name);
  std::vector<v1::UsageRecord> records;
  while (true) {
    v1::UsageRecord record;
    const auto more = reader.Next(&record);
    if (!more.ok()) return more.status();
    if (!*more) break;
    records.push_back(std::move(record));
  }
  std::stable_sort(records.begin(), records.end(), [](const auto& a, const auto& b) {
    return std::pair(a.end_time().seconds(), a.end_time().nanos()) <
           std::pair(b.end_time().seconds(), b.end_time().nanos());
  });
  v1::ListUsageRecordsResponse ledger;
  ledger.set_cluster(name);
  for (v1::UsageRecord& record : records) {
    *ledger.add_records()->mutable_record() = std::move(record);
  }
  std::vector<std::string> notes;
  RecordedJobs recorded = RecordedJobsOf(replay::LedgerHistory(ledger, &notes));
  recorded.notes = std::move(notes);
  return recorded;
}

}  // namespace

absl::StatusOr<RecordedJobs> ReadRecordedJobs(const std::string& name, absl::string_view content,
                                              absl::TimeZone zone) {
  absl::ConsumePrefix(&content, "\xEF\xBB\xBF");
  if (replay::IsSwf(content)) return ReadSwf(name, content);
  if (IsRecords(content)) return ReadRecords(name, content);
  return ReadSacct(name, content, zone);
}

RecordedJobs RecordedJobsOf(const replay::History& history) {
  RecordedJobs recorded;
  recorded.cpus = static_cast<double>(history.cpus);
  for (const laboratory::HistoryJob& from : history.jobs) {
    RecordedJob job = {replay::ForecastJobOf(from)};
    job.job.submit_time = SecondsOf(from.eligible);
    job.start = SecondsOf(from.start);
    job.end = SecondsOf(from.start + from.run_time);
    recorded.jobs.push_back(std::move(job));
  }
  return recorded;
}

}  // namespace priorityd::prioctl
