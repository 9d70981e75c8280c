#include "tests/engine/forecast/generated_site.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "engine/forecast/queue_state.h"
#include "engine/forecast/random.h"
#include "engine/plan/plan.h"

namespace priorityd::forecast {
namespace {

double Uniform(Random* random) { return (random->Below(1'000'000) + .5) / 1e6; }

// What a user's jobs are like.
struct Habit {
  int cpus = 1;
  double limit = 3600;
  double use = .5;  // Of the limit.
};

// A job that runs.
struct Running {
  Seconds end = 0;
  Seconds limit_end = 0;
  size_t job = 0;
};

class Site {
 public:
  explicit Site(const SiteOptions& options) : options_(options), random_(options.seed) {
    for (int user = 0; user <= options.users; ++user) {
      habits_.push_back(
          {1 << random_.Below(6), 900.0 * (1 << random_.Below(7)), .05 + .9 * Uniform(&random_)});
    }
  }

  std::vector<RecordedJob> Play() {
    Submit();
    while (true) {
      const bool more = jobs_.size() < options_.jobs;
      const Seconds next = more ? next_ : kNever;
      const Seconds end = NextEnd();
      const Seconds until = std::max(closed_until_, kBegin + options_.reserved_until);
      const Seconds opened = now_ < until ? until : kNever;
      now_ = std::min({next, end, opened});
      if (now_ == kNever) break;
      EndJobs();
      while (jobs_.size() < options_.jobs && next_ == now_) Submit();
      if (now_ >= closed_until_) StartJobs();
    }
    return std::move(jobs_);
  }

 private:
  static constexpr Seconds kNever = INT64_MAX;
  static constexpr Seconds kForever = kNever / 2;  // Not to be reached.
  static constexpr Seconds kBegin = 1'000'000'000;

  bool Changed() const { return jobs_.size() >= options_.change_at; }

  void Submit() {
    if (jobs_.size() == options_.change_at) closed_until_ = now_ + options_.outage;
    const double load = Changed() && options_.load_after > 0 ? options_.load_after : options_.load;
    int user = random_.Below(options_.users);
    if (burst_left_ > 0) user = burst_user_, --burst_left_;
    if (Changed() && options_.new_user && random_.Below(2) == 0) user = options_.users;
    const Habit& habit = habits_[user];
    RecordedJob recorded;
    Job& job = recorded.job;
    job.id = std::to_string(jobs_.size());
    job.submit_time = next_;
    job.user = "u" + std::to_string(user);
    job.account = "a" + std::to_string(user % 4);
    job.cpus = habit.cpus;
    job.limit = habit.limit;
    waiting_.push_back(jobs_.size());
    jobs_.push_back(recorded);
    const double part = std::clamp(habit.use * (.5 + Uniform(&random_)), .01, 1.0);
    run_times_.push_back(std::max<Seconds>(static_cast<Seconds>(habit.limit * part), 1));
    if (options_.with_knowledge) SetKnowledge(jobs_.size() - 1);
    if (burst_left_ == 0 && random_.Below(20) == 0) burst_left_ = 10, burst_user_ = user;
    const double mean = MeanWork() / options_.cpus / load;
    next_ += burst_left_ > 0 ? 0 : static_cast<Seconds>(-std::log(Uniform(&random_)) * mean * 1.5);
  }

  double MeanWork() const {
    double sum = 0;
    for (int user = 0; user < options_.users; ++user) {
      sum += habits_[user].cpus * habits_[user].limit * habits_[user].use;
    }
    return sum / options_.users;
  }

