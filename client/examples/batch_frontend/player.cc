#include "client/examples/batch_frontend/player.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace priorityd::batch_frontend {
namespace {

// The most that PlanStarts takes.
constexpr uint32_t kMostJobs = 10'000;
constexpr absl::Duration kWindow = absl::Hours(24 * 366);

absl::Time FloorTo(absl::Time time, absl::Duration period) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), period);
}

absl::Time CeilTo(absl::Time time, absl::Duration period) {
  if (period == absl::ZeroDuration()) return time;
  return absl::UnixEpoch() + absl::Ceil(time - absl::UnixEpoch(), period);
}

// The nodes of the options.
v1::ClusterDescription Described(const PlayOptions& options) {
  v1::ClusterDescription description = options.description;
  if (description.node_types_size() > 0) return description;
  v1::NodeType& type = *description.add_node_types();
  type.set_name("node");
  type.set_nodes(static_cast<uint32_t>(options.nodes));
  (*type.mutable_tres())["cpu"] = options.cpus_per_node;
  return description;
}

}  // namespace

Player::Player(RemoteCluster* cluster, const std::vector<Job>* jobs, const PlayOptions& options)
    : cluster_(*cluster),
      jobs_(*jobs),
      options_(options),
      states_(jobs->size(), State::kUnknown),
      description_(Described(options)),
      charged_until_(jobs->size()),
      records_(jobs->size()),
      last_tick_(FloorTo(jobs->front().submit_time, cluster->calc_period())),
      next_sample_(last_tick_) {
  played_.jobs.resize(jobs->size());
  played_.last_submission = jobs->back().submit_time;
  for (size_t job = 0; job < jobs->size(); ++job) job_of_id_[jobs_[job].id] = job;
  for (const v1::NodeType& type : description_.node_types()) {
    for (uint32_t i = 0; i < type.nodes(); ++i) {
      free_.push_back(static_cast<int>(type.tres().at("cpu")));
      node_names_.push_back(absl::StrCat(type.name(), "-", i));
      node_of_name_[node_names_.back()] = static_cast<int>(node_names_.size()) - 1;
    }
  }
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
  if (!SomeJobFits() && waiting_preemptors_ == 0) return absl::OkStatus();
  for (bool again = true; again;) {
    absl::Status status = SendChanges();
    if (status.ok()) status = CatchUp();
    if (!status.ok()) return status;
    const auto plan = Plan(now);
    if (!plan.ok()) return plan.status();
    for (const v1::PlannedStart& start : plan->starts()) {
      if (status = Start(start, now); !status.ok()) return status;
    }
    const auto preempted = PreemptForOne(*plan, now);
    if (!preempted.ok()) return preempted.status();
    again = *preempted;
  }
  idle_ = running_.empty();
  return absl::OkStatus();
}

absl::StatusOr<v1::PlanStartsResponse> Player::Plan(absl::Time now) {
  v1::PlanStartsRequest request;
  *request.mutable_description() = description_;
  *request.mutable_placements() = Placements();
  request.set_backfill(options_.backfill ? v1::BACKFILL_EASY : v1::BACKFILL_NONE);
  request.mutable_bf_window()->set_seconds(absl::ToInt64Seconds(kWindow));
  *request.mutable_as_of() = ToProto(now);
  for (uint32_t limit = options_.depth;; limit *= 4) {
    request.set_bf_max_job_test(std::min(limit, kMostJobs));
    auto plan = cluster_.PlanStarts(request);
    if (!plan.ok() || plan->not_looked_at() == 0 || limit >= kMostJobs) return plan;
    const bool one_waits = std::any_of(plan->starts().begin(), plan->starts().end(),
                                       [](const auto& start) { return start.reserved(); });
    if (one_waits) return plan;
  }
}

google::protobuf::RepeatedPtrField<v1::JobPlacement> Player::Placements() const {
  google::protobuf::RepeatedPtrField<v1::JobPlacement> placements;
  for (const auto& [end, job] : running_) {
    v1::JobPlacement& placement = *placements.Add();
    placement.set_job_id(jobs_[job].id);
    for (const int node : played_.jobs[job].allocation.nodes) {
      placement.add_nodes(node_names_[node]);
    }
  }
  return placements;
}

absl::Status Player::Start(const v1::PlannedStart& start, absl::Time now) {
  const auto found = job_of_id_.find(start.job_id());
  if (found == job_of_id_.end() || states_[found->second] != State::kWaiting) {
    return absl::FailedPreconditionError(absl::StrCat(
        "job ", start.job_id(), " is in the queue of the cluster and not of this frontend"));
  }
  if (!start.starts_now()) return absl::OkStatus();
  const size_t job = found->second;
  PlayedJob& played = played_.jobs[job];
  played.start_time = now;
  played.end_time = now + std::min(jobs_[job].run_time, jobs_[job].time_limit);
  played.allocation = {.cpus_per_node = jobs_[job].request.cpus_per_node};
  for (const std::string& node : start.nodes()) {
    played.allocation.nodes.push_back(node_of_name_.at(node));
  }
  played.backfilled = start.backfilled();
  Allocate(played.allocation, &free_);
  Dequeue(job);
  states_[job] = State::kRunning;
  running_.emplace(played.end_time, job);
  charged_until_[job] = now;
  uncharged_.insert(job);
  unsent_.insert(job);
  return absl::OkStatus();
}

