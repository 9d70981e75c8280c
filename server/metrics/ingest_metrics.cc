#include "server/metrics/ingest_metrics.h"

#include <map>
#include <string>

#include "absl/time/time.h"

namespace priorityd::metrics {
namespace {

void AddRecords(const usage::IngestMeasures& measures, const Snapshots& snapshots,
                ClusterLabels* labels, Families* families) {
  std::map<std::string, usage::RecordCounts> by_label;
  for (const auto& [cluster, counts] : measures.records()) {
    if (!snapshots.contains(cluster)) continue;
    usage::RecordCounts& sum = by_label[labels->Of(cluster)];
    sum.accepted += counts.accepted;
    sum.duplicate += counts.duplicate;
    sum.rejected += counts.rejected;
  }
  Family total = families->Counter("priorityd_usage_records_total", "Usage records by outcome");
  for (const auto& [label, counts] : by_label) {
    total.Add(static_cast<double>(counts.accepted), {{"cluster", label}, {"outcome", "accepted"}})
        .Add(static_cast<double>(counts.duplicate), {{"cluster", label}, {"outcome", "duplicate"}})
        .Add(static_cast<double>(counts.rejected), {{"cluster", label}, {"outcome", "rejected"}});
  }
}

void AddRejected(const usage::IngestMeasures& measures, Families* families) {
  Family total = families->Counter("priorityd_usage_records_rejected_total",
                                   "Rejected usage records by source; beyond 100 sources: other");
  for (const auto& [source, count] : measures.rejected()) {
    total.Add(static_cast<double>(count), {{"source", source}});
  }
}

void AddJobEnds(const usage::JobEndMeasures& measures, const Snapshots& snapshots,
                ClusterLabels* labels, Families* families) {
  std::map<std::string, usage::JobEndCounts> by_label;
  for (const auto& [cluster, counts] : measures.counts()) {
    if (snapshots.contains(cluster)) by_label[labels->Of(cluster)] += counts;
  }
  Family total = families->Counter("priorityd_job_ends_total",
                                   "Ends of jobs under UsageFromJobEnd by outcome");
  for (const auto& [label, counts] : by_label) {
    const auto add = [&, &name = label](const char* outcome, int64_t count) {
      total.Add(static_cast<double>(count), {{"cluster", name}, {"outcome", outcome}});
    };
    add("recorded", counts.recorded);
    add("duplicate", counts.duplicate);
    add("rejected", counts.rejected);
    add("earlier", counts.earlier);
  }
}

void AddQueue(const usage::UsageRecorder& recorder, Families* families) {
  const usage::GroupCommitter::Waiting waiting = recorder.waiting();
  families->Gauge("priorityd_usage_queue_records", "Usage records waiting for a commit")
      .Add(static_cast<double>(waiting.records));
  families
      ->Gauge("priorityd_usage_queue_oldest_wait_seconds",
              "Waiting time of the oldest usage record in the queue")
      .Add(absl::ToDoubleSeconds(waiting.longest));
  families
      ->Gauge("priorityd_usage_commit_at_work_seconds",
              "Duration so far of the oldest running commit")
      .Add(absl::ToDoubleSeconds(recorder.CommittingFor()));
}

}  // namespace

void AddIngest(const usage::UsageRecorder& recorder, const Snapshots& snapshots,
               ClusterLabels* labels, Families* families) {
  const usage::IngestMeasures& measures = recorder.measures();
  AddRecords(measures, snapshots, labels, families);
  AddRejected(measures, families);
  AddJobEnds(recorder.job_end_measures(), snapshots, labels, families);
  families
      ->Histogram("priorityd_usage_record_lateness_seconds",
                  "Time from the end of an accepted record to its commit")
      .Add(measures.lateness_seconds().Read());
  families->Histogram("priorityd_usage_commit_records", "Usage records per commit")
      .Add(measures.commit_records().Read());
  families
      ->Histogram("priorityd_usage_commit_duration_seconds",
                  "Duration of commits, including failed ones")
      .Add(measures.commit_seconds().Read());
  families
      ->Counter("priorityd_usage_commit_failures_total",
                "Commits of usage records that failed, or are retried after a lock conflict")
      .Add(static_cast<double>(measures.failed_commits()));
  AddQueue(recorder, families);
}

}  // namespace priorityd::metrics
