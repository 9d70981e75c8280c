// sizes: allow (one play, which keeps nothing from one start to the next)
#include "tests/engine/laboratory/naive_play.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/laboratory/job_queue.h"
#include "engine/laboratory/machine.h"
#include "engine/laboratory/usage_book.h"
#include "engine/plan/plan.h"
#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {
namespace {

constexpr absl::Duration kPatience = absl::Hours(24 * 31);

class NaiveSimulation {
 public:
  NaiveSimulation(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options)
      : site_(site),
        jobs_(jobs),
        options_(options),
        machine_(site),
        book_(site, options.policy, jobs.front().eligible),
        idle_(Compute()),
        limited_(!idle_->limits().empty() || HasHolding(options.grants)) {
    priority::JobResolver resolver(*idle_);
    for (const HistoryJob& job : jobs) {
      engine_.push_back(ToEngine(job));
      const auto partitions = resolver.Resolve(engine_.back()).partitions;
      requests_.push_back(
          machine_.RequestOf(job, idle_->job_defaults(partitions.empty() ? -1 : partitions[0])));
    }
    played_.schedule.starts.resize(jobs.size());
    played_.nodes.resize(jobs.size());
    for (const priority::Qos& qos : site.qos) frees_itself_ |= qos.enforce_usage_threshold;
    frees_itself_ |= limited_;
    options_.plan.estimate_starts = false;
  }

  Played Run() {
    for (absl::Time next = Next(); next < absl::InfiniteFuture(); next = Next()) {
      now_ = next;
      book_.AdvanceTo(now_);
      for (auto run = running_.begin(); run != running_.end();) {
        const bool ended = End(run->first) <= now_;
        if (ended) last_change_ = now_;
        run = ended ? running_.erase(run) : std::next(run);
      }
      RefuseNew();
      for (; next_job_ < jobs_.size() && jobs_[next_job_].eligible <= now_; ++next_job_) {
        if (refused_.count(next_job_) == 0) Add();
      }
      StartRecorded();
      while (now_ >= options_.from && !waiting_.empty() && StartSome()) {
      }
    }
    for (const size_t job : waiting_) ++played_.never_started[WhyNever(job)];
    return std::move(played_);
  }

 private:
  struct Place {
    int partition;
    int qos;
    int kind;
    bool reserves;
  };
  struct Charged {
    Charge charge;
    absl::Time start;
    absl::Time end;
  };
  struct Candidate {
    size_t job;
    priority::AssociationIndex association;
    std::vector<Place> places;
  };

  absl::Time End(size_t job) const { return *played_.schedule.starts[job] + jobs_[job].run_time; }

  absl::Time Next() const {
    absl::Time next = absl::InfiniteFuture();
    if (next_job_ < jobs_.size()) next = jobs_[next_job_].eligible;
    for (size_t job = 0; job < jobs_.size(); ++job) {
      if (MayBeRefused(job)) next = std::min(next, jobs_[job].submit);
    }
    for (const auto& [job, run] : running_) next = std::min(next, End(job));
    for (const size_t job : waiting_) {
      if (jobs_[job].start < options_.from) next = std::min(next, jobs_[job].start);
    }
    if (waiting_.empty()) return next;
    const bool comes = next < absl::InfiniteFuture() || now_ < options_.from;
    const bool patient = frees_itself_ && book_.next() < last_change_ + kPatience;
    return comes || patient ? std::min(next, book_.next()) : next;
  }

  // Whether it comes after now, and not before the first event.
  bool MayBeRefused(size_t job) const {
    const bool refuses =
        std::any_of(options_.grants.begin(), options_.grants.end(), [](const TriedGrant& grant) {
          return grant.settings.consequence == priority::GrantConsequence::kRefuse;
        });
    return refuses && jobs_[job].start >= options_.from && jobs_[job].submit > now_ &&
           jobs_[job].submit >= jobs_.front().eligible;
  }

  bool Requests(size_t job, int partition, const std::string& tres) const {
    if (tres == kPriceTried) return true;
    if (tres == "billing") {
      return priority::JobBilling(*idle_).Count(engine_[job], partition) > 0;
    }
    const auto count = [&](const char* name) {
      return priority::TresCountOf(engine_[job], name, idle_->job_defaults(partition));
    };
    return tres == kTresSumTried ? count("cpu") + count("node") > 0 : count(tres.c_str()) > 0;
  }

