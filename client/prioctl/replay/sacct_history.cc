#include "client/prioctl/replay/sacct_history.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/slurm/tables/report_time.h"
#include "client/slurm/tables/sacct_records.h"
#include "client/slurm/tables/slurm_rows.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/words/hostlist.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::replay {
namespace {

using laboratory::HistoryJob;
using tables::SlurmRow;

// Reads one row after another.
class Reader {
 public:
  explicit Reader(absl::TimeZone zone) : zone_(zone) {}

  absl::StatusOr<SacctJob> Read(const SlurmRow& row) const {
    SacctJob job;
    job.job.id = row.Text({"JobIDRaw", "JobID", "job_id"});
    // Not the dots of a long list of tasks, `7_[1,3,...]`.
    job.is_step = absl::StrContains(job.job.id.substr(0, job.job.id.find('[')), '.');
    if (job.is_step) return job;
    absl::Status read = ReadTime(row, {"Submit", "time.submission"}, &job.submit);
    read.Update(ReadTime(row, {"Eligible", "time.eligible"}, &job.eligible));
    read.Update(ReadTime(row, {"Start", "time.start"}, &job.start));
    read.Update(ReadTime(row, {"End", "time.end"}, &job.end));
    read.Update(ReadTimeLimit(row, &job.job.time_limit));
    if (!read.ok()) return read;
    if (job.end.has_value() && job.start > job.end) job.start.reset();
    ReadNames(row, &job.job);
    read.Update(ReadListedId(row, &job));
    read.Update(ReadResources(row, &job));
    if (!read.ok()) return read;
    job.is_held = !job.eligible.has_value() && !job.start.has_value() &&
                  row.HasColumn({"Eligible", "time.eligible"});
    return job;
  }

 private:
  absl::Status ReadTime(const SlurmRow& row, std::initializer_list<absl::string_view> columns,
                        std::optional<absl::Time>* time) const {
    auto moment = row.Moment(columns, zone_);
    if (!moment.ok()) return moment.status();
    *time = *moment;
    return absl::OkStatus();
  }

  static absl::Status ReadTimeLimit(const SlurmRow& row, std::optional<absl::Duration>* limit) {
    const std::string text = row.Text({"Timelimit"});
    if (absl::EqualsIgnoreCase(text, "Partition_Limit")) return absl::OkStatus();
    if (!text.empty()) {
      const absl::StatusOr<absl::Duration> time = slurm::ParseTimeString(text);
      if (!time.ok()) return row.Violation("Timelimit", text, "a time such as 1-00:00:00");
      *limit = *time;
      return absl::OkStatus();
    }
    if (row.Text({"time.limit"}) == tables::kUnlimitedText) {
      *limit = absl::InfiniteDuration();
      return absl::OkStatus();
    }
    const auto minutes = row.Number({"TimelimitRaw", "time.limit"});
    if (!minutes.ok()) return minutes.status();
    if (minutes->has_value()) *limit = absl::Minutes(**minutes);
    return absl::OkStatus();
  }

  static void ReadNames(const SlurmRow& row, HistoryJob* job) {
    job->user = row.Text({"User", "user"});
    job->account = row.Text({"Account", "account"});
    job->partitions = absl::StrSplit(row.Text({"Partition", "partition"}), ',', absl::SkipEmpty());
    job->qos = row.Text({"QOS", "qos"});
    auto nodes = slurm::ExpandHostlist(row.Text({"NodeList", "nodes"}));
    if (nodes.ok()) job->node_names = *std::move(nodes);
  }

  // JSON has the ids of an array's job apart.
  static absl::Status ReadListedId(const SlurmRow& row, SacctJob* job) {
    job->listed_id = row.Text({"JobID", "JobIDRaw", "job_id"});
    const auto array = row.NumberOrZero({"array.job_id"});
    if (!array.ok()) return array.status();
    if (*array == 0) return absl::OkStatus();
    const std::string waiting = row.Text({"array.task"});
    const auto task = row.Number({"array.task_id"});
    if (!task.ok()) return task.status();
    if (!waiting.empty()) {
      job->listed_id = absl::StrFormat("%.0f_[%s]", *array, waiting);
    } else if (task->has_value()) {
      job->listed_id = absl::StrFormat("%.0f_%.0f", *array, **task);
    }
    return absl::OkStatus();
  }

