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
    unsent_.insert(job);
    Release(played_.jobs[job].allocation, &free_);
  }
}

void Player::SubmitJobs(absl::Time now) {
  for (; next_submission_ < jobs_.size() && jobs_[next_submission_].submit_time <= now;
       ++next_submission_) {
    states_[next_submission_] = State::kWaiting;
    unsent_.insert(next_submission_);
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
  absl::Status status = SendChanges();
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
  unsent_.insert(job);
}

v1::Job Player::Describe(size_t job) const {
  const PlayedJob& played = played_.jobs[job];
  v1::Job sent;
  sent.set_job_id(jobs_[job].id);
  sent.set_user(jobs_[job].user);
  sent.set_account(jobs_[job].account);
  *sent.mutable_submit_time() = ToProto(jobs_[job].submit_time);
  sent.set_nodes(jobs_[job].request.nodes);
  sent.set_cpus(jobs_[job].request.cpus());
  sent.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(jobs_[job].time_limit));
  sent.set_state(v1::JOB_STATE_PENDING);
  if (played.start_time.has_value()) *sent.mutable_start_time() = ToProto(*played.start_time);
  if (states_[job] == State::kRunning) sent.set_state(v1::JOB_STATE_RUNNING);
  if (states_[job] == State::kEnded) {
    sent.set_state(jobs_[job].run_time > jobs_[job].time_limit ? v1::JOB_STATE_TIMEOUT
                                                               : v1::JOB_STATE_COMPLETED);
  }
  return sent;
}

absl::Status Player::SendChanges() {
  if (unsent_.empty()) return absl::OkStatus();
  const std::vector<size_t> jobs(unsent_.begin(), unsent_.end());
  std::vector<v1::Job> sent;
  sent.reserve(jobs.size());
  for (const size_t job : jobs) sent.push_back(Describe(job));
  auto results = cluster_.UpdateJobs(std::move(sent));
  if (!results.ok()) return results.status();
  for (size_t i = 0; i < jobs.size(); ++i) {
    const v1::JobUpdateResult& result = (*results)[i];
    if (result.outcome() == v1::UPDATE_OUTCOME_REFUSED && states_[jobs[i]] == State::kWaiting) {
      Refuse(jobs[i]);
    }
    if (result.outcome() == v1::UPDATE_OUTCOME_INVALID) {
      return absl::InvalidArgumentError(
          absl::StrCat("job ", result.job_id(), ": ", result.field(), ": ", result.message()));
    }
  }
  unsent_.clear();
  return absl::OkStatus();
}

void Player::Refuse(size_t job) {
  Dequeue(job);
  states_[job] = State::kEnded;
  played_.jobs[job].refused = true;
}

absl::Status Player::CatchUp() {
  if (recalculated_ == last_tick_) return absl::OkStatus();
  absl::Status status = RecordUsage(last_tick_);
  if (status.ok()) status = cluster_.Recalculate(last_tick_);
  if (status.ok()) recalculated_ = last_tick_;
  return status;
}

// A record for each job and stretch between two recalculations, with an id of its own: so
// the usage of a running job counts while it runs, and one sent twice counts once.
absl::Status Player::RecordUsage(absl::Time until) {
  std::vector<v1::UsageRecord> records;
  for (auto next = uncharged_.begin(); next != uncharged_.end();) {
    const size_t job = *next;
    const absl::Time end = std::min(played_.jobs[job].end_time, until);
    if (end > charged_until_[job]) {
      v1::UsageRecord& record = records.emplace_back();
      record.set_record_id(absl::StrCat(jobs_[job].id, ".", records_[job]++));
      record.set_job_id(jobs_[job].id);
      record.set_user(jobs_[job].user);
      record.set_account(jobs_[job].account);
      *record.mutable_start_time() = ToProto(charged_until_[job]);
      *record.mutable_end_time() = ToProto(end);
      (*record.mutable_tres())["cpu"] = jobs_[job].request.cpus();
      (*record.mutable_tres())["node"] = jobs_[job].request.nodes;
      charged_until_[job] = end;
    }
    const bool is_done = charged_until_[job] == played_.jobs[job].end_time;
    next = is_done ? uncharged_.erase(next) : std::next(next);
  }
  return cluster_.RecordUsage(std::move(records));
}

absl::Status Player::Sample() {
  absl::Status status = SendChanges();
  if (status.ok()) status = CatchUp();
  if (!status.ok()) return status;
  auto shares = cluster_.Shares();
  if (!shares.ok()) return shares.status();
  ShareSample& sample = played_.samples.emplace_back(ToSample(last_tick_, *shares));
  for (const auto& [user, waiting] : waiting_of_user_) {
    if (waiting.first > 0) sample.users[user].waiting_since = waiting.second;
  }
  return absl::OkStatus();
}

absl::Status Player::Finish() {
  last_tick_ += cluster_.calc_period();
  if (absl::Status status = Sample(); !status.ok()) return status;
  auto reasons = cluster_.IneligibleReasons(last_tick_);
  if (!reasons.ok()) return reasons.status();
  played_.ineligible = *std::move(reasons);
  return absl::OkStatus();
}

void Player::Enqueue(size_t job, absl::Time now) {
  ++waiting_[jobs_[job].request];
  auto& [count, since] = waiting_of_user_[jobs_[job].user];
  if (count++ == 0) since = now;
}

void Player::Dequeue(size_t job) {
  const auto of_request = waiting_.find(jobs_[job].request);
  if (--of_request->second == 0) waiting_.erase(of_request);
  --waiting_of_user_[jobs_[job].user].first;
}

}  // namespace priorityd::batch_frontend
