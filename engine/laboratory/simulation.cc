#include "engine/laboratory/simulation.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "engine/laboratory/job_queue.h"
#include "engine/laboratory/machine.h"
#include "engine/laboratory/scheduler.h"
#include "engine/laboratory/usage_book.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {
namespace {

// On an idle cluster, a job may still wait until usage decays below a limit; after this time the
// simulation gives up.
constexpr absl::Duration kPatience = absl::Hours(24 * 31);

priority::SnapshotSource SourceOf(const Site& site, const priority::Policy& policy) {
  priority::SnapshotSource source;
  source.generation = 1;
  source.policy_version = 1;
  source.cluster = site.cluster;
  source.policy = policy;
  source.partitions = site.partitions;
  source.qos = site.qos;
  source.default_accounts = site.default_accounts;
  source.tree = site.tree;
  return source;
}

// The time of the first event.
absl::Time BeginOf(absl::Span<const HistoryJob> jobs) {
  return jobs.empty() ? absl::UnixEpoch() : jobs.front().eligible;
}

class Simulation {
 public:
  Simulation(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options)
      : site_(site),
        jobs_(jobs),
        options_(options),
        machine_(site),
        scheduler_(machine_, options.plan),
        source_(SourceOf(site, options.policy)),
        book_(site, options.policy, BeginOf(jobs)),
        idle_(Recalculated()),
        limited_(!idle_->limits().empty()),
        may_free_itself_(limited_ || std::any_of(site.qos.begin(), site.qos.end(),
                                                 [](const priority::Qos& qos) {
                                                   return qos.enforce_usage_threshold;
                                                 })),
        resolver_(*idle_),
        billing_(*idle_),
        queue_(jobs, limited_),
        waiting_(jobs.size()) {
    played_.schedule.starts.resize(jobs.size());
    played_.nodes.resize(jobs.size());
    for (size_t job = 0; job < jobs.size(); ++job) {
      if (IsRecorded(job)) recorded_.push_back(job);
    }
    std::stable_sort(recorded_.begin(), recorded_.end(),
                     [&](size_t a, size_t b) { return jobs_[a].start < jobs_[b].start; });
  }

  Played Run() {
    for (absl::Time next = NextEvent(); next < absl::InfiniteFuture(); next = NextEvent()) {
      now_ = next;
      if (book_.AdvanceTo(now_)) snapshot_ = nullptr;
      EndJobs();
      AddJobs();
      StartRecorded();
      if (now_ >= options_.from) StartWaiting();
    }
    CountNeverStarted();
    played_.plans = scheduler_.plans();
    return std::move(played_);
  }

 private:
  // The data of a job from the time at which it begins to wait.
  struct WaitingJob {
    plan::Request request;
    priority::ResolvedJob resolved;
    std::vector<int> kinds;  // By its partitions.
  };
  struct Waiter {
    Candidate candidate;
    std::vector<const priority::RankedRow*> rows;  // By its places.
  };
  using End = std::pair<absl::Time, size_t>;

  bool IsRecorded(size_t job) const { return jobs_[job].start < options_.from; }

  // --- Events ------------------------------------------------------------------

  absl::Time NextEvent() {
    absl::Time next = absl::InfiniteFuture();
    if (next_job_ < jobs_.size()) next = jobs_[next_job_].eligible;
    if (next_recorded_ < recorded_.size()) {
      next = std::min(next, jobs_[recorded_[next_recorded_]].start);
    }
    if (!ends_.empty()) next = std::min(next, ends_.top().first);
    if (queue_.waiting() == 0) return next;
    const bool anything_comes = next < absl::InfiniteFuture() || now_ < options_.from;
    const bool is_patient = may_free_itself_ && book_.next() < last_change_ + kPatience;
    return anything_comes || is_patient ? std::min(next, book_.next()) : next;
  }

  void EndJobs() {
    for (; !ends_.empty() && ends_.top().first <= now_; ends_.pop()) {
      const size_t job = ends_.top().second;
      scheduler_.Release(job);
      queue_.End(job);
      running_.erase(job);
      last_change_ = now_;
    }
  }

  void AddJobs() {
    for (; next_job_ < jobs_.size() && jobs_[next_job_].eligible <= now_; ++next_job_) {
      AddJob(next_job_);
    }
  }

