#include "client/slurm/observer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/rpc_error.h"
#include "client/slurm/site_texts.h"
#include "client/slurm/slurm_priorities.h"
#include "client/slurm/tables/report_time.h"
#include "client/slurm/tables/sacct_records.h"
#include "client/slurm/tables/squeue_jobs.h"
#include "client/timestamp.h"

namespace priorityd::slurm_frontend {
namespace {

namespace v1 = ::priority::v1;

constexpr int kRecordsInBatch = 10000;

// Of another cluster if one is named; with the runs of a job before it was requeued (-D).
Arguments SacctCommand(const std::string& cluster, absl::Time since) {
  Arguments command = {"env", "TZ=UTC", "SLURM_TIME_FORMAT=standard", "sacct", "-a", "-X",
                       "-D",  "-P"};
  if (!cluster.empty()) command.insert(command.end(), {"-M", cluster});
  command.insert(command.end(),
                 {"-S", tables::ReportTimeText(since, absl::UTCTimeZone()),
                  "--format=JobIDRaw,User,Account,Partition,QOS,Start,End,Suspended,AllocTRES"});
  return command;
}

// Job numbers and partitions are those of its cluster; AllocTRES prices its usage.
void NameCluster(const std::string& cluster, v1::UsageRecord* record) {
  if (cluster.empty()) return;
  record->set_record_id(absl::StrCat(cluster, "/", record->record_id()));
  record->set_job_id(absl::StrCat(cluster, "/", record->job_id()));
  record->clear_partition();
}

absl::Status CheckOthers(const std::vector<std::string>& others, const std::string& cluster) {
  if (std::find(others.begin(), others.end(), cluster) == others.end()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "--usage-clusters: got ", cluster, ", the cluster itself, want others of its slurmdbd"));
}

// The rest of usage after so long.
double Decayed(absl::Duration elapsed, absl::Duration half_life) {
  if (half_life == absl::InfiniteDuration()) return 1;
  return std::exp2(-absl::FDivDuration(elapsed, half_life));
}

}  // namespace

Observer::Observer(ObserverOptions options, const client::PriorityClient* client, RunCommand run)
    : options_(std::move(options)),
      client_(client),
      run_(std::move(run)),
      mirror_(options_.mirror, client),
      records_since_(options_.sacct_since) {}

absl::StatusOr<Observer::Seen> Observer::Look() const {
  Seen seen;
  auto site = ReadSiteTexts(run_);
  if (!site.ok()) return site.status();
  seen.site = *std::move(site);
  if (absl::Status others = CheckOthers(options_.usage_clusters, seen.site.cluster); !others.ok())
    return others;
  auto rules = ReadPriorityRules(seen.site.config);
  if (!rules.ok()) return rules.status();
  seen.input.rules = *std::move(rules);
  auto texts = ReadPassTexts(run_, seen.input.rules.multifactor);
  if (!texts.ok()) return texts.status();
  seen.shares = std::move(texts->shares);
  auto queue = tables::ReadSqueueJobs("squeue", texts->queue, absl::UTCTimeZone());
  if (!queue.ok()) return queue.status();
  auto rows = tables::ReadSprioTable(texts->priorities);
  if (!rows.ok()) return rows.status();
  seen.input.theirs = *std::move(rows);
  seen.input.queue = *std::move(queue);
  if (options_.restore) {
    auto jobs = tables::ReadSqueuePriorities("squeue", texts->queue);
    if (!jobs.ok()) return jobs.status();
    seen.drive = {*std::move(jobs), seen.input.theirs, seen.input.rules.multifactor};
    options_.restore(seen.drive, &seen.input.queue);
  } else {
    CopySetByHand(seen.input.theirs, &seen.input.queue);
  }
  seen.pass = LastPass(seen.input.theirs, seen.input.rules, AccrueTimes(seen.input.queue));
  return seen;
}

absl::StatusOr<PassReport> Observer::Pass() {
  absl::StatusOr<PassReport> report = TryPass();
  // The priorityd that answers next may be another one.
  if (!report.ok()) mirror_.Forget();
  return report;
}

