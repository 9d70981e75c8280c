#include "engine/grants/carried_lots.h"

#include <algorithm>

namespace priorityd::grants {
namespace {

constexpr int64_t kEverything = 1'000'000;

// A larger sum may be the nearest Amount of a still larger one: it is no sum any more.
Amount MostExactSum() { return Amount::FromMinutes(1e18); }

}  // namespace

Amount CarriedLots::Close(Amount own, Amount used, const std::optional<Amount>& most) {
  const Amount added = std::max(own, Amount());
  lots_.push_back({windows_++, added});
  sum_ += added;
  is_exact_ = is_exact_ && sum_ < MostExactSum();
  Take(used + std::max(-own, Amount()));
  Expire();
  if (grant_.carry_over != kEverything) KeepParts();
  const Amount sum = Sum();
  if (!most.has_value() || sum <= *most) return sum;
  const Amount excess = sum - *most;
  Take(excess);
  return sum - excess;
}

void CarriedLots::Take(Amount amount) {
  for (; first_ < lots_.size(); ++first_) {
    Amount& oldest = lots_[first_].amount;
    const Amount taken = std::clamp(amount, Amount(), oldest);
    oldest -= taken;
    sum_ -= taken;
    amount -= taken;
    if (oldest > Amount()) return;
  }
}

void CarriedLots::Expire() {
  const int64_t oldest = windows_ - grant_.carry_windows;
  for (; first_ < lots_.size() && lots_[first_].window < oldest; ++first_) {
    sum_ -= lots_[first_].amount;
  }
  if (first_ * 2 <= lots_.size()) return;
  lots_.erase(lots_.begin(), lots_.begin() + static_cast<int64_t>(first_));
  first_ = 0;
}

void CarriedLots::KeepParts() {
  sum_ = Amount();
  for (size_t i = first_; i < lots_.size(); ++i) {
    lots_[i].amount = lots_[i].amount.Part(grant_.carry_over);
    sum_ += lots_[i].amount;
  }
}

Amount CarriedLots::Sum() {
  if (is_exact_) return sum_;
  sum_ = Amount();
  for (size_t i = first_; i < lots_.size(); ++i) sum_ += lots_[i].amount;
  is_exact_ = sum_ < MostExactSum();
  return sum_;
}

}  // namespace priorityd::grants
