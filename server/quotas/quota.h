// How a pool that all share is divided: the one class for every such pool.
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

// Who takes from a pool.
struct Holder {
  std::string name;         // As `user:fay`, or an address.
  std::string group = {};   // As a cluster; empty = none.
  bool is_service = false;  // No part bounds what it holds, and the reserve is for it.
};

// What is taken of a pool.
struct Held {
  size_t all = 0;
  size_t of_holder = 0;
  size_t of_group = 0;
};

inline constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

// How a pool is divided.
struct Rule {
  std::string name;                        // As --quota and the metrics know it: `watched_rows`.
  size_t capacity = 0;                     // Of all together.
  size_t reserve = 0;                      // Of the capacity, for services alone.
  size_t of_holder = kUnbounded;           // Of one holder, but for services.
  size_t of_group = kUnbounded;            // Of one group, with its services.
  std::string flag = {};                   // That sets the capacity; empty = none does.
  std::string advice = "try again later";  // For the caller who is refused.

  // Whether `holder` may take `some` more. RESOURCE_EXHAUSTED (QUOTA_EXCEEDED) names the quota,
  // who would hold how much, the bound, and the flag that sets it.
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

// What somebody holds of a quota, which must outlive it. It is given back at the end.
// Thread-compatible.
class Share {
 public:
  Share() = default;  // Of no quota.
  Share(Quota* quota, Holder holder) : quota_(quota), holder_(std::move(holder)) {}
  ~Share() { Clear(); }
  Share(Share&& other) noexcept { *this = std::move(other); }
  Share& operator=(Share&& other) noexcept;

  const Holder& holder() const { return holder_; }
  size_t size() const { return size_; }

  // REQUIRES: it is of a quota, and size >= size(). As Rule::Check; nothing changes then.
  absl::Status GrowTo(size_t size);
  void Clear();
  // Makes it another holder's, whatever that one may have.
  void PassTo(const Holder& holder);

 private:
  Quota* quota_ = nullptr;
  Holder holder_;
  size_t size_ = 0;
};

// A larger pool that this one is a part of, as the memory of all requests. Without functions there
// is none. Called with the quota's lock held.
struct Backing {
  std::function<bool(size_t)> take;  // False, and nothing is taken, where too little is left.
  std::function<void(size_t)> give_back;
};

// Counts what is held of a pool. A holder of nothing takes no memory. Thread-safe.
class Quota {
 public:
  explicit Quota(Rule rule, Backing backing = {})
      : rule_(std::move(rule)), backing_(std::move(backing)) {}
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  const Rule& rule() const { return rule_; }

  // As Rule::Check; RESOURCE_EXHAUSTED (MEMORY_BUDGET) where the backing has too little left.
  absl::StatusOr<Share> Take(const Holder& holder, size_t some = 1);

  Usage usage() const ABSL_LOCKS_EXCLUDED(mutex_);
  Held HeldBy(const Holder& holder) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Holders and groups that it knows.
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
