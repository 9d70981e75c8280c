#include "server/identity/token_buckets.h"

#include <algorithm>

namespace priorityd::identity {
namespace {

// The number of a time's period, and the time until the next one.
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
  by_rank_.clear();
  addresses_.clear();
  enabled_ = limits.enabled;
}

void TokenBuckets::SetParts(const quotas::Parts& parts) {
  absl::MutexLock lock(&mutex_);
  parts_ = parts;
}

RateLimits TokenBuckets::limits() const {
  absl::MutexLock lock(&mutex_);
  return limits_;
}

size_t TokenBuckets::size() const {
  absl::MutexLock lock(&mutex_);
  return by_caller_.size();
}

quotas::Usage TokenBuckets::usage() const {
  absl::MutexLock lock(&mutex_);
  return {quotas::kRateBuckets, by_caller_.size(), static_cast<size_t>(limits_.table_size),
          forgotten_};
}

TokenBuckets::Verdict TokenBuckets::Take(absl::string_view caller, absl::string_view address,
                                         absl::Time now) {
  if (!enabled_) return {};
  absl::MutexLock lock(&mutex_);
  const Place place = PlaceOf(now, limits_.refill_period);
  Bucket& bucket = BucketOf(caller, address, place.period);
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
  // No more than fill the bucket.
  const int64_t passed = std::clamp<int64_t>(period - bucket->period, 0, limits_.bucket_size);
  bucket->tokens = std::min(limits_.bucket_size, bucket->tokens + passed * limits_.refill_rate);
  bucket->period = period;
}

TokenBuckets::Bucket& TokenBuckets::BucketOf(absl::string_view caller, absl::string_view address,
                                             int64_t period) {
  const auto found = by_caller_.find(caller);
  if (found == by_caller_.end()) return Add(caller, address, period);
  Address* const of = found->second->address;
  of->buckets.splice(of->buckets.begin(), of->buckets, found->second);
  Bucket& bucket = of->buckets.front();
  Refill(period, &bucket);
  bucket.used = ++takes_;
  SetRank(of);
  return bucket;
}

TokenBuckets::Bucket& TokenBuckets::Add(absl::string_view caller, absl::string_view address,
                                        int64_t period) {
  const size_t table = static_cast<size_t>(limits_.table_size);
  const auto known = addresses_.find(address);
  const bool has_part = known != addresses_.end() &&
                        known->second->buckets.size() >= parts_.Of(quotas::kRateBuckets, table);
  if (has_part) {
    ForgetOne(known->second.get());
  } else if (by_caller_.size() >= table) {
    ForgetOne(by_rank_.begin()->second);
  }
  std::unique_ptr<Address>& of = addresses_[address];
  if (of == nullptr) of = std::make_unique<Address>(Address{std::string(address), {}});
  of->buckets.push_front(
      {std::string(caller), limits_.bucket_size, period, absl::InfinitePast(), of.get(), ++takes_});
  by_caller_.emplace(of->buckets.front().caller, of->buckets.begin());
  SetRank(of.get());
  return of->buckets.front();
}

void TokenBuckets::ForgetOne(Address* address) {
  ++forgotten_;
  by_caller_.erase(address->buckets.back().caller);
  address->buckets.pop_back();
  SetRank(address);
}

void TokenBuckets::SetRank(Address* address) {
  by_rank_.erase(address->rank);
  if (address->buckets.empty()) {
    addresses_.erase(std::string(address->name));
    return;
  }
  address->rank = {address->buckets.size(), address->buckets.back().used};
  by_rank_.emplace(address->rank, address);
}

}  // namespace priorityd::identity
