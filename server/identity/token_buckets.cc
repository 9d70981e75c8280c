#include "server/identity/token_buckets.h"

#include <algorithm>

namespace priorityd::identity {
namespace {

// The number of a time's period, and how long until the next one.
struct Place {
  int64_t period;
  absl::Duration left;
};

Place PlaceOf(absl::Time now, absl::Duration period) {
  absl::Duration passed;
  int64_t number = absl::IDivDuration(now - absl::UnixEpoch(), period, &passed);
  if (passed < absl::ZeroDuration()) {
    passed += period;
    --number;
  }
  return {number, period - passed};
}

}  // namespace

void TokenBuckets::SetLimits(const RateLimits& limits) {
  absl::MutexLock lock(&mutex_);
  if (limits == limits_) return;
  limits_ = limits;
  by_caller_.clear();
  buckets_.clear();
  enabled_ = limits.enabled;
}

RateLimits TokenBuckets::limits() const {
  absl::MutexLock lock(&mutex_);
  return limits_;
}

size_t TokenBuckets::size() const {
  absl::MutexLock lock(&mutex_);
  return buckets_.size();
}

TokenBuckets::Verdict TokenBuckets::Take(absl::string_view caller, absl::Time now) {
  if (!enabled_) return {};
  absl::MutexLock lock(&mutex_);
  const Place place = PlaceOf(now, limits_.refill_period);
  Bucket& bucket = BucketOf(caller, place.period);
  if (bucket.tokens > 0) {
    --bucket.tokens;
    return {};
  }
  const bool log =
      limits_.log_period < absl::InfiniteDuration() && now - bucket.logged >= limits_.log_period;
  if (log) bucket.logged = now;
  return {place.left, log};
}

TokenBuckets::Verdict TokenBuckets::Look(absl::string_view caller, absl::Time now) {
  if (!enabled_) return {};
  absl::MutexLock lock(&mutex_);
  const auto found = by_caller_.find(caller);
  if (found == by_caller_.end()) return {};
  const Place place = PlaceOf(now, limits_.refill_period);
  Refill(place.period, &*found->second);
  return {found->second->tokens > 0 ? absl::ZeroDuration() : place.left};
}

void TokenBuckets::Refill(int64_t period, Bucket* bucket) const {
  // No more of them than fill it.
  const int64_t passed = std::clamp<int64_t>(period - bucket->period, 0, limits_.bucket_size);
  bucket->tokens = std::min(limits_.bucket_size, bucket->tokens + passed * limits_.refill_rate);
  bucket->period = period;
}

TokenBuckets::Bucket& TokenBuckets::BucketOf(absl::string_view caller, int64_t period) {
  const auto found = by_caller_.find(caller);
  if (found != by_caller_.end()) {
    buckets_.splice(buckets_.begin(), buckets_, found->second);
  } else {
    if (buckets_.size() >= static_cast<size_t>(limits_.table_size)) {
      by_caller_.erase(buckets_.back().caller);
      buckets_.pop_back();
    }
    buckets_.push_front({std::string(caller), limits_.bucket_size, period, absl::InfinitePast()});
    by_caller_.emplace(buckets_.front().caller, buckets_.begin());
  }
  Refill(period, &buckets_.front());
  return buckets_.front();
}

}  // namespace priorityd::identity