absl::StatusOr<bool> Player::PreemptForOne(const v1::PlanStartsResponse& plan, absl::Time now) {
  if (waiting_preemptors_ == 0) return false;
  if (absl::Status status = SendChanges(); !status.ok()) return status;
  for (const v1::PlannedStart& start : plan.starts()) {
    const bool lacks_nodes = start.reason() == "Resources" || start.reason() == "Priority";
    if (!lacks_nodes || options_.preempting.count(start.partition()) == 0) continue;
    v1::SuggestPreemptionRequest request;
    request.set_job_id(start.job_id());
    *request.mutable_description() = description_;
    *request.mutable_placements() = Placements();
    *request.mutable_as_of() = ToProto(now);
    const auto suggestion = cluster_.SuggestPreemption(std::move(request));
    if (!suggestion.ok()) return suggestion.status();
    for (const v1::PreemptionVictim& victim : suggestion->victims()) {
      if (absl::Status status = Preempt(victim, now); !status.ok()) return status;
    }
    if (suggestion->victims_size() > 0) return true;
  }
  return false;
}

absl::Status Player::Preempt(const v1::PreemptionVictim& victim, absl::Time now) {
  const auto found = job_of_id_.find(victim.job_id());
  if (found == job_of_id_.end() || states_[found->second] != State::kRunning) {
    return absl::InternalError(absl::StrCat("job ", victim.job_id(), " does not run here"));
  }
  const size_t job = found->second;
  PlayedJob& played = played_.jobs[job];
  running_.erase({played.end_time, job});
  Release(played.allocation, &free_);
  if (now > charged_until_[job]) owed_.push_back(Charge(job, now));
  uncharged_.erase(job);
  unsent_.insert(job);
  ++played.preemptions;
  played.end_time = now;
  if (victim.mode() == "CANCEL") {
    states_[job] = State::kEnded;
    played.cancelled = true;
    return absl::OkStatus();
  }
  states_[job] = State::kWaiting;
  played.start_time.reset();
  Enqueue(job, now);
  return absl::OkStatus();
}

v1::Job Player::Describe(size_t job) const {
  const PlayedJob& played = played_.jobs[job];
  v1::Job sent;
  sent.set_job_id(jobs_[job].id);
  sent.set_user(jobs_[job].user);
  sent.set_account(jobs_[job].account);
  *sent.mutable_submit_time() = ToProto(jobs_[job].submit_time);
  sent.set_interactive(jobs_[job].interactive);
  sent.set_nodes(jobs_[job].request.nodes);
  sent.set_cpus(jobs_[job].request.cpus());
  sent.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(jobs_[job].time_limit));
  if (!jobs_[job].partition.empty()) sent.add_partitions(jobs_[job].partition);
  for (const auto& [name, count] : jobs_[job].tres) (*sent.mutable_tres())[name] = count;
  sent.set_state(v1::JOB_STATE_PENDING);
  if (played.start_time.has_value()) *sent.mutable_start_time() = ToProto(*played.start_time);
  if (states_[job] == State::kRunning) sent.set_state(v1::JOB_STATE_RUNNING);
  if (states_[job] == State::kEnded) {
    sent.set_state(jobs_[job].run_time > jobs_[job].time_limit ? v1::JOB_STATE_TIMEOUT
                                                               : v1::JOB_STATE_COMPLETED);
    if (played.cancelled) sent.set_state(v1::JOB_STATE_PREEMPTED);
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

// A record for each job and interval between two recalculations, with its own id: so the usage of
// a running job counts while it runs, and a record that is sent twice counts once.
absl::Status Player::RecordUsage(absl::Time until) {
  std::vector<v1::UsageRecord> records = std::move(owed_);
  owed_.clear();
  for (auto next = uncharged_.begin(); next != uncharged_.end();) {
    const size_t job = *next;
    const absl::Time end = std::min(played_.jobs[job].end_time, until);
    if (end > charged_until_[job]) records.push_back(Charge(job, end));
    const bool is_done = charged_until_[job] == played_.jobs[job].end_time;
    next = is_done ? uncharged_.erase(next) : std::next(next);
  }
  return cluster_.RecordUsage(std::move(records));
}

v1::UsageRecord Player::Charge(size_t job, absl::Time until) {
  v1::UsageRecord record;
  record.set_record_id(absl::StrCat(jobs_[job].id, ".", records_[job]++));
  record.set_job_id(jobs_[job].id);
  record.set_user(jobs_[job].user);
  record.set_account(jobs_[job].account);
  record.set_partition(jobs_[job].partition);
  *record.mutable_start_time() = ToProto(charged_until_[job]);
  *record.mutable_end_time() = ToProto(until);
  for (const auto& [name, count] : jobs_[job].tres) (*record.mutable_tres())[name] = count;
  (*record.mutable_tres())["cpu"] = jobs_[job].request.cpus();
  (*record.mutable_tres())["node"] = jobs_[job].request.nodes;
  charged_until_[job] = until;
  return record;
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
  waiting_preemptors_ += static_cast<int>(options_.preempting.count(jobs_[job].partition));
}

void Player::Dequeue(size_t job) {
  const auto of_request = waiting_.find(jobs_[job].request);
  if (--of_request->second == 0) waiting_.erase(of_request);
  --waiting_of_user_[jobs_[job].user].first;
  waiting_preemptors_ -= static_cast<int>(options_.preempting.count(jobs_[job].partition));
}

}  // namespace priorityd::batch_frontend
