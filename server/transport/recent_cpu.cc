#include "server/transport/recent_cpu.h"

namespace priorityd::rpc {
namespace {

constexpr absl::Duration kPeriod = absl::Seconds(1);

absl::Duration TimeOf(const absl::flat_hash_map<std::string, absl::Duration>& used,
                      const std::string& caller) {
  const auto found = used.find(caller);
  return found == used.end() ? absl::ZeroDuration() : found->second;
}

}  // namespace

void RecentCpu::Add(const std::string& caller, absl::Duration used) {
  absl::MutexLock lock(&mutex_);
  Advance();
  present_[caller] += used;
}

absl::Duration RecentCpu::Of(const std::string& caller) {
  absl::MutexLock lock(&mutex_);
  Advance();
  return TimeOf(present_, caller) + TimeOf(before_, caller);
}

void RecentCpu::Advance() {
  const absl::Time now = clock_();
  if (now < end_) return;
  before_.clear();
  if (now < end_ + kPeriod) before_.swap(present_);
  present_.clear();
  end_ = now + kPeriod;
}

}  // namespace priorityd::rpc
