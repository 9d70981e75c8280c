// A number of things that may be had at a time, and who has how many of them.
#ifndef PRIORITYD_SERVER_HTTP_BUDGET_H_
#define PRIORITYD_SERVER_HTTP_BUDGET_H_

#include <atomic>
#include <cstddef>
#include <utility>

namespace priorityd::http {

// Thread-safe.
class Budget {
 public:
  explicit Budget(size_t most) : most_(most) {}

  // False, and nothing is taken, where fewer are left.
  bool Take(size_t some) {
    size_t before = taken_.load();
    while (some <= most_ - before) {
      if (taken_.compare_exchange_weak(before, before + some)) return true;
    }
    return false;
  }
  void GiveBack(size_t some) { taken_ -= some; }

 private:
  const size_t most_;
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
  void Clear() { budget_.GiveBack(std::exchange(size_, 0)); }

 private:
  Budget& budget_;
  size_t size_ = 0;
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_BUDGET_H_
