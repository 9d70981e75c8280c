#include "client/slurm/tables/ledger_runs.h"

#include <algorithm>
#include <utility>

#include "client/timestamp.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

using Tres = std::map<std::string, double>;

double SecondsOf(const v1::UsageRecord& record) {
  return absl::ToDoubleSeconds(client::FromTimestamp(record.end_time()) -
                               client::FromTimestamp(record.start_time()));
}

// The average of the TRES held for `wall` seconds and then for `seconds`. Equal TRES are not
// rounded.
void Average(double wall, const Tres& more, double seconds, Tres* held) {
  if (*held == more || seconds <= 0) return;
  if (wall <= 0) {
    *held = more;
    return;
  }
  for (auto& [name, count] : *held) count *= wall / (wall + seconds);
  for (const auto& [name, count] : more) (*held)[name] += count * seconds / (wall + seconds);
}

class Folder {
 public:
  void Add(const v1::LedgerRecord& row) {
    const v1::UsageRecord& record = row.record();
    if (record.job_id().empty()) return;
    JobRun& run = RunFor(record);
    const double seconds = SecondsOf(record);
    Average(run.wall, {record.tres().begin(), record.tres().end()}, seconds, &run.tres);
    run.wall += seconds;
    run.end = std::max(run.end, client::FromTimestamp(record.end_time()));
    run.last = row;
    if (!record.has_job()) return;
    run.accounting = record.job();
    if (record.job().has_end_time()) {
      run.end = std::max(run.end, client::FromTimestamp(record.job().end_time()));
    }
  }

  std::vector<JobRun> Take() && { return std::move(runs_); }

 private:
  JobRun& RunFor(const v1::UsageRecord& record) {
    auto& latest = latest_[{record.source(), record.job_id()}];
    absl::Time start = client::FromTimestamp(record.start_time());
    if (record.job().has_start_time()) start = client::FromTimestamp(record.job().start_time());
    for (const size_t run : latest) {
      const bool goes_on = !record.has_job() && runs_[run].end == start;
      if (runs_[run].start == start || goes_on) return runs_[run];
    }
    latest.push_back(runs_.size());
    JobRun& run = runs_.emplace_back();
    run.start = run.end = start;
    run.tres = {record.tres().begin(), record.tres().end()};
    return run;
  }

  std::vector<JobRun> runs_;
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> latest_;
};

}  // namespace

double JobRun::Held(const std::string& name) const {
  const auto found = tres.find(name);
  return found == tres.end() ? 0 : found->second;
}

double JobRun::Seconds() const { return wall > 0 ? wall : absl::ToDoubleSeconds(end - start); }

double JobRun::CpuEfficiency() const {
  const double held = Held("cpu") * Seconds();
  if (!accounting.has_total_cpu() || held <= 0) return -1;
  return TotalCpuSeconds(accounting) / held;
}

double JobRun::NodeMemory() const {
  const double memory = Held("mem") > 0 ? Held("mem") : accounting.req_mem();
  return memory / std::max(1.0, Held("node"));
}

double JobRun::MemoryEfficiency() const {
  return accounting.has_max_rss() && NodeMemory() > 0 ? accounting.max_rss() / NodeMemory() : -1;
}

double TotalCpuSeconds(const v1::JobAccounting& job) {
  return static_cast<double>(job.total_cpu().seconds()) + job.total_cpu().nanos() / 1e9;
}

std::optional<absl::Duration> TimeLimitOf(const v1::JobAccounting& job) {
  if (!job.has_time_limit()) return std::nullopt;
  if (job.time_limit().seconds() >= kUnlimitedSeconds) return absl::InfiniteDuration();
  return absl::Seconds(job.time_limit().seconds());
}

std::vector<JobRun> RunsOf(const google::protobuf::RepeatedPtrField<v1::LedgerRecord>& records) {
  Folder folder;
  for (const v1::LedgerRecord& record : records) folder.Add(record);
  return std::move(folder).Take();
}

}  // namespace priorityd::tables
