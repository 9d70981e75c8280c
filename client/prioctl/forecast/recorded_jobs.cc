#include "client/prioctl/forecast/recorded_jobs.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
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

absl::StatusOr<RecordedJobs> ReadSacct(const std::string& name, absl::string_view content,
                                       absl::TimeZone zone) {
  const auto rows = replay::ReadSacctJobs(name, content, zone);
  if (!rows.ok()) return rows.status();
  RecordedJobs recorded;
  int64_t without_submit = 0;
  for (const replay::SacctJob& row : *rows) {
    if (row.is_step) continue;
    const std::optional<absl::Time> submit = row.submit.has_value() || row.eligible.has_value()
                                                 ? std::max(row.submit, row.eligible)
                                                 : row.start;
    if (!submit.has_value()) {
      ++without_submit;
      continue;
    }
    RecordedJob job = {replay::ForecastJobOf(row.job)};
    // A job that became eligible waits from then on.
    job.job.submit_time = SecondsOf(std::min(*submit, row.start.value_or(*submit)));
    if (row.start.has_value()) job.start = SecondsOf(*row.start);
    if (row.end.has_value()) (row.start.has_value() ? job.end : job.cancel) = SecondsOf(*row.end);
    recorded.jobs.push_back(std::move(job));
  }
  if (without_submit > 0) {
    recorded.notes.push_back(
        absl::StrCat(name, ": jobs without a submit time, left out: ", without_submit));
  }
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
