// What the player tells priorityd.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/examples/batch_frontend/player.h"

namespace priorityd::batch_frontend {

v1::Job Player::Describe(size_t job) const {
  const PlayedJob& played = played_.jobs[job];
  v1::Job told;
  told.set_job_id(jobs_[job].id);
  told.set_user(jobs_[job].user);
  told.set_account(jobs_[job].account);
  *told.mutable_submit_time() = ToProto(jobs_[job].submit_time);
  told.set_nodes(jobs_[job].request.nodes);
  told.set_cpus(jobs_[job].request.cpus());
  told.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(jobs_[job].time_limit));
  told.set_state(v1::JOB_STATE_PENDING);
  if (played.start_time.has_value()) *told.mutable_start_time() = ToProto(*played.start_time);
  if (states_[job] == State::kRunning) told.set_state(v1::JOB_STATE_RUNNING);
  if (states_[job] == State::kEnded) {
    told.set_state(jobs_[job].run_time > jobs_[job].time_limit ? v1::JOB_STATE_TIMEOUT
                                                               : v1::JOB_STATE_COMPLETED);
  }
  return told;
}

absl::Status Player::TellChanges() {
  if (untold_.empty()) return absl::OkStatus();
  const std::vector<size_t> jobs(untold_.begin(), untold_.end());
  std::vector<v1::Job> told;
  told.reserve(jobs.size());
  for (const size_t job : jobs) told.push_back(Describe(job));
  auto results = cluster_.UpdateJobs(std::move(told));
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
  untold_.clear();
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
// the usage of a running job counts while it runs, and one told twice counts once.
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
  absl::Status status = TellChanges();
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
