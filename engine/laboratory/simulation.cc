#include "engine/laboratory/simulation.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/laboratory/limit_gate.h"
#include "engine/laboratory/machine.h"
#include "engine/laboratory/scheduler.h"
#include "engine/laboratory/submissions.h"
#include "engine/laboratory/usage_book.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/ranking/accrue_limits.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {
namespace {

// On an idle cluster, a job may still wait until usage decays below a limit; after this time the
// simulation gives up.
constexpr absl::Duration kPatience = absl::Hours(24 * 31);

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
        grants_(site, options.policy.time_zone, options.grants, book_.as_of(), options.prices),
        idle_(Recalculated(nullptr)),
        limited_(!idle_->limits().empty()),
        reranks_(options.plan.HasCaps() || priority::HasAccrueLimits(*idle_)),
        may_free_itself_(limited_ || std::any_of(site.qos.begin(), site.qos.end(),
                                                 [](const priority::Qos& qos) {
                                                   return qos.enforce_usage_threshold;
                                                 })),
        resolver_(*idle_),
        billing_(*idle_),
        gate_(*idle_),
        queue_(jobs, *idle_, &gate_),
        submissions_(jobs, options.grants, options.from),
        waiting_(jobs.size()) {
    played_.schedule.starts.resize(jobs.size());
    played_.nodes.resize(jobs.size());
    for (size_t job = 0; job < jobs.size(); ++job) {
      if (IsRecorded(job)) recorded_.push_back(job);
    }
    std::stable_sort(recorded_.begin(), recorded_.end(),
                     [&](size_t a, size_t b) { return jobs_[a].start < jobs_[b].start; });
  }

  Played Run(absl::FunctionRef<void(int64_t started)> progress) {
    for (absl::Time next = NextEvent(); next < absl::InfiniteFuture(); next = NextEvent()) {
      now_ = next;
      const int64_t before = started_;
      if (book_.AdvanceTo(now_)) {
        is_current_ = false;
        if (!grants_.empty()) grants_.AdvanceTo(book_.as_of(), options_.policy.calc_period);
      }
      EndJobs();
      submissions_.Take(now_, [this](size_t job) { return RefusingGrant(job); });
      AddJobs();
      StartRecorded();
      if (now_ >= options_.from) StartWaiting();
      if (started_ > before) progress(started_);
    }
    CountNeverStarted();
    played_.plans = scheduler_.plans();
    played_.in_effect = grants_.in_effect();
    return std::move(played_);
  }

 private:
  // The data of a job from the time at which it begins to wait.
  struct WaitingJob {
    plan::Request request;
    priority::ResolvedJob resolved;
    std::vector<int> kinds;  // By its partitions.
    int user = -1;
  };
  // The partition and the QOS in which a job starts; indices, -1 = none.
  struct Pair {
    int partition = -1;
    int qos = -1;
    priority::AssociationIndex association = priority::kNoAssociation;
  };
  using End = std::pair<absl::Time, size_t>;

  bool IsRecorded(size_t job) const { return jobs_[job].start < options_.from; }

  // --- Events ------------------------------------------------------------------