  static absl::Status ReadResources(const SlurmRow& row, SacctJob* read) {
    HistoryJob* job = &read->job;
    const auto given_cpus = row.NumberOrZero({"AllocCPUS", "NCPUS"});
    if (!given_cpus.ok()) return given_cpus.status();
    const auto given_nodes = row.NumberOrZero({"AllocNodes", "NNodes", "allocation_nodes"});
    if (!given_nodes.ok()) return given_nodes.status();
    const auto tres = row.Tres({"AllocTRES"});
    if (!tres.ok()) return tres.status();
    double cpus = *given_cpus;
    double nodes = *given_nodes;
    for (const auto& [written, count] : *tres) {
      const std::string name = absl::AsciiStrToLower(written);
      if (name == "cpu") {
        cpus = count;
      } else if (name == "node") {
        nodes = count;
      } else if (name != "billing" && name != "energy") {
        job->tres[name] = count;
      }
    }
    // A job that waits has none yet.
    const auto requested = row.NumberOrZero({"ReqCPUS", "required.CPUs"});
    if (!requested.ok()) return requested.status();
    read->requested_cpus = *requested;
    if (cpus == 0) cpus = *requested;
    job->nodes = static_cast<uint32_t>(std::clamp(nodes, 1.0, 1e6));
    job->cpus = cpus > 0 ? cpus : job->nodes;
    return absl::OkStatus();
  }

  const absl::TimeZone zone_;
};

// Adds what a replay can play.
void AddPlayable(SacctJob from, History* history) {
  const char* reason = from.is_step              ? "steps"
                       : !from.start.has_value() ? "never started"
                       : !from.end.has_value()   ? "still running"
                                                 : nullptr;
  if (reason != nullptr) {
    ++history->left_out[reason];
    return;
  }
  HistoryJob& job = from.job;
  job.submit = std::min(from.submit.value_or(*from.start), *from.start);
  job.eligible = std::clamp(from.eligible.value_or(job.submit), job.submit, *from.start);
  job.start = *from.start;
  job.run_time = *from.end - *from.start;
  history->jobs.push_back(std::move(job));
}

std::string AllocTresText(const HistoryJob& job) {
  std::string text = absl::StrCat("cpu=", job.cpus, ",node=", job.nodes);
  for (const auto& [name, count] : job.tres) {
    absl::StrAppend(&text, ",", name, "=", numbers::WholeText(std::round(count)),
                    name == "mem" ? "M" : "");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::vector<SacctJob>> ReadSacctJobs(const std::string& name,
                                                    absl::string_view content,
                                                    absl::TimeZone zone) {
  const auto rows = tables::ReadSlurmRows(
      name, content, {"JobID/JobIDRaw", "User", "Account", "Submit", "Start", "End"},
      {{"AllocTRES", tables::AllocatedTresText}});
  if (!rows.ok()) return rows.status();
  const Reader reader(zone);
  std::vector<SacctJob> jobs;
  for (const SlurmRow& row : *rows) {
    auto job = reader.Read(row);
    if (!job.ok()) return job.status();
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

absl::StatusOr<History> ReadSacctHistory(const std::string& name, absl::string_view content,
                                         absl::TimeZone zone) {
  auto jobs = ReadSacctJobs(name, content, zone);
  if (!jobs.ok()) return jobs.status();
  History history{.name = name};
  for (SacctJob& job : *jobs) AddPlayable(std::move(job), &history);
  Settle(&history);
  return history;
}

std::string SacctText(absl::Span<const HistoryJob> jobs, const laboratory::Played& played,
                      absl::Span<const std::string> node_names, absl::TimeZone zone) {
  std::string text =
      "JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Timelimit|AllocTRES|NodeList|"
      "State\n";
  const auto moment = [&](absl::Time time) { return tables::ReportTimeText(time, zone); };
  for (size_t i = 0; i < jobs.size(); ++i) {
    const HistoryJob& job = jobs[i];
    if (!played.schedule.starts[i].has_value()) continue;
    const absl::Time start = *played.schedule.starts[i];
    std::vector<std::string> nodes;
    for (const int node : played.nodes[i]) nodes.push_back(node_names[node]);
    const std::vector<std::string> cells = {
        job.id,
        job.user,
        job.account,
        absl::StrJoin(job.partitions, ","),
        job.qos,
        moment(job.submit),
        moment(job.eligible),
        moment(start),
        moment(start + job.run_time),
        job.time_limit.has_value() ? slurm::FormatTimeString(*job.time_limit) : "",
        AllocTresText(job),
        slurm::CompressHosts(std::move(nodes)),
        "COMPLETED"};
    absl::StrAppend(&text, absl::StrJoin(cells, "|"), "\n");
  }
  return text;
}

}  // namespace priorityd::replay