  // The jobs that are submitted now.
  void RefuseNew() {
    for (size_t job = 0; job < jobs_.size(); ++job) {
      const bool is_recorded = jobs_[job].start < options_.from;
      if (jobs_[job].submit != now_ || is_recorded || refused_.count(job) > 0) continue;
      const priority::ResolvedJob resolved = priority::JobResolver(*idle_).Resolve(engine_[job]);
      if (resolved.reason != priority::Reason::kNone) continue;
      for (size_t g = 0; g < options_.grants.size(); ++g) {
        const TriedGrant& grant = options_.grants[g];
        if (grant.settings.consequence != priority::GrantConsequence::kRefuse ||
            !priority::IsUsedUp(StandingOf(grant)) || !Owns(grant.settings, resolved.association) ||
            !Requests(job, resolved.partitions[0], grant.settings.tres)) {
          continue;
        }
        refused_.insert(job);
        played_.refused.push_back({job, g, now_});
        ++played_.never_started["Refused"];
        break;
      }
    }
  }

  void Add() {
    const size_t job = next_job_;
    last_change_ = now_;
    const bool is_recorded = jobs_[job].start < options_.from;
    const priority::ResolvedJob resolved = priority::JobResolver(*idle_).Resolve(engine_[job]);
    most_places_ = std::max(most_places_, resolved.partitions.size() * resolved.qos.size());
    bool fits = is_recorded || resolved.reason != priority::Reason::kNone;
    for (const int partition : resolved.partitions) fits |= FitsIdle(job, KindOf(job, partition));
    if (fits) {
      waiting_.insert(job);
    } else {
      ++played_.never_started["BadConstraints"];
    }
  }

  int KindOf(size_t job, int partition) {
    return machine_.KindOf(jobs_[job], requests_[job], partition);
  }
  bool FitsIdle(size_t job, int kind) {
    return requests_[job].nodes <= machine_.kind(kind).most_nodes;
  }

  void StartRecorded() {
    std::vector<size_t> due;
    for (const size_t job : waiting_) {
      if (jobs_[job].start < options_.from && jobs_[job].start <= now_) due.push_back(job);
    }
    for (const size_t job : due) {
      const priority::ResolvedJob resolved = priority::JobResolver(*idle_).Resolve(engine_[job]);
      const Place place = {resolved.partitions.empty() ? -1 : resolved.partitions[0],
                           resolved.qos.empty() ? -1 : resolved.qos[0], -1, true};
      std::vector<int> nodes = machine_.NodesNamed(jobs_[job].node_names);
      Begin(job, resolved.association, place, std::move(nodes));
    }
  }

  void Begin(size_t job, priority::AssociationIndex association, const Place& place,
             std::vector<int> nodes) {
    waiting_.erase(job);
    last_change_ = now_;
    played_.schedule.starts[job] = now_;
    played_.nodes[job] = nodes;
    Charge charge{.association = association,
                  .qos = place.qos,
                  .usage_factor = place.qos < 0 ? 1 : site_.qos[place.qos].usage_factor,
                  .billing = priority::JobBilling(*idle_).Count(engine_[job], place.partition)};
    priority::FillTres(engine_[job], charge.tres, idle_->job_defaults(place.partition));
    charged_.push_back({charge, now_, End(job)});
    book_.Add(job, std::move(charge), now_, End(job));
    running_[job] = {.request = requests_[job],
                     .place = machine_.kind(KindOf(job, place.partition)).place,
                     .nodes = std::move(nodes),
                     .end = now_ + TimeLimitOf(job, place.partition)};
    priority::Job& runs = engine_[job];
    runs.state = priority::JobState::kRunning;
    runs.start_time = now_;
    const priority::PairNames names = priority::NamesOf(*idle_, place.partition, place.qos);
    runs.partitions.clear();
    runs.qos.clear();
    if (!names.partition.empty()) runs.partitions.push_back(names.partition);
    if (!names.qos.empty()) runs.qos.push_back(names.qos);
  }

  absl::Duration TimeLimitOf(size_t job, int partition) const {
    absl::Duration limit = jobs_[job].run_time;
    if (jobs_[job].time_limit.has_value()) {
      limit = *jobs_[job].time_limit;
    } else if (partition >= 0) {
      const priority::Partition& of = site_.partitions[partition];
      limit = std::min(of.default_time.value_or(of.max_time), absl::InfiniteDuration());
      if (limit == absl::InfiniteDuration()) limit = jobs_[job].run_time;
    }
    return std::max(limit, absl::Seconds(1));
  }

  static bool HasHolding(const std::vector<TriedGrant>& grants) {
    return std::any_of(grants.begin(), grants.end(), [](const TriedGrant& grant) {
      return grant.settings.consequence == priority::GrantConsequence::kBlock ||
             grant.settings.consequence == priority::GrantConsequence::kCap;
    });
  }

