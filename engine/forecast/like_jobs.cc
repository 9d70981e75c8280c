#include "engine/forecast/like_jobs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

constexpr double kUsageLife = 7 * 86'400;  // Seconds until 1 / e is left.

float Since(Seconds then, Seconds now) {
  return then < 0 ? kMissing : static_cast<float>(std::max<Seconds>(now - then, 0));
}

}  // namespace

void LastEight::Add(float value) {
  values_[next_] = value;
  next_ = (next_ + 1) % kCount;
  count_ = std::min(count_ + 1, kCount);
}

float LastEight::Last() const { return count_ == 0 ? kMissing : At(0); }

float LastEight::Mean() const {
  if (count_ == 0) return kMissing;
  double sum = 0;
  for (size_t age = 0; age < count_; ++age) sum += At(age);
  return static_cast<float>(sum / static_cast<double>(count_));
}

float LastEight::Greatest() const {
  float greatest = kMissing;
  for (size_t age = 0; age < count_; ++age) greatest = std::max(greatest, At(age));
  return greatest;
}

float LastEight::MeanOfTwo() const { return count_ < 2 ? Last() : (At(0) + At(1)) / 2; }

void LikeJobs::Submit(double cpus, Seconds time) {
  waiting_.insert(time);
  waiting_cpus_ += cpus;
  submit_times_ += static_cast<double>(time);
  last_submission_ = last_event_ = time;
}

void LikeJobs::Leave(double cpus, Seconds submit_time) {
  const auto place = waiting_.find(submit_time);
  if (place == waiting_.end()) return;
  waiting_.erase(place);
  waiting_cpus_ -= cpus;
  submit_times_ -= static_cast<double>(submit_time);
  // No rounding remains.
  if (waiting_.empty()) waiting_cpus_ = submit_times_ = 0;
}

void LikeJobs::Start(double cpus, Seconds submit_time, Seconds time) {
  Leave(cpus, submit_time);
  ++running_;
  running_cpus_ += cpus;
  waits_.Add(static_cast<float>(ToScale(static_cast<double>(time - submit_time))));
  last_start_ = last_event_ = time;
}

void LikeJobs::Run(double cpus, Seconds time) {
  ++running_;
  running_cpus_ += cpus;
  last_event_ = time;
}

void LikeJobs::Cancel(double cpus, Seconds submit_time) { Leave(cpus, submit_time); }

void LikeJobs::End(double cpus, double run_time, double limit, Seconds time) {
  --running_;
  running_cpus_ = running_ == 0 ? 0 : running_cpus_ - cpus;
  run_times_.Add(static_cast<float>(run_time));
  if (limit > 0) limit_use_.Add(static_cast<float>(std::min(run_time / limit, 1.0)));
  usage_ = Usage(time) + cpus * run_time;
  usage_time_ = last_event_ = time;
}

float LikeJobs::OldestAge(Seconds now) const {
  return waiting_.empty() ? kMissing : Since(*waiting_.begin(), now);
}

float LikeJobs::MeanAge(Seconds now) const {
  if (waiting_.empty()) return kMissing;
  const double mean = submit_times_ / static_cast<double>(waiting_.size());
  return static_cast<float>(std::max(static_cast<double>(now) - mean, 0.0));
}

float LikeJobs::SinceStart(Seconds now) const { return Since(last_start_, now); }

float LikeJobs::SinceSubmission(Seconds now) const { return Since(last_submission_, now); }

double LikeJobs::Usage(Seconds now) const {
  const auto age = static_cast<double>(std::max<Seconds>(now - usage_time_, 0));
  return age > 100 * kUsageLife ? 0 : usage_ * Exp(-age / kUsageLife);
}

void LikeJobs::ForgetWaits() {
  waits_ = LastEight();
  last_start_ = -1;
}

LikeJobs* LikeJobsByName::Get(absl::string_view name) {
  const auto place = by_name_.find(name);
  if (place != by_name_.end()) return place->second.get();
  if (by_name_.size() >= look_at_) ForgetOldest();
  return by_name_.emplace(name, std::make_unique<LikeJobs>()).first->second.get();
}

const LikeJobs& LikeJobsByName::Find(absl::string_view name) const {
  static const LikeJobs& none = *new LikeJobs;
  const auto place = by_name_.find(name);
  return place == by_name_.end() ? none : *place->second;
}

void LikeJobsByName::ForgetWaits() {
  for (auto& [name, jobs] : by_name_) jobs->ForgetWaits();
}

// A tenth at a time, so that it costs little for each new name.
void LikeJobsByName::ForgetOldest() {
  std::vector<std::pair<Seconds, std::string>> idle;
  for (const auto& [name, jobs] : by_name_) {
    if (jobs->idle()) idle.emplace_back(jobs->last_event(), name);
  }
  std::sort(idle.begin(), idle.end());
  idle.resize(std::min(idle.size(), most_ / 10 + 1));
  for (const auto& [time, name] : idle) by_name_.erase(name);
  // Not for each new name again, while almost all have jobs.
  look_at_ = std::max(most_, by_name_.size() + by_name_.size() / 10);
}

}  // namespace priorityd::forecast
