// A number of things that may be had at a time, and who has how many of them.
#ifndef PRIORITYD_SERVER_HTTP_BUDGET_H_
#define PRIORITYD_SERVER_HTTP_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace priorityd::http {

// Memory that is shared with others; without functions there is always some.
struct SharedMemory {
  std::function<bool(size_t)> take;
  std::function<void(size_t)> give_back;
};

// Thread-safe.
class Budget {
 public:
  // `memory`: what is taken of the budget is taken of it, too.
  explicit Budget(size_t most, SharedMemory memory = {})
      : most_(most), memory_(std::move(memory)) {}

  // False, and nothing is taken, where fewer are left.
  bool Take(size_t some) {
    if (!TakeOwn(some)) return false;
    if (memory_.take == nullptr || memory_.take(some)) return true;
    taken_ -= some;
    return false;
  }
  void GiveBack(size_t some) {
    taken_ -= some;
    if (memory_.give_back != nullptr) memory_.give_back(some);
  }

 private:
  bool TakeOwn(size_t some) {
    size_t before = taken_.load();
    while (some <= most_ - before) {
      if (taken_.compare_exchange_weak(before, before + some)) return true;
    }
    return false;
  }

  const size_t most_;
  const SharedMemory memory_;
  std::atomic<size_t> taken_ = 0;
};

// What one has of a budget, which must outlive it. Thread-compatible.
class Share {
 public:
  explicit Share(Budget& budget) : budget_(budget) {}
  ~Share() { Clear(); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // Not to be less than before. False, and nothing changes, where too few are left.
  bool GrowTo(size_t size) {
    if (!budget_.Take(size - size_)) return false;
    size_ = size;
    return true;
  }
  size_t size() const { return size_; }
  void Clear() { budget_.GiveBack(std::exchange(size_, 0)); }

 private:
  Budget& budget_;
  size_t size_ = 0;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_BUDGET_H_