  absl::Time NextEvent() {
    absl::Time next = absl::InfiniteFuture();
    if (next_job_ < jobs_.size()) next = jobs_[next_job_].eligible;
    next = std::min(next, submissions_.next());
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
      gate_.End(job);
      last_change_ = now_;
    }
  }

  std::optional<size_t> RefusingGrant(size_t job) {
    const priority::ResolvedJob resolved = resolver_.Resolve(ToEngine(jobs_[job]));
    if (resolved.reason != priority::Reason::kNone) return std::nullopt;
    return grants_.RefusedBy(
        ChargeOf(job, {.partition = resolved.partitions[0], .association = resolved.association}));
  }

  void AddJobs() {
    for (; next_job_ < jobs_.size() && jobs_[next_job_].eligible <= now_; ++next_job_) {
      if (!submissions_.IsRefused(next_job_)) AddJob(next_job_);
    }
  }

  // A job that does not fit an idle cluster is not queued, unless its start was recorded.
  void AddJob(size_t job) {
    waiting_[job] = std::make_unique<WaitingJob>();
    WaitingJob& waiting = *waiting_[job];
    waiting.user = users_.emplace(jobs_[job].user, static_cast<int>(users_.size())).first->second;
    waiting.resolved = resolver_.Resolve(ToEngine(jobs_[job]));
    const auto& in = waiting.resolved.partitions;
    waiting.request = machine_.RequestOf(jobs_[job], idle_->job_defaults(in.empty() ? -1 : in[0]));
    most_places_ =
        std::max(most_places_, waiting.resolved.partitions.size() * waiting.resolved.qos.size());
    bool fits = false;
    for (const int partition : waiting.resolved.partitions) {
      waiting.kinds.push_back(machine_.KindOf(jobs_[job], waiting.request, partition));
      fits |= scheduler_.FitsIdle(waiting.request.nodes, waiting.kinds.back());
    }
    last_change_ = now_;
    if (!IsRecorded(job) && waiting.resolved.reason == priority::Reason::kNone && !fits) {
      ++played_.never_started["BadConstraints"];
      return;
    }
    queue_.Add(job, waiting.kinds, waiting.request.nodes);
    for (const int kind : waiting.kinds) scheduler_.Await(kind);
  }

  void StartRecorded() {
    for (; next_recorded_ < recorded_.size(); ++next_recorded_) {
      const size_t job = recorded_[next_recorded_];
      if (jobs_[job].start > now_) return;
      const WaitingJob& waiting = *waiting_[job];
      const priority::ResolvedJob& resolved = waiting.resolved;
      Pair row{.association = resolved.association};
      if (!resolved.partitions.empty()) row.partition = resolved.partitions[0];
      if (!resolved.qos.empty()) row.qos = resolved.qos[0];
      const int kind = machine_.KindOf(jobs_[job], waiting.request, row.partition);
      std::vector<int> nodes = machine_.NodesNamed(jobs_[job].node_names);
      if (nodes.empty()) nodes = scheduler_.FirstFit(waiting.request, kind);
      scheduler_.Hold(job, waiting.request, kind, nodes,
                      now_ + TimeLimitOf(site_, jobs_[job], row.partition));
      Begin(job, row, std::move(nodes));
    }
  }

  // Updates queue, limits and usage when a job starts.
  void Begin(size_t job, const Pair& pair, std::vector<int> nodes) {
    played_.schedule.starts[job] = now_;
    played_.nodes[job] = std::move(nodes);
    ends_.emplace(now_ + jobs_[job].run_time, job);
    Charge charge = ChargeOf(job, pair);
    grants_.Add(charge, now_, now_ + jobs_[job].run_time);
    book_.Add(job, std::move(charge), now_, now_ + jobs_[job].run_time);
    queue_.Remove(job);
    gate_.Start(job, Running(job, pair));
    for (const int kind : waiting_[job]->kinds) scheduler_.Leave(kind);
    waiting_[job] = nullptr;
    last_change_ = now_;
    ++started_;
  }

  priority::Job Running(size_t job, const Pair& pair) const {
    priority::Job running = ToEngine(jobs_[job]);
    running.state = priority::JobState::kRunning;
    running.start_time = now_;
    const priority::PairNames names = priority::NamesOf(*idle_, pair.partition, pair.qos);
    running.partitions.clear();
    if (!names.partition.empty()) running.partitions.push_back(names.partition);
    running.qos.clear();
    if (!names.qos.empty()) running.qos.push_back(names.qos);
    return running;
  }

  Charge ChargeOf(size_t job, const Pair& row) {
    const priority::Job engine = ToEngine(jobs_[job]);
    const double factor = row.qos < 0 ? 1 : site_.qos[row.qos].usage_factor;
    const double billing = billing_.Count(engine, row.partition);
    Charge charge{row.association, row.partition, row.qos, factor, billing, {}};
    priority::FillTres(engine, charge.tres, idle_->job_defaults(row.partition));
    return charge;
  }

  // --- Recalculation ---------------------------------------------------------------

  // Null: of the idle site, whose grants have all been used up, so that it has all rules.
  std::unique_ptr<const priority::Snapshot> Recalculated(const priority::Snapshot* of_same_site) {
    priority::SnapshotSource source = source_;
    book_.Fill(&source);
    source.grants = of_same_site == nullptr ? grants_.UsedUp() : grants_.standings();
    ++played_.recalculations;
    return priority::Snapshot::Compute(std::move(source), of_same_site);
  }

  // Makes the last recalculation the one of queue and limits.
  const priority::Snapshot& Snapshot() {
    if (is_current_) return *snapshot_;
    std::unique_ptr<const priority::Snapshot> next = Recalculated(idle_.get());
    queue_.SetSnapshot(*next);
    gate_.SetSnapshot(*next, book_.as_of());
    snapshot_ = std::move(next);
    is_current_ = true;
    return *snapshot_;
  }

  // --- Starts ----------------------------------------------------------------------

  void StartWaiting() {
    const auto fits = [this](const JobQueue::Row& row) {
      return scheduler_.FitsNow(row.nodes, row.kind);
    };
    if (!queue_.AnyFits(fits)) return;
    Snapshot();
    gate_.SetTime(now_);
    while (queue_.AnyStarts(fits) && StartSome()) {
    }
    if (!grants_.empty()) queue_.NoteHeld(fits, &played_.held);
  }

  // Ranks the queue once and starts what can start; returns whether more could after that.
  bool StartSome() {
    ++played_.rankings;
    std::vector<uint32_t> rows = queue_.Ranked(now_);
    const auto tests = static_cast<size_t>(std::max(options_.plan.max_job_test, 1));
    const bool is_cut = rows.size() > tests && !options_.plan.HasCaps();
    if (is_cut) Cut(tests * most_places_ + 1, &rows);
    const std::vector<Candidate> candidates = CandidatesOf(rows);
    size_t starts = 0;
    const auto begin = [&](const laboratory::Start& start) {
      const Candidate& candidate = candidates[start.candidate];
      const uint32_t row = candidate.rows[start.place];
      ++starts;
      played_.backfilled += start.backfilled;
      Begin(candidate.job, {queue_.PartitionOf(row), queue_.QosOf(row), queue_.AssociationOf(row)},
            start.nodes);
    };
    if (!limited_ && !reranks_) {
      scheduler_.StartAt(now_, candidates, begin);
      return starts > 0 && (is_cut || starts == candidates.size());
    }
    const bool reranks = is_cut || reranks_;
    const auto admit = [&](const Candidate& candidate) {
      return reranks && starts > 0 ? Verdict::kUnclear : VerdictOn(candidate);
    };
    const bool is_settled = scheduler_.StartOneByOne(now_, candidates, admit, begin);
    return starts > 0 && (reranks || !is_settled);
  }

  // Leaves the first `limit` rows that can start and are not blocked.
  void Cut(size_t limit, std::vector<uint32_t>* rows) {
    size_t kept = 0;
    for (size_t i = 0; i < rows->size() && kept < limit; ++i) {
      const uint32_t number = (*rows)[i];
      const JobQueue::Row& row = queue_.row(number);
      if (!scheduler_.FitsIdle(row.nodes, row.kind) || queue_.IsBlocked(number)) continue;
      (*rows)[kept++] = number;
    }
    rows->resize(kept);
  }

  // The first row of a job makes it a candidate; each row that is not blocked is a place. Those of
  // a job with one row may be blocked.
  std::vector<Candidate> CandidatesOf(absl::Span<const uint32_t> rows) {
    std::vector<Candidate> candidates;
    candidates.reserve(rows.size());
    absl::flat_hash_map<size_t, size_t> number_of;  // Of jobs with several rows.
    for (const uint32_t row : rows) {
      const size_t job = queue_.row(row).job;
      size_t number = candidates.size();
      if (queue_.IsOneOfMany(row)) {
        if (queue_.IsBlocked(row)) continue;
        number = number_of.emplace(job, number).first->second;
      }
      if (number == candidates.size()) candidates.push_back(CandidateOf(row));
      candidates[number].kinds.push_back(queue_.row(row).kind);
      candidates[number].rows.push_back(row);
    }
    return candidates;
  }

  Candidate CandidateOf(uint32_t row) {
    const size_t job = queue_.row(row).job;
    return {.job = job,
            .request = &waiting_[job]->request,
            .time_limit = TimeLimitOf(site_, jobs_[job], queue_.PartitionOf(row)),
            .user = waiting_[job]->user,
            .association = queue_.AssociationOf(row),
            .reserves = Reserves(row)};
  }

  // If a row of several is blocked, the job may have another place in the order.
  Verdict VerdictOn(const Candidate& candidate) const {
    const bool blocked = std::any_of(candidate.rows.begin(), candidate.rows.end(),
                                     [this](uint32_t row) { return queue_.IsBlocked(row); });
    if (!blocked) return Verdict::kAdmitted;
    return queue_.IsOneOfMany(candidate.rows[0]) ? Verdict::kUnclear : Verdict::kBlocked;
  }

  // Whether the job gets a planned start, by NoReserve and MinPrioThresh of its QOS.
  bool Reserves(uint32_t row) const {
    if (queue_.QosOf(row) < 0) return true;
    const priority::Qos& qos = site_.qos[queue_.QosOf(row)];
    return !qos.no_reserve && queue_.PriorityOf(row) >= qos.min_prio_thresh.value_or(0);
  }

  void CountNeverStarted() {
    played_.refused = submissions_.refused();
    for (size_t i = 0; i < played_.refused.size(); ++i) ++played_.never_started["Refused"];
    if (queue_.waiting() == 0) return;
    const priority::Snapshot& snapshot = Snapshot();
    const priority::Ranking ranking =
        priority::Rank(snapshot, queue_.Jobs(), {.as_of = now_, .best_only = true});
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
  GrantLedger grants_;
  // The snapshot without usage, for data that does not depend on it.
  const std::unique_ptr<const priority::Snapshot> idle_;
  const bool limited_;
  const bool reranks_;  // Whether a start can change the order or the caps of others.
  const bool may_free_itself_;
  priority::JobResolver resolver_;
  priority::JobBilling billing_;
  LimitGate gate_;
  JobQueue queue_;
  Submissions submissions_;
  std::vector<std::unique_ptr<WaitingJob>> waiting_;  // By job; null unless it waits.
  std::vector<size_t> recorded_;                      // Jobs that started before `from`, by start.
  size_t next_job_ = 0;
  size_t next_recorded_ = 0;
  int64_t started_ = 0;  // The number of jobs that have started.
  std::priority_queue<End, std::vector<End>, std::greater<End>> ends_;
  size_t most_places_ = 1;  // The largest number of places of a job.
  absl::Time now_ = absl::InfinitePast();
  absl::Time last_change_ = absl::InfinitePast();
  std::unique_ptr<const priority::Snapshot> snapshot_;
  bool is_current_ = false;  // Whether snapshot_ is of the last recalculation.
  absl::flat_hash_map<std::string, int> users_;
};

}  // namespace

Played Play(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options,
            absl::FunctionRef<void(int64_t started)> progress) {
  return Simulation(site, jobs, options).Run(progress);
}

}  // namespace priorityd::laboratory