  // Higher first.
  double PriorityOf(size_t job) const {
    const Order order = Changed() ? options_.order_after : options_.order;
    if (order == Order::kSubmission) return -static_cast<double>(job);
    if (order == Order::kJobPriority) {
      return Random(options_.seed + job).Below(1'000'000) * 1e9 - static_cast<double>(job);
    }
    Random drawn(options_.seed * 1000 + std::stoi(jobs_[job].job.user.substr(1)) * 77 +
                 now_ / 86'400);
    return drawn.Below(1000) * 1e9 - static_cast<double>(job);
  }

  std::vector<size_t> Ranked() const {
    std::vector<std::pair<double, size_t>> ranked;
    for (const size_t job : waiting_) ranked.emplace_back(-PriorityOf(job), job);
    std::sort(ranked.begin(), ranked.end());
    std::vector<size_t> jobs;
    for (const auto& [priority, job] : ranked) jobs.push_back(job);
    return jobs;
  }

  bool Held(size_t job) const {
    const int most = options_.most_running_of_user;
    const auto running = running_of_.find(jobs_[job].job.user);
    return most > 0 && running != running_of_.end() && running->second >= most;
  }

  void SetKnowledge(size_t job) {
    Knowledge& known = jobs_[job].job.known;
    known.priority = std::max(PriorityOf(job) / 1e9, 0.0);
    known.held_by_limit = Held(job);
    known.earliest_wait = static_cast<double>(AfterReservation(now_, LimitOf(job)) - now_);
    if (!Held(job)) SetPlace(job);
    if (!options_.with_plan) return;
    known.planned_wait = PlannedWait(job, [&](size_t other) { return LimitOf(other); });
    known.expected_wait = PlannedWait(job, [&](size_t other) { return ExpectedRunTime(other); });
  }

  void SetPlace(size_t job) {
    double ahead = 0, work = 0;
    for (const size_t other : Ranked()) {
      if (other == job) break;
      if (Held(other)) continue;
      ++ahead;
      work += jobs_[other].job.cpus * jobs_[other].job.limit;
    }
    jobs_[job].job.known.jobs_ahead = ahead;
    jobs_[job].job.known.work_ahead = work;
  }

  Seconds LimitOf(size_t job) const { return static_cast<Seconds>(jobs_[job].job.limit); }

  // The mean of the user's last two run times; half of the limit without any.
  Seconds ExpectedRunTime(size_t job) const {
    const auto found = ended_of_.find(jobs_[job].job.user);
    if (found == ended_of_.end()) return std::max<Seconds>(LimitOf(job) / 2, 1);
    const std::vector<Seconds>& ended = found->second;
    return (ended.back() + ended[ended.size() > 1 ? ended.size() - 2 : 0]) / 2 + 1;
  }

  plan::Place PlaceOf(size_t job) const {
    plan::Place place{.types = {0}};
    const int user = std::stoi(jobs_[job].job.user.substr(1));
    if (options_.most_running_of_user > 0) place.pools.push_back({user, 1});
    return place;
  }
  plan::Request RequestOf(size_t job) const {
    return {1, {static_cast<int64_t>(jobs_[job].job.cpus)}};
  }

  // That of a plan in which jobs take so long, with the limit on running jobs as a pool.
  template <typename RunTime>
  std::optional<double> PlannedWait(size_t job, RunTime run_time) const {
    plan::Cluster cluster{.types = {{1, {options_.cpus}}}};
    cluster.pools.assign(options_.users + 1, options_.most_running_of_user);
    if (options_.reserved_until > 0) {
      cluster.closures.push_back(
          {.type = 0,
           .each = {options_.cpus},
           .from = absl::FromUnixSeconds(kBegin + options_.reserved_from),
           .until = absl::FromUnixSeconds(kBegin + options_.reserved_until)});
    }
    std::vector<plan::RunningJob> running;
    for (const Running& runs : running_) {
      const Seconds age = now_ - *jobs_[runs.job].start;
      const auto rest = static_cast<Seconds>(ExpectedRest(static_cast<double>(run_time(runs.job)),
                                                          static_cast<double>(LimitOf(runs.job)),
                                                          static_cast<double>(age)));
      running.push_back({.request = RequestOf(runs.job),
                         .place = PlaceOf(runs.job),
                         .nodes = {0},
                         .end = absl::FromUnixSeconds(now_ + rest)});
    }
    std::vector<plan::WaitingJob> waiting;
    size_t own = 0;
    for (const size_t other : Ranked()) {
      if (other == job) own = waiting.size();
      waiting.push_back({.request = RequestOf(other),
                         .places = {PlaceOf(other)},
                         .time_limit = absl::Seconds(run_time(other))});
    }
    const absl::Time now = absl::FromUnixSeconds(now_);
    const auto start =
        plan::PlanStarts(cluster, running, waiting, now,
                         {.max_job_test = 10'000, .window = absl::Hours(24 * 28)})[own]
            .start;
    if (!start.has_value()) return std::nullopt;
    return absl::ToDoubleSeconds(*start - now);
  }

  // The earliest time from `time` on at which a job with this limit does not meet the reservation.
  Seconds AfterReservation(Seconds time, Seconds limit) const {
    const Seconds from = kBegin + options_.reserved_from, until = kBegin + options_.reserved_until;
    return time < until && time + limit > from ? until : time;
  }

  double free_cpus() const { return options_.cpus - load_; }

  Seconds NextEnd() const {
    Seconds end = kNever;
    for (const Running& running : running_) end = std::min(end, running.end);
    return end;
  }

  void EndJobs() {
    const auto ended = [&](const Running& running) { return running.end <= now_; };
    for (const Running& running : running_) {
      if (!ended(running)) continue;
      load_ -= jobs_[running.job].job.cpus;
      --running_of_[jobs_[running.job].job.user];
      ended_of_[jobs_[running.job].job.user].push_back(run_times_[running.job]);
    }
    running_.erase(std::remove_if(running_.begin(), running_.end(), ended), running_.end());
  }

  void Start(size_t job) {
    RecordedJob& recorded = jobs_[job];
    recorded.start = now_;
    recorded.end = now_ + run_times_[job];
    running_.push_back({*recorded.end, now_ + static_cast<Seconds>(recorded.job.limit), job});
    load_ += recorded.job.cpus;
    ++running_of_[recorded.job.user];
    waiting_.erase(std::find(waiting_.begin(), waiting_.end(), job));
  }

  void StartJobs() {
    Seconds reserved = kNever;  // When the first that does not fit can start.
    for (const size_t job : Ranked()) {
      if (Held(job)) continue;
      const Job& waiting = jobs_[job].job;
      const bool fits = waiting.cpus <= free_cpus() && AfterReservation(now_, LimitOf(job)) == now_;
      if (fits && (reserved == kNever || now_ + static_cast<Seconds>(waiting.limit) <= reserved)) {
        Start(job);
      } else if (!fits && reserved == kNever) {
        reserved = AfterReservation(Reservation(waiting.cpus), LimitOf(job));
      }
    }
  }

  Seconds Reservation(double cpus) const {
    std::vector<std::pair<Seconds, double>> releases;
    for (const Running& running : running_) {
      releases.emplace_back(running.limit_end, jobs_[running.job].job.cpus);
    }
    std::sort(releases.begin(), releases.end());
    double free = free_cpus();
    if (free >= cpus) return now_;
    for (const auto& [time, released] : releases) {
      free += released;
      if (free >= cpus) return time;
    }
    return kForever;
  }

  const SiteOptions options_;
  Random random_;
  std::vector<Habit> habits_;
  std::vector<RecordedJob> jobs_;
  std::vector<Seconds> run_times_;
  std::vector<size_t> waiting_;
  std::vector<Running> running_;
  std::map<std::string, int> running_of_;
  std::map<std::string, std::vector<Seconds>> ended_of_;  // Run times by user.
  double load_ = 0;
  Seconds now_ = kBegin;
  Seconds next_ = now_;
  Seconds closed_until_ = 0;
  int burst_left_ = 0;
  int burst_user_ = 0;
};

}  // namespace

std::vector<RecordedJob> GenerateSite(const SiteOptions& options) { return Site(options).Play(); }

}  // namespace priorityd::forecast
