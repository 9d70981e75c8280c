// Shares equal values.
#ifndef PRIORITYD_SERVER_CONFIGURATION_SHARED_VALUES_H_
#define PRIORITYD_SERVER_CONFIGURATION_SHARED_VALUES_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace priorityd::configuration {

// Does not keep values alive. `T` has `Hash` and `==`. Thread-safe.
template <typename T>
class SharedValues {
 public:
  // An equal value that is still held, or else `value` itself.
  std::shared_ptr<const T> Share(T value) ABSL_LOCKS_EXCLUDED(mutex_) {
    const size_t hash = value.Hash();
    absl::MutexLock lock(&mutex_);
    std::shared_ptr<const T> held = values_[hash].lock();
    if (held != nullptr && *held == value) return held;
    // Not make_shared: the value's memory is freed with the last holder, although its entry stays
    // here.
    held.reset(new T(std::move(value)));
    values_[hash] = held;
    if (values_.size() > room_) DropUnheld();
    return held;
  }

  // The number of entries, held or not.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return values_.size();
  }

 private:
  void DropUnheld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    absl::erase_if(values_, [](const auto& entry) { return entry.second.expired(); });
    room_ = 2 * values_.size() + kRoom;
  }

  static constexpr size_t kRoom = 64;
  mutable absl::Mutex mutex_;
  size_t room_ ABSL_GUARDED_BY(mutex_) = kRoom;
  absl::flat_hash_map<size_t, std::weak_ptr<const T>> values_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_SHARED_VALUES_H_
