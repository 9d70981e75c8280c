#include "tests/engine/forecast/generated_site.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <string>
#include <utility>

#include "engine/forecast/random.h"

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
      const Seconds opened = now_ < closed_until_ ? closed_until_ : kNever;
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
    double ahead = 0, work = 0;
    for (const size_t other : Ranked()) {
      if (other == job) break;
      ++ahead;
      work += jobs_[other].job.cpus * jobs_[other].job.limit;
    }
    known.priority = std::max(PriorityOf(job) / 1e9, 0.0);
    known.jobs_ahead = ahead;
    known.work_ahead = work;
    known.held_by_limit = Held(job);
    known.planned_wait = PlannedWait(job);
  }

  // By time limits, in the order, without backfilling.
  double PlannedWait(size_t job) const {
    std::multimap<Seconds, double> releases;
    for (const Running& running : running_) {
      releases.emplace(std::max(running.limit_end, now_), jobs_[running.job].job.cpus);
    }
    double free = free_cpus();
    Seconds time = now_;
    for (const size_t other : Ranked()) {
      const Job& planned = jobs_[other].job;
      while (free < planned.cpus && !releases.empty()) {
        time = releases.begin()->first;
        free += releases.begin()->second;
        releases.erase(releases.begin());
      }
      if (other == job) break;
      free -= planned.cpus;
      releases.emplace(time + static_cast<Seconds>(planned.limit), planned.cpus);
    }
    return static_cast<double>(time - now_);
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
      const bool fits = waiting.cpus <= free_cpus();
      if (fits && (reserved == kNever || now_ + static_cast<Seconds>(waiting.limit) <= reserved)) {
        Start(job);
      } else if (!fits && reserved == kNever) {
        reserved = Reservation(waiting.cpus);
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
    for (const auto& [time, released] : releases) {
      free += released;
      if (free >= cpus) return time;
    }
    return kNever - 1;
  }

  const SiteOptions options_;
  Random random_;
  std::vector<Habit> habits_;
  std::vector<RecordedJob> jobs_;
  std::vector<Seconds> run_times_;
  std::vector<size_t> waiting_;
  std::vector<Running> running_;
  std::map<std::string, int> running_of_;
  double load_ = 0;
  Seconds now_ = 1'000'000'000;
  Seconds next_ = now_;
  Seconds closed_until_ = 0;
  int burst_left_ = 0;
  int burst_user_ = 0;
};

}  // namespace

std::vector<RecordedJob> GenerateSite(const SiteOptions& options) { return Site(options).Play(); }

}  // namespace priorityd::forecast
