// Divides shared pools among callers: one class for every such pool.
#ifndef PRIORITYD_SERVER_QUOTAS_QUOTA_H_
#define PRIORITYD_SERVER_QUOTAS_QUOTA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::quotas {

// The holder of a part of a pool.
struct Holder {
  std::string name;         // For example `user:fay`, or an address.
  std::string group = {};   // For example a cluster; empty = none.
  bool is_service = false;  // Not bounded by a part, and may use the reserve.
};

// The amounts held of a pool.
struct Held {
  size_t all = 0;
  size_t of_holder = 0;
  size_t of_group = 0;
};

inline constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

// The rule by which a pool is divided.
struct Rule {
  std::string name;                    // In --quota and the metrics: `watched_rows`.
  size_t capacity = 0;                 // For all holders together.
  size_t reserve = 0;                  // The part of the capacity for services only.
  size_t of_holder = kUnbounded;       // Per holder, except services.
  size_t of_group = kUnbounded;        // Per group, including its services.
  std::string flag = {};               // The flag that sets the capacity; empty = none.
  std::string advice = "retry later";  // For a refused caller.

  // Whether `holder` may take `some` more. RESOURCE_EXHAUSTED (QUOTA_EXCEEDED) states the quota,
  // the holder and amount, the bound, and the flag that sets it.
  absl::Status Check(const Held& held, const Holder& holder, size_t some) const;
};

// For metrics.
struct Usage {
  std::string name;
  size_t used = 0;
  size_t limit = 0;
  uint64_t refused = 0;  // Since the start.
};

class Quota;

// A holder's share of a quota, which must outlive it. Returned on destruction. Thread-compatible.
class Share {
 public:
  Share() = default;  // A share of no quota.
  Share(Quota* quota, Holder holder) : quota_(quota), holder_(std::move(holder)) {}
  ~Share() { Clear(); }
  Share(Share&& other) noexcept { *this = std::move(other); }
  Share& operator=(Share&& other) noexcept;

  const Holder& holder() const { return holder_; }
  size_t size() const { return size_; }

  // REQUIRES: it belongs to a quota, and size >= size(). Errors of Rule::Check, without any change.
  absl::Status GrowTo(size_t size);
  void Clear();
  // Transfers it to another holder, regardless of that holder's bound.
  void PassTo(const Holder& holder);

 private:
  Quota* quota_ = nullptr;
  Holder holder_;
  size_t size_ = 0;
};

// A larger pool that contains this one, such as the memory of all requests. Without functions,
// there is none. Called with the quota's lock held.
struct Backing {
  std::function<bool(size_t)> take;  // Returns false and takes nothing if too little is left.
  std::function<void(size_t)> give_back;
};

// Counts the shares of a pool. Holders without a share take no memory. Thread-safe.
class Quota {
 public:
  explicit Quota(Rule rule, Backing backing = {})
      : rule_(std::move(rule)), backing_(std::move(backing)) {}
  // REQUIRES: no shares. Waits for the one that is being returned.
  ~Quota() { absl::MutexLock lock(&mutex_); }
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  const Rule& rule() const { return rule_; }

  // Errors of Rule::Check; RESOURCE_EXHAUSTED (MEMORY_BUDGET) if the backing has too little left.
  absl::StatusOr<Share> Take(const Holder& holder, size_t some = 1);

  Usage usage() const ABSL_LOCKS_EXCLUDED(mutex_);
  Held HeldBy(const Holder& holder) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The number of holders and groups with shares.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  friend class Share;
  using Counts = absl::flat_hash_map<std::string, size_t>;

  static void Add(const std::string& name, size_t some, Counts* counts);
  static void Subtract(const std::string& name, size_t some, Counts* counts);
  static size_t CountOf(const std::string& name, const Counts& counts);

  absl::Status TryAdd(const Holder& holder, size_t some) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status NoBacking(size_t some) const;
  void GiveBack(const Holder& holder, size_t some) ABSL_LOCKS_EXCLUDED(mutex_);
  void Pass(const Holder& from, const Holder& to, size_t some) ABSL_LOCKS_EXCLUDED(mutex_);
  void Count(const Holder& holder, size_t some) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Uncount(const Holder& holder, size_t some) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Held HeldNow(const Holder& holder) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const Rule rule_;
  const Backing backing_;
  mutable absl::Mutex mutex_;
  size_t all_ ABSL_GUARDED_BY(mutex_) = 0;
  Counts holders_ ABSL_GUARDED_BY(mutex_);
  Counts groups_ ABSL_GUARDED_BY(mutex_);
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::quotas

#endif  // PRIORITYD_SERVER_QUOTAS_QUOTA_H_