  bool Owns(const grants::Settings& settings, priority::AssociationIndex association) const {
    const priority::AssociationTree& tree = *site_.tree;
    const auto is_named = [&](priority::AssociationIndex i) {
      return std::count(settings.accounts.begin(), settings.accounts.end(), tree.account(i)) > 0;
    };
    if (!settings.user.empty()) {
      return tree.user(association) == settings.user && is_named(association);
    }
    for (auto i = association; i != priority::kNoAssociation; i = tree.parent()[i]) {
      if (is_named(i)) return true;
    }
    return false;
  }

  // Minute by minute.
  double PriceOf(const Charged& charged, absl::Time begin, absl::Time end) const {
    const Charge& charge = charged.charge;
    const bool is_q1 = charge.qos >= 0 && site_.qos[charge.qos].name == "q1";
    double sum = 0;
    for (absl::Time at = begin; at < end;) {
      const int64_t second = absl::ToUnixSeconds(at) % 86400;
      const absl::Time next = std::min(end, at + absl::Seconds(60 - second % 60));
      const double price = is_q1 ? 0.5 : second / 3600 == 1 ? 2 : 1;
      sum += price * HeldOf(charged, "cpu") * absl::ToDoubleSeconds(next - at);
      at = next;
    }
    return sum;
  }

  static double HeldOf(const Charged& charged, const std::string& tres) {
    const auto held = charged.charge.tres.find(tres);
    return held == charged.charge.tres.end() ? 0 : held->second;
  }

  // Of a fixed window, all usage once more.
  priority::GrantStanding StandingOf(const TriedGrant& tried) const {
    const grants::Settings& settings = tried.settings;
    const grants::Grant& grant = settings.grant;
    priority::GrantStanding standing = {.name = tried.name,
                                        .accounts = settings.accounts,
                                        .user = settings.user,
                                        .tres = settings.tres,
                                        .available = grant.versions[0].amount.seconds(),
                                        .until = grant.end,
                                        .consequence = settings.consequence,
                                        .demoted_qos = settings.demoted_qos,
                                        .measure = settings.measure};
    const absl::Time as_of = book_.as_of();
    if (as_of < grant.begin || as_of >= grant.end) {
      standing.available = std::numeric_limits<double>::infinity();
      return standing;
    }
    for (const grants::Transfer& transfer : grant.transfers) {
      if (transfer.at <= as_of) standing.available += transfer.amount.seconds();
    }
    for (const Charged& charged : charged_) {
      if (!Owns(settings, charged.charge.association)) continue;
      const absl::Time begin = std::max(charged.start, grant.begin);
      const absl::Time end = std::min(charged.end, as_of);
      if (begin >= end) continue;
      if (settings.tres == kPriceTried) {
        standing.used += PriceOf(charged, begin, end);
        continue;
      }
      const double rate = settings.tres == "billing" ? charged.charge.billing
                          : settings.tres == kTresSumTried
                              ? 2 * HeldOf(charged, "cpu") + HeldOf(charged, "node") / 4
                              : HeldOf(charged, settings.tres);
      standing.used += rate * charged.charge.usage_factor * absl::ToDoubleSeconds(end - begin);
    }
    return standing;
  }

  std::unique_ptr<const priority::Snapshot> Compute() const {
    priority::SnapshotSource source;
    source.generation = source.policy_version = 1;
    source.cluster = site_.cluster;
    source.policy = options_.policy;
    source.partitions = site_.partitions;
    source.qos = site_.qos;
    source.default_accounts = site_.default_accounts;
    source.tree = site_.tree;
    book_.Fill(&source);
    for (const TriedGrant& grant : options_.grants) source.grants.push_back(StandingOf(grant));
    for (const auto& [job, run] : running_) {
      if (*played_.schedule.starts[job] > book_.as_of()) continue;
      source.recorded_until[jobs_[job].id] = book_.as_of();
    }
    return priority::Snapshot::Compute(std::move(source));
  }

  // The jobs of the queue, waiting and running, as their index in the history.
  std::vector<size_t> Queue() const {
    std::vector<size_t> queue(waiting_.begin(), waiting_.end());
    for (const auto& [job, run] : running_) queue.push_back(job);
    return queue;
  }