  // A job that does not fit an idle cluster is not queued, unless its start was recorded.
  void AddJob(size_t job) {
    waiting_[job] = std::make_unique<WaitingJob>();
    WaitingJob& waiting = *waiting_[job];
    waiting.request = machine_.RequestOf(jobs_[job]);
    waiting.resolved = resolver_.Resolve(ToEngine(jobs_[job]));
    most_places_ =
        std::max(most_places_, waiting.resolved.partitions.size() * waiting.resolved.qos.size());
    std::vector<int> fitting;
    for (const int partition : waiting.resolved.partitions) {
      const int kind = machine_.KindOf(jobs_[job], waiting.request, partition);
      waiting.kinds.push_back(kind);
      if (scheduler_.FitsIdle(waiting.request, kind)) fitting.push_back(kind);
    }
    last_change_ = now_;
    if (!IsRecorded(job) && waiting.resolved.reason == priority::Reason::kNone && fitting.empty()) {
      ++played_.never_started["BadConstraints"];
    } else {
      queue_.Add(job, fitting, waiting.request.nodes);
    }
  }

  void StartRecorded() {
    for (; next_recorded_ < recorded_.size(); ++next_recorded_) {
      const size_t job = recorded_[next_recorded_];
      if (jobs_[job].start > now_) return;
      const WaitingJob& waiting = *waiting_[job];
      const priority::ResolvedJob& resolved = waiting.resolved;
      priority::JobRow row;
      row.association = resolved.association;
      if (!resolved.partitions.empty()) row.partition = resolved.partitions[0];
      if (!resolved.qos.empty()) row.qos = resolved.qos[0];
      const int kind = machine_.KindOf(jobs_[job], waiting.request, row.partition);
      std::vector<int> nodes = machine_.NodesNamed(jobs_[job].node_names);
      if (nodes.empty()) nodes = scheduler_.FirstFit(waiting.request, kind);
      scheduler_.Hold(job, waiting.request, kind, nodes, now_ + TimeLimitOf(job, row.partition));
      Begin(job, row, std::move(nodes));
    }
  }

  // Updates queue, nodes and usage when a job starts.
  void Begin(size_t job, const priority::JobRow& row, std::vector<int> nodes) {
    played_.schedule.starts[job] = now_;
    played_.nodes[job] = std::move(nodes);
    ends_.emplace(now_ + jobs_[job].run_time, job);
    running_.insert(job);
    book_.Add(job, ChargeOf(job, row), now_, now_ + jobs_[job].run_time);
    const priority::PairNames names = priority::NamesOf(*idle_, row.partition, row.qos);
    queue_.Start(job, names.partition, names.qos, now_);
    waiting_[job] = nullptr;
    last_change_ = now_;
  }

  Charge ChargeOf(size_t job, const priority::JobRow& row) {
    const priority::Job engine = ToEngine(jobs_[job]);
    Charge charge{.association = row.association,
                  .qos = row.qos,
                  .usage_factor = row.qos < 0 ? 1 : site_.qos[row.qos].usage_factor,
                  .billing = billing_.Count(engine, row.partition)};
    priority::FillTres(engine, charge.tres);
    return charge;
  }

  // --- Recalculation ---------------------------------------------------------------

  std::unique_ptr<const priority::Snapshot> Recalculated() {
    priority::SnapshotSource source = source_;
    book_.Fill(&source);
    for (const size_t job : running_) {
      if (played_.schedule.starts[job] > book_.as_of()) continue;
      source.recorded_until[jobs_[job].id] = book_.as_of();
    }
    ++played_.recalculations;
    return priority::Snapshot::Compute(std::move(source));
  }

  const priority::Snapshot& Snapshot() {
    if (snapshot_ == nullptr) snapshot_ = Recalculated();
    return *snapshot_;
  }

  // --- Starts ----------------------------------------------------------------------

  bool AnyFits() const {
    return queue_.AnyFits([&](int kind, int nodes) {
      return scheduler_.FitsNow({nodes, machine_.kind(kind).per_node}, kind);
    });
  }

  void StartWaiting() {
    bool again = true;
    while (again && queue_.waiting() > 0 && AnyFits()) {
      const priority::Ranking ranking = Ranked();
      const std::vector<Waiter> waiters = WaitersOf(ranking);
      std::vector<Candidate> candidates;
      for (const Waiter& waiter : waiters) candidates.push_back(waiter.candidate);
      std::vector<Start> starts = scheduler_.StartAt(now_, candidates, limited_);
      for (Start& start : starts) {
        const Waiter& waiter = waiters[start.candidate];
        played_.backfilled += start.backfilled;
        Begin(waiter.candidate.job, *waiter.rows[start.place], std::move(start.nodes));
      }
      const bool all = starts.size() == waiters.size();
      again = !starts.empty() && (limited_ || all);
    }
  }