absl::StatusOr<PassReport> Observer::TryPass() {
  absl::StatusOr<Seen> seen = Look();
  if (!seen.ok()) return seen.status();
  PassReport report;
  if (absl::Status taken = Write(*seen, &report); !taken.ok()) return taken;
  if (options_.restore) {
    absl::StatusOr<std::vector<std::string>> order = Order();
    if (!order.ok()) return order.status();
    report.order = *std::move(order);
    report.drive = std::move(seen->drive);
    return report;
  }
  report.has_comparison = seen->input.rules.multifactor;
  if (!report.has_comparison) return report;
  seen->input.site_changed = report.site_taken && has_compared_;
  has_compared_ = true;
  seen->input.usage_of_records = options_.usage != UsageFrom::kSshare;
  seen->input.usage_clusters = absl::StrJoin(options_.usage_clusters, ", ");
  seen->input.tolerance = options_.tolerance;
  seen->input.zone = options_.zone;
  if (absl::Status compared = CompareWith(&*seen, &report); !compared.ok()) return compared;
  const absl::StatusOr<bool> taken = WriteAges(*seen, &report);
  if (!taken.ok()) return taken.status();
  if (!*taken) return report;
  if (absl::Status compared = CompareWith(&*seen, &report); !compared.ok()) return compared;
  return report;
}

absl::Status Observer::CompareWith(Seen* seen, PassReport* report) {
  if (absl::Status ranked = Rank(seen->pass, &seen->input); !ranked.ok()) return ranked;
  report->comparison = Compare(seen->input, [this](const auto& ids) { return LookUp(ids); });
  return absl::OkStatus();
}

absl::StatusOr<bool> Observer::WriteAges(const Seen& seen, PassReport* report) {
  if (!options_.ages_of_slurm) return false;
  std::map<std::string, bool> wanted;
  for (const JobDifference& difference : report->comparison.differences) {
    for (const FactorDifference& factor : difference.factors) {
      if (factor.name == "age") wanted[difference.job_id] = true;
    }
  }
  // Jobs that depend on it would take its removal for its end.
  std::vector<v1::Job> jobs;
  for (const v1::Job& job : seen.input.queue.jobs()) {
    const bool differs = wanted.count(job.job_id()) != 0 && job.has_accrue_time();
    if (differs && !IsAwaited(job.job_id(), seen.input.queue)) jobs.push_back(job);
  }
  if (jobs.empty()) return false;
  report->ages_taken = static_cast<int64_t>(jobs.size());
  absl::Status added = mirror_.AddAgain(jobs);
  if (!added.ok()) return added;
  return true;
}

absl::Status Observer::Write(const Seen& seen, PassReport* report) {
  const absl::StatusOr<bool> site = mirror_.WriteSite(seen.site);
  if (!site.ok()) return site.status();
  report->site_taken = *site;
  report->warnings = mirror_.warnings();
  report->cluster = mirror_.cluster();
  if (absl::Status set = mirror_.SetClock(seen.pass); !set.ok()) return set;
  if (absl::Status used = WriteUsage(seen, report); !used.ok()) return used;
  if (absl::Status done = mirror_.Recalculate(seen.pass); !done.ok()) return done;
  absl::StatusOr<QueueChange> queue = mirror_.WriteQueue(seen.input.queue);
  if (!queue.ok()) return queue.status();
  report->queue = *std::move(queue);
  return absl::OkStatus();
}

absl::Status Observer::WriteUsage(const Seen& seen, PassReport* report) {
  if (options_.usage == UsageFrom::kSacct) return RecordRuns(report);
  if (options_.usage == UsageFrom::kNone) return absl::OkStatus();
  AskOthers(seen.input.rules.half_life, report);
  const auto shares = JoinedUsage(seen);
  if (!shares.ok()) return shares.status();
  if (!shares->has_value()) return absl::OkStatus();  // The usage in priorityd decays meanwhile.
  const absl::StatusOr<bool> taken = mirror_.WriteShares(**shares);
  if (!taken.ok()) return taken.status();
  report->usage_taken = *taken;
  return absl::OkStatus();
}

void Observer::AskOthers(absl::Duration half_life, PassReport* report) {
  for (const std::string& cluster : options_.usage_clusters) {
    absl::StatusOr<std::string> shares = ReadSharesOf(run_, cluster);
    const auto known = others_.find(cluster);
    if (shares.ok()) {
      others_[cluster] = {{cluster, *std::move(shares)}, absl::Now()};
      continue;
    }
    if (known != others_.end()) {
      known->second.shares.weight = Decayed(absl::Now() - known->second.reported_at, half_life);
    }
    report->away.push_back(absl::StrCat("usage of ", cluster,
                                        known == others_.end()
                                            ? " is not known yet, that of priorityd stays: "
                                            : " counts as it was last known: ",
                                        client::Describe(shares.status())));
  }
}

