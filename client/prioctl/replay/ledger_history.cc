#include "client/prioctl/replay/ledger_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/slurm/tables/ledger_runs.h"
#include "client/timestamp.h"
#include "engine/slurm/conf/node_kinds.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::replay {
namespace {

namespace v1 = ::priority::v1;

using laboratory::HistoryJob;

void SetNames(const tables::JobRun& run, HistoryJob* job) {
  const v1::UsageRecord& record = run.last.record();
  job->id = record.job_id();
  job->user = record.user();
  job->account = run.last.account();
  job->partitions = absl::StrSplit(record.partition(), ',', absl::SkipEmpty());
  job->qos = record.qos();
  auto nodes = slurm::ExpandHostlist(run.accounting.node_list());
  if (nodes.ok()) job->node_names = *std::move(nodes);
}

void SetTimes(const tables::JobRun& run, HistoryJob* job) {
  job->start = run.start;
  job->run_time = run.end - run.start;
  job->submit = run.accounting.has_submit_time()
                    ? client::FromTimestamp(run.accounting.submit_time())
                    : run.start;
  job->eligible = run.accounting.has_eligible_time()
                      ? client::FromTimestamp(run.accounting.eligible_time())
                      : job->submit;
  job->eligible = std::clamp(job->eligible, job->submit, run.start);
  job->time_limit = tables::TimeLimitOf(run.accounting);
}

void SetResources(const tables::JobRun& run, HistoryJob* job) {
  for (const auto& [name, count] : run.tres) {
    if (name != "cpu" && name != "node" && name != "billing" && name != "energy") {
      job->tres[name] = count;
    }
  }
  job->nodes = static_cast<uint32_t>(std::clamp(run.Held("node"), 1.0, 1e6));
  job->cpus = run.Held("cpu") > 0 ? run.Held("cpu") : job->nodes;
}

std::string JobsText(int64_t count) { return absl::StrCat(count, count == 1 ? " job" : " jobs"); }

}  // namespace

History LedgerHistory(const v1::ListUsageRecordsResponse& records,
                      std::vector<std::string>* notes) {
  History history{.name = absl::StrCat("the ledger of ", records.cluster())};
  int64_t without_submit = 0, without_limit = 0;
  for (const tables::JobRun& run : tables::RunsOf(records.records())) {
    if (run.tres.empty()) {
      ++history.left_out["held no TRES"];
      continue;
    }
    if (run.accounting.state() == "RUNNING" || run.accounting.state() == "SUSPENDED") {
      ++history.left_out["still running"];
      continue;
    }
    without_submit += !run.accounting.has_submit_time();
    without_limit += !run.accounting.has_time_limit();
    HistoryJob& job = history.jobs.emplace_back();
    SetNames(run, &job);
    SetTimes(run, &job);
    SetResources(run, &job);
  }
  if (without_submit > 0) {
    notes->push_back(absl::StrCat(JobsText(without_submit),
                                  " without a submit time: eligible when they started"));
  }
  if (without_limit > 0) {
    notes->push_back(absl::StrCat(JobsText(without_limit),
                                  " without a time limit: with that of the partition, "
                                  "otherwise the run time"));
  }
  history.has_waits =
      history.jobs.empty() || without_submit < static_cast<int64_t>(history.jobs.size());
  Settle(&history);
  return history;
}

}  // namespace priorityd::replay