  priority::Ranking Ranked() {
    ++played_.rankings;
    return priority::Rank(
        Snapshot(), queue_.jobs(),
        {.as_of = now_,
         .limit = static_cast<size_t>(std::max(options_.plan.max_job_test, 1)) * most_places_ + 1,
         .ineligible_limit = 0});
  }

  // The first row of a job makes it a candidate; each row is a place.
  std::vector<Waiter> WaitersOf(const priority::Ranking& ranking) {
    std::vector<Waiter> waiters;
    absl::flat_hash_map<uint32_t, size_t> number_of;
    for (const priority::RankedRow& row : ranking.ranked) {
      const auto [number, is_new] = number_of.emplace(row.job, waiters.size());
      if (is_new) waiters.push_back(WaiterOf(row));
      Waiter& waiter = waiters[number->second];
      waiter.candidate.kinds.push_back(KindOf(waiter.candidate.job, row.partition));
      waiter.rows.push_back(&row);
    }
    return waiters;
  }

  Waiter WaiterOf(const priority::RankedRow& row) {
    const size_t job = queue_.NumberOf(row.job);
    return {.candidate = {.job = job,
                          .request = waiting_[job]->request,
                          .time_limit = TimeLimitOf(job, row.partition),
                          .user = UserOf(job),
                          .association = row.association,
                          .reserves = Reserves(row)}};
  }

  int KindOf(size_t job, int partition) const {
    const auto& partitions = waiting_[job]->resolved.partitions;
    const auto place = std::find(partitions.begin(), partitions.end(), partition);
    return waiting_[job]->kinds[place - partitions.begin()];
  }

  int UserOf(size_t job) {
    return users_.emplace(jobs_[job].user, static_cast<int>(users_.size())).first->second;
  }

  // Whether the job gets a planned start, by NoReserve and MinPrioThresh of its QOS.
  bool Reserves(const priority::RankedRow& row) const {
    if (row.qos < 0) return true;
    const priority::Qos& qos = site_.qos[row.qos];
    return !qos.no_reserve && row.priority.value_or(0) >= qos.min_prio_thresh.value_or(0);
  }

  absl::Duration TimeLimitOf(size_t job, int partition) const {
    absl::Duration limit = jobs_[job].run_time;
    if (jobs_[job].time_limit.has_value()) {
      limit = *jobs_[job].time_limit;
    } else if (partition >= 0) {
      const priority::Partition& of = site_.partitions[partition];
      const absl::Duration of_partition = of.default_time.value_or(of.max_time);
      if (of_partition < absl::InfiniteDuration()) limit = of_partition;
    }
    return std::max(limit, absl::Seconds(1));
  }

  void CountNeverStarted() {
    if (queue_.waiting() == 0) return;
    const priority::Snapshot& snapshot = Snapshot();
    const priority::Ranking ranking =
        priority::Rank(snapshot, queue_.jobs(), {.as_of = now_, .best_only = true});
    for (const priority::IneligibleRow& row : ranking.ineligible) {
      ++played_.never_started[std::string(priority::ReasonName(snapshot.limits(), row.why))];
    }
    if (ranking.ranked_total > 0) played_.never_started["Resources"] += ranking.ranked_total;
  }

  const Site& site_;
  const absl::Span<const HistoryJob> jobs_;
  const PlayOptions& options_;
  Machine machine_;
  Scheduler scheduler_;
  Played played_;
  const priority::SnapshotSource source_;
  UsageBook book_;
  absl::flat_hash_set<size_t> running_;
  // The snapshot without usage, for data that does not depend on it.
  const std::unique_ptr<const priority::Snapshot> idle_;
  const bool limited_;
  const bool may_free_itself_;
  priority::JobResolver resolver_;
  priority::JobBilling billing_;
  JobQueue queue_;
  std::vector<std::unique_ptr<WaitingJob>> waiting_;  // By job; null unless it waits.
  std::vector<size_t> recorded_;                      // Jobs that started before `from`, by start.
  size_t next_job_ = 0;
  size_t next_recorded_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends_;
  size_t most_places_ = 1;  // The largest number of places of a job.
  absl::Time now_ = absl::InfinitePast();
  absl::Time last_change_ = absl::InfinitePast();
  std::unique_ptr<const priority::Snapshot> snapshot_;  // Null = out of date.
  absl::flat_hash_map<std::string, int> users_;
};

}  // namespace

Played Play(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options) {
  return Simulation(site, jobs, options).Run();
}

}  // namespace priorityd::laboratory
