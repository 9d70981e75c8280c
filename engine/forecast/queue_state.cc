#include "engine/forecast/queue_state.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/forecast/job_class.h"

namespace priorityd::forecast {

double ExpectedRest(double expected, double limit, double age) {
  if (expected > age) return expected - age;
  return std::min(std::max(limit - age, 0.0), std::max(age / 2, 60.0));
}

namespace {

constexpr Seconds kHour = 3600;
// Of a job of which nothing is known.
constexpr double kUsualRunTime = 3600;

}  // namespace

// Fills a row from its first feature to its last.
class RowWriter {
 public:
  void operator()(double value) { row_[next_++] = static_cast<float>(value); }
  void operator()(const std::optional<double>& value) { (*this)(value.value_or(kMissing)); }
  Row row() const { return row_; }

 private:
  Row row_;
  size_t next_ = 0;
};

namespace {

void WriteWaits(const LikeJobs& jobs, RowWriter& write) {
  write(jobs.waits().Last());
  write(jobs.waits().Mean());
  write(jobs.waits().Greatest());
}

void WriteQueued(const LikeJobs& jobs, Seconds now, RowWriter& write) {
  write(jobs.waiting());
  write(jobs.waiting_cpus());
  write(jobs.MeanAge(now));
  write(jobs.OldestAge(now));
  WriteWaits(jobs, write);
  write(jobs.SinceStart(now));
  write(jobs.SinceSubmission(now));
}

void WriteRunning(const LikeJobs& jobs, RowWriter& write) {
  write(jobs.running());
  write(jobs.running_cpus());
}

void WriteKnowledge(const Knowledge& known, RowWriter& write) {
  write(known.jobs_ahead);
  write(known.work_ahead);
  write(known.priority);
  write(known.fair_share);
  write(known.held_by_limit);
  const double earliest = known.earliest_wait.value_or(0);
  for (const std::optional<double>& wait : {known.planned_wait, known.expected_wait}) {
    write(wait.has_value() ? std::max(*wait - earliest, 0.0) : kMissing);
  }
}

}  // namespace

QueueState::QueueState(double capacity) : capacity_(capacity) {
  for (size_t kind = 0; kind < kKinds; ++kind) like_.emplace_back(kMostNames);
}

std::string QueueState::NameOf(Kind kind, const Job& job) {
  switch (kind) {
    case kUser:
      return job.user;
    case kAccount:
      return job.account;
    case kPartition:
      return absl::StrCat(job.partition, "\x1f", job.qos);
    case kShape:
      return absl::StrCat(job.user, "\x1f", job.cpus, "\x1f", job.limit);
    case kClass:
      return ClassOf(job);
    case kAll:
      break;
  }
  return "";
}

double QueueState::Capacity() const { return std::max({capacity_, greatest_load_, 1.0}); }

double QueueState::ExpectedRunTime(const Job& job) const {
  const LikeJobs& user = like_[kUser].Find(job.user);
  double time = like_[kShape].Find(NameOf(kShape, job)).run_times().MeanOfTwo();
  if (time < 0 && job.limit > 0) time = user.limit_use().Mean() * job.limit;
  if (time < 0) time = user.run_times().MeanOfTwo();
  if (time < 0) time = job.limit > 0 ? job.limit / 2 : kUsualRunTime;
  if (job.limit > 0) time = std::min(time, job.limit);
  return std::max(time, 1.0);
}

QueueState::Ahead QueueState::AheadOf(const Job& job) {
  return {queue_.All(), queue_.NoLargerThan(job.cpus, job.limit),
          queue_.LargerThan(Capacity() - load_)};
}

void QueueState::UpdateCurves(Seconds now) {
  if (curves_fresh_ && curves_time_ == now) return;
  std::vector<std::pair<float, float>> by_limits, by_expected;
  for (const Known& job : running_) {
    const auto age = static_cast<double>(std::max<Seconds>(now - job.start_time, 0));
    const double limit = job.limit > 0 ? job.limit : job.expected;
    by_limits.emplace_back(std::max(limit - age, 0.0), job.cpus);
    by_expected.emplace_back(ExpectedRest(job.expected, limit, age), job.cpus);
  }
  const double free = std::max(Capacity() - load_, 0.0);
  by_limits_ = ReleaseCurve(free, std::move(by_limits));
  by_expected_ = ReleaseCurve(free, std::move(by_expected));
  curves_time_ = now;
  curves_fresh_ = true;
}

void QueueState::WriteQueue(const Job& job, const Ahead& ahead, Seconds now,
                            RowWriter& write) const {
  const double capacity = Capacity();
  const LikeJobs& all = like_[kAll].Find("");
  write(queue_.size());
  write(ahead.all.cpus);
  write(ahead.all.work / capacity);
  write(ahead.all.expected_work / capacity);
  write(ahead.smaller.smaller);
  write(ahead.smaller.smaller_work / capacity);
  write(ahead.smaller.smaller_expected_work / capacity);
  write(ahead.smaller.narrower);
  write(ahead.smaller.narrower_cpus);
  write(all.OldestAge(now));
  write(all.MeanAge(now));
  write(ahead.blocked);
  write(ahead.all.widest);
  // EASY backfilling reserves for the job that has waited longest, and lets others start before.
  if (ahead.all.oldest.has_value()) {
    const float cpus = ahead.all.oldest->cpus;
    const double until = by_limits_.UntilFree(cpus);
    write(until);
    write(until - job.limit);
    write(std::max(by_limits_.FreeAt(until) - cpus, 0.0) - job.cpus);
    write(cpus);
  } else {
    for (int i = 0; i < 4; ++i) write(kMissing);
  }
}

void QueueState::WriteMachine(const Job& job, const Ahead& ahead, RowWriter& write) const {
  const double capacity = Capacity();
  const double free = std::max(capacity - load_, 0.0);
  write(free);
  write(free / job.cpus);
  write(capacity - load_ - ahead.all.cpus - job.cpus);
  write(running_.size());
  write(by_limits_.work() / capacity);
  write(by_expected_.work() / capacity);
  for (const double before : {0.0, ahead.all.cpus, ahead.smaller.narrower_cpus}) {
    write(by_limits_.UntilFree(before + job.cpus));
    write(by_expected_.UntilFree(before + job.cpus));
  }
}

void QueueState::WriteFlow(Seconds now, RowWriter& write) const {
  for (const Seconds hours : {1, 6, 24}) write(starts_.CountSince(now - hours * kHour));
  for (const Seconds hours : {1, 6, 24}) write(submissions_.CountSince(now - hours * kHour));
  write(ends_.CountSince(now - kHour));
}

void QueueState::WriteLikeJobs(const Job& job, Seconds now, RowWriter& write) const {
  const auto like = [&](Kind kind) -> const LikeJobs& {
    return like_[kind].Find(NameOf(kind, job));
  };
  const LikeJobs& user = like(kUser);
  WriteQueued(user, now, write);
  WriteRunning(user, write);
  write(user.limit_use().Mean());
  write(user.Usage(now));
  const LikeJobs& account = like(kAccount);
  WriteQueued(account, now, write);
  WriteRunning(account, write);
  write(account.Usage(now));
  const LikeJobs& partition = like(kPartition);
  WriteQueued(partition, now, write);
  WriteRunning(partition, write);
  const LikeJobs& shape = like(kShape);
  WriteQueued(shape, now, write);
  WriteRunning(shape, write);
  write(shape.limit_use().Mean());
  WriteQueued(like(kClass), now, write);
  const LikeJobs& all = like(kAll);
  WriteWaits(all, write);
  write(all.SinceStart(now));
}

// In the order of Features().
Row QueueState::MakeRow(const Job& job, Seconds now) {
  UpdateCurves(now);
  const Ahead ahead = AheadOf(job);
  RowWriter write;
  write(job.cpus);
  write(job.limit);
  write(job.cpus * job.limit);
  write(job.cpus / Capacity());
  write(ExpectedRunTime(job));
  WriteQueue(job, ahead, now, write);
  WriteMachine(job, ahead, write);
  WriteFlow(now, write);
  WriteLikeJobs(job, now, write);
  WriteKnowledge(job.known, write);
  return write.row();
}

bool QueueState::IsNew(const Job& job) const {
  return IsCountable(job) && !waiting_place_.contains(job.id) && !running_place_.contains(job.id);
}

QueueState::Known QueueState::KnownOf(const Job& job) {
  Known known = {job.id, job.cpus, job.limit, ExpectedRunTime(job), job.submit_time};
  for (size_t kind = 0; kind < kKinds; ++kind) {
    known.like[kind] = like_[kind].Get(NameOf(static_cast<Kind>(kind), job));
  }
  return known;
}

bool QueueState::Submit(const Job& job) {
  if (!IsNew(job)) return false;
  Known known = KnownOf(job);
  for (LikeJobs* like : known.like) like->Submit(job.cpus, job.submit_time);
  queue_.Add({static_cast<float>(known.cpus), static_cast<float>(known.limit),
              static_cast<float>(known.expected), known.submit_time});
  waiting_place_[job.id] = waiting_.size();
  waiting_.push_back(std::move(known));
  submissions_.Add(job.submit_time);
  return true;
}

bool QueueState::Run(const Job& job) {
  if (!IsNew(job)) return false;
  Known known = KnownOf(job);
  for (LikeJobs* like : known.like) like->Run(job.cpus, job.submit_time);
  known.start_time = job.submit_time;
  AddRunning(std::move(known));
  return true;
}

void QueueState::RemoveQueued(size_t place) {
  waiting_place_.erase(waiting_[place].id);
  if (place + 1 < waiting_.size()) {
    waiting_[place] = std::move(waiting_.back());
    waiting_place_[waiting_[place].id] = place;
  }
  waiting_.pop_back();
  queue_.Remove(place);
}

bool QueueState::Start(absl::string_view id, Seconds time) {
  const auto found = waiting_place_.find(id);
  if (found == waiting_place_.end()) return false;
  Known job = std::move(waiting_[found->second]);
  waiting_[found->second].id = job.id;
  RemoveQueued(found->second);
  job.start_time = time;
  for (LikeJobs* like : job.like) like->Start(job.cpus, job.submit_time, time);
  starts_.Add(time);
  AddRunning(std::move(job));
  return true;
}

void QueueState::AddRunning(Known job) {
  load_ += job.cpus;
  greatest_load_ = std::max(greatest_load_, load_);
  running_place_[job.id] = running_.size();
  running_.push_back(std::move(job));
  curves_fresh_ = false;
}

bool QueueState::Cancel(absl::string_view id) {
  const auto found = waiting_place_.find(id);
  if (found == waiting_place_.end()) return false;
  const Known& job = waiting_[found->second];
  for (LikeJobs* like : job.like) like->Cancel(job.cpus, job.submit_time);
  RemoveQueued(found->second);
  return true;
}

bool QueueState::End(absl::string_view id, Seconds time) {
  const auto found = running_place_.find(id);
  if (found == running_place_.end()) return false;
  const size_t place = found->second;
  const Known& job = running_[place];
  const auto run_time = static_cast<double>(std::max<Seconds>(time - job.start_time, 0));
  for (LikeJobs* like : job.like) like->End(job.cpus, run_time, job.limit, time);
  load_ = running_.size() == 1 ? 0 : load_ - job.cpus;
  ends_.Add(time);
  running_place_.erase(found);
  if (place + 1 < running_.size()) {
    running_[place] = std::move(running_.back());
    running_place_[running_[place].id] = place;
  }
  running_.pop_back();
  curves_fresh_ = false;
  return true;
}

void QueueState::ForgetWaits() {
  for (LikeJobsByName& like : like_) like.ForgetWaits();
}

}  // namespace priorityd::forecast