  std::vector<Candidate> Candidates() {
    const std::vector<size_t> queue = Queue();
    std::vector<priority::Job> jobs;
    for (const size_t job : queue) jobs.push_back(engine_[job]);
    const auto snapshot = Compute();
    const size_t most = std::max(options_.plan.max_job_test, 1);
    const priority::Ranking ranking = priority::Rank(
        *snapshot, jobs, {.as_of = now_, .limit = most * most_places_ + 1, .ineligible_limit = 0});
    std::vector<Candidate> candidates;
    for (const priority::RankedRow& row : ranking.ranked) {
      const size_t job = queue[row.job];
      auto known = std::find_if(candidates.begin(), candidates.end(),
                                [&](const Candidate& candidate) { return candidate.job == job; });
      if (known == candidates.end()) {
        known = candidates.insert(known, {job, row.association, {}});
      }
      const priority::Qos none;
      const priority::Qos& qos = row.qos < 0 ? none : site_.qos[row.qos];
      const bool reserves =
          !qos.no_reserve && row.priority.value_or(0) >= qos.min_prio_thresh.value_or(0);
      known->places.push_back({row.partition, row.qos, KindOf(job, row.partition), reserves});
    }
    return candidates;
  }

  std::vector<plan::JobPlan> PlanOf(absl::Span<const Candidate> candidates,
                                    const plan::PlanOptions& options) {
    std::vector<plan::RunningJob> running;
    for (const auto& [job, run] : running_) running.push_back(run);
    std::vector<plan::WaitingJob> waiting;
    for (const Candidate& candidate : candidates) {
      const int user = std::stoi(jobs_[candidate.job].user.substr(1));
      plan::WaitingJob& job = waiting.emplace_back(
          plan::WaitingJob{.request = requests_[candidate.job],
                           .time_limit = TimeLimitOf(candidate.job, candidate.places[0].partition),
                           .user = user,
                           .association = candidate.association,
                           .reserves = candidate.places[0].reserves});
      for (const Place& place : candidate.places) {
        job.places.push_back(machine_.kind(place.kind).place);
      }
    }
    return plan::PlanStarts(machine_.cluster(), running, waiting, now_, options);
  }

  // Whether any job started after which others could.
  bool StartSome() {
    const std::vector<Candidate> candidates = Candidates();
    size_t starts = 0;
    const auto start = [&](const Candidate& candidate, const plan::JobPlan& plan) {
      Begin(candidate.job, candidate.association, candidate.places[plan.place], plan.nodes);
      ++starts;
    };
    size_t first = 0;
    for (; first < candidates.size(); ++first) {
      const auto alone = PlanOf(absl::MakeSpan(candidates).subspan(first, 1), {});
      if (alone[0].wait == plan::Wait::kNeverFits) continue;
      if (alone[0].wait != plan::Wait::kNone) break;
      start(candidates[first], alone[0]);
      if (limited_) return true;
    }
    const auto others = absl::MakeConstSpan(candidates).subspan(first);
    const auto plans = PlanOf(others, options_.plan);
    for (size_t i = 0; i < plans.size(); ++i) {
      if (plans[i].wait != plan::Wait::kNone) continue;
      played_.backfilled += plans[i].backfilled;
      start(others[i], plans[i]);
      if (limited_) return true;
    }
    return starts > 0 && starts == candidates.size();
  }

  std::string WhyNever(size_t job) {
    const auto snapshot = Compute();
    const priority::Ranking ranking =
        priority::Rank(*snapshot, absl::MakeConstSpan(&engine_[job], 1), {.as_of = now_});
    if (ranking.ineligible.empty()) return "Resources";
    return std::string(priority::ReasonName(snapshot->limits(), ranking.ineligible[0].why));
  }

  const Site& site_;
  const absl::Span<const HistoryJob> jobs_;
  PlayOptions options_;
  Machine machine_;
  Played played_;
  UsageBook book_;
  std::map<size_t, plan::RunningJob> running_;
  std::vector<Charged> charged_;
  const std::unique_ptr<const priority::Snapshot> idle_;
  const bool limited_;
  bool frees_itself_ = false;
  std::vector<priority::Job> engine_;
  std::vector<plan::Request> requests_;  // In the first of their partitions.
  std::set<size_t> waiting_;
  std::set<size_t> refused_;
  size_t next_job_ = 0;
  size_t most_places_ = 1;
  absl::Time now_ = absl::InfinitePast();
  absl::Time last_change_ = absl::InfinitePast();
};

}  // namespace

Played NaivePlay(const Site& site, absl::Span<const HistoryJob> jobs, const PlayOptions& options) {
  return NaiveSimulation(site, jobs, options).Run();
}

}  // namespace priorityd::laboratory