absl::StatusOr<std::optional<std::string>> Observer::JoinedUsage(const Seen& seen) const {
  if (options_.usage_clusters.empty()) return seen.shares;
  if (others_.size() < options_.usage_clusters.size()) return std::nullopt;
  std::vector<ClusterShares> others;
  for (const auto& [cluster, other] : others_) others.push_back(other.shares);
  absl::StatusOr<std::string> joined = JoinShares(seen.shares, others);
  if (!joined.ok()) return joined.status();
  return *std::move(joined);
}

absl::Status Observer::RecordRuns(PassReport* report) {
  const absl::Time now = absl::Now();
  const absl::Time since = records_since_.Begin(now);
  absl::Status taken = RecordRunsOf("", since, report);
  for (const std::string& cluster : options_.usage_clusters) {
    if (taken.ok()) taken = RecordRunsOf(cluster, since, report);
  }
  if (!taken.ok()) return taken;
  records_since_.Recorded(now);
  report->usage_taken = report->usage_records > 0;
  if (report->usage_taken) mirror_.UsageWasRecorded();
  return absl::OkStatus();
}

absl::Status Observer::RecordRunsOf(const std::string& cluster, absl::Time since,
                                    PassReport* report) {
  const absl::StatusOr<std::string> text = run_(SacctCommand(cluster, since), "");
  if (!text.ok()) return text.status();
  // slurmdbd keeps a faulty row, such as one of a clock that went back: the others count.
  std::vector<std::string> faults;
  auto records = tables::ReadSacctRecords("sacct", *text, options_.mirror.source,
                                          absl::UTCTimeZone(), &faults);
  if (!records.ok()) return records.status();
  report->usage_rejected += static_cast<int64_t>(faults.size());
  if (report->first_rejection.empty() && !faults.empty()) report->first_rejection = faults[0];
  v1::RecordUsageRequest request;
  for (size_t i = 0; i < records->records.size(); ++i) {
    NameCluster(cluster, &records->records[i]);
    *request.add_records() = std::move(records->records[i]);
    const bool last = i + 1 == records->records.size();
    if (!last && request.records_size() < kRecordsInBatch) continue;
    absl::Status recorded = Record(std::exchange(request, {}), report);
    if (!recorded.ok()) return recorded;
  }
  return absl::OkStatus();
}

absl::Status Observer::Record(v1::RecordUsageRequest request, PassReport* report) const {
  request.set_cluster(mirror_.cluster());
  const absl::StatusOr<v1::RecordUsageResponse> answer = client_->RecordUsage(request);
  if (!answer.ok()) return answer.status();
  report->usage_records += answer->accepted();
  report->usage_rejected += answer->rejected();
  for (int i = 0; i < answer->results_size() && report->first_rejection.empty(); ++i) {
    if (answer->results(i).status() != v1::USAGE_RECORD_STATUS_REJECTED) continue;
    report->first_rejection =
        absl::StrCat(request.records(i).record_id(), ": ", answer->results(i).message());
  }
  return absl::OkStatus();
}

absl::Status Observer::Rank(std::optional<absl::Time> pass, ComparisonInput* input) const {
  v1::RankJobsRequest request;
  request.set_cluster(mirror_.cluster());
  request.mutable_tracked();
  request.set_view(v1::RANK_VIEW_FULL);
  request.set_running_limit(0);
  if (pass.has_value()) *request.mutable_as_of() = client::ToTimestamp(*pass);
  absl::StatusOr<v1::RankJobsResponse> response = client_->RankJobs(std::move(request));
  if (!response.ok()) return response.status();
  input->ours = *std::move(response);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Observer::Order() const {
  v1::RankJobsRequest request;
  request.set_cluster(mirror_.cluster());
  request.mutable_tracked();
  request.set_best_only(true);
  request.set_ineligible_limit(0);
  request.set_running_limit(0);
  const absl::StatusOr<v1::RankJobsResponse> response = client_->RankJobs(std::move(request));
  if (!response.ok()) return response.status();
  std::vector<std::string> order;
  for (const v1::RankedJob& row : response->ranked()) order.push_back(row.job_id());
  return order;
}

std::map<std::string, v1::TrackedJob> Observer::LookUp(
    const std::vector<std::string>& job_ids) const {
  v1::ListJobsRequest request;
  request.set_cluster(mirror_.cluster());
  request.mutable_job_ids()->Add(job_ids.begin(), job_ids.end());
  std::map<std::string, v1::TrackedJob> jobs;
  // Without an answer, differences lack that reason.
  const absl::StatusOr<v1::ListJobsResponse> response = client_->ListAllJobs(std::move(request));
  if (!response.ok()) return jobs;
  for (const v1::TrackedJob& job : response->jobs()) jobs[job.job().job_id()] = job;
  return jobs;
}

}  // namespace priorityd::slurm_frontend
