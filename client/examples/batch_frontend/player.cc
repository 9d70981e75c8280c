#include "client/examples/batch_frontend/player.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace priorityd::batch_frontend {
namespace {

absl::Time FloorTo(absl::Time time, absl::Duration period) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), period);
}

absl::Time CeilTo(absl::Time time, absl::Duration period) {
  if (period == absl::ZeroDuration()) return time;
  return absl::UnixEpoch() + absl::Ceil(time - absl::UnixEpoch(), period);
}

}  // namespace

Player::Player(RemoteCluster* cluster, const std::vector<Job>* jobs, const PlayOptions& options)
    : cluster_(*cluster),
      jobs_(*jobs),
      options_(options),
      states_(jobs->size(), State::kUnknown),
      free_(options.nodes, options.cpus_per_node),
      charged_until_(jobs->size()),
      records_(jobs->size()),
      last_tick_(FloorTo(jobs->front().submit_time, cluster->calc_period())),
      next_sample_(last_tick_) {
  played_.jobs.resize(jobs->size());
  played_.last_submission = jobs->back().submit_time;
  for (size_t job = 0; job < jobs->size(); ++job) job_of_id_[jobs_[job].id] = job;
}

absl::StatusOr<Played> Player::Play() {
  absl::Status status = CatchUp();
  if (status.ok()) status = Tick(last_tick_);
  while (status.ok()) {
    const std::optional<absl::Time> now = NextEvent();
    if (!now.has_value()) break;
    EndJobs(*now);
    SubmitJobs(*now);
    if (*now == last_tick_ + cluster_.calc_period()) status = Tick(*now);
    if (status.ok()) status = MaybeStartJobs(*now);
  }
  if (status.ok()) status = Finish();
  if (!status.ok()) return status;
  return std::move(played_);
}

std::optional<absl::Time> Player::NextEvent() const {
  const bool all_submitted = next_submission_ == jobs_.size();
  const bool is_stuck = idle_ && !next_pass_.has_value();
  if (all_submitted && running_.empty() && (waiting_.empty() || is_stuck)) return std::nullopt;
  absl::Time next = last_tick_ + cluster_.calc_period();
  if (!all_submitted) next = std::min(next, jobs_[next_submission_].submit_time);
  if (!running_.empty()) next = std::min(next, running_.begin()->first);
  if (next_pass_.has_value()) next = std::min(next, *next_pass_);
  return next;
}

void Player::EndJobs(absl::Time now) {
  while (!running_.empty() && running_.begin()->first <= now) {
    const size_t job = running_.begin()->second;
    running_.erase(running_.begin());
    states_[job] = State::kEnded;
    untold_.insert(job);
    Release(played_.jobs[job].allocation, &free_);
  }
}

void Player::SubmitJobs(absl::Time now) {
  for (; next_submission_ < jobs_.size() && jobs_[next_submission_].submit_time <= now;
       ++next_submission_) {
    states_[next_submission_] = State::kWaiting;
    untold_.insert(next_submission_);
    Enqueue(next_submission_, now);
  }
}

absl::Status Player::Tick(absl::Time now) {
  last_tick_ = now;
  const bool is_last =
      now <= played_.last_submission && now + cluster_.calc_period() > played_.last_submission;
  if (is_last) played_.sample_at_last_submission = played_.samples.size();
  if (now < next_sample_ && !is_last) return absl::OkStatus();
  next_sample_ += options_.sample_period;
  return Sample();
}

bool Player::SomeJobFits() const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& waiting) {
    return FirstFit(free_, waiting.first).has_value();
  });
}

absl::Status Player::MaybeStartJobs(absl::Time now) {
  if (!next_pass_.has_value()) next_pass_ = CeilTo(now, options_.pass_interval);
  if (now < *next_pass_) return absl::OkStatus();
  next_pass_.reset();
  return StartJobs(now);
}

absl::Status Player::StartJobs(absl::Time now) {
  idle_ = running_.empty();
  if (!SomeJobFits()) return absl::OkStatus();
  absl::Status status = TellChanges();
  if (status.ok()) status = CatchUp();
  if (!status.ok()) return status;
  std::vector<size_t> ranked;
  auto schedule = Plan(now, &ranked);
  if (!schedule.ok()) return schedule.status();
  for (const JobStart& start : schedule->starts) Start(ranked[start.job], start, now);
  idle_ = running_.empty();
  return absl::OkStatus();
}

absl::StatusOr<Schedule> Player::Plan(absl::Time now, std::vector<size_t>* ranked) {
  for (uint32_t limit = options_.depth;; limit *= 4) {
    auto ranking = cluster_.Rank(limit, now);
    if (!ranking.ok()) return ranking.status();
    ranked->clear();
    std::vector<WaitingJob> waiting;
    for (const std::string& id : ranking->job_ids) {
      const auto job = job_of_id_.find(id);
      if (job == job_of_id_.end() || states_[job->second] != State::kWaiting) {
        return absl::FailedPreconditionError(
            absl::StrCat("job ", id, " is in the queue of the cluster and not of this frontend"));
      }
      ranked->push_back(job->second);
      waiting.push_back({jobs_[job->second].request, jobs_[job->second].time_limit});
    }
    Schedule schedule = PlanEasyBackfill(Moment(now), waiting, options_.backfill);
    const bool seen_all = ranking->job_ids.size() >= ranking->total;
    if (schedule.reservation.has_value() || seen_all) return schedule;
  }
}

ClusterMoment Player::Moment(absl::Time now) const {
  ClusterMoment moment{.now = now, .free = free_};
  for (const auto& [end, job] : running_) {
    const PlayedJob& played = played_.jobs[job];
    moment.running.push_back({played.allocation, *played.start_time + jobs_[job].time_limit});
  }
  return moment;
}

void Player::Start(size_t job, const JobStart& start, absl::Time now) {
  PlayedJob& played = played_.jobs[job];
  played.start_time = now;
  played.end_time = now + std::min(jobs_[job].run_time, jobs_[job].time_limit);
  played.allocation = start.allocation;
  played.backfilled = start.backfilled;
  Take(start.allocation, &free_);
  Dequeue(job);
  states_[job] = State::kRunning;
  running_.emplace(played.end_time, job);
  charged_until_[job] = now;
  uncharged_.insert(job);
  untold_.insert(job);
}

}  // namespace priorityd::batch_frontend
