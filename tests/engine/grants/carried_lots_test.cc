#include "engine/grants/carried_lots.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace priorityd::grants {
namespace {

// Every lot of every window, added up each time.
class EveryLot {
 public:
  explicit EveryLot(const Grant& grant) : grant_(grant) {}

  Amount Close(Amount own, Amount used, const std::optional<Amount>& most) {
    lots_.push_back(std::max(own, Amount()));
    Take(used + std::max(-own, Amount()));
    if (lots_.size() > static_cast<size_t>(grant_.carry_windows)) lots_.erase(lots_.begin());
    for (Amount& lot : lots_) lot = lot.Part(grant_.carry_over);
    Amount sum;
    for (const Amount lot : lots_) sum += lot;
    if (!most.has_value()) return sum;
    const Amount excess = std::max(sum - *most, Amount());
    Take(excess);
    return sum - excess;
  }

 private:
  void Take(Amount amount) {
    for (Amount& lot : lots_) {
      const Amount taken = std::clamp(amount, Amount(), lot);
      lot -= taken;
      amount -= taken;
    }
  }

  const Grant& grant_;
  std::vector<Amount> lots_;
};

class DrawWindows {
 public:
  explicit DrawWindows(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }
  // With a part below a TRES-second; now and then so much that sums are at the largest Amount.
  Amount Drawn() {
    if (OneIn(6)) return Amount();
    const double minutes = static_cast<double>(Below(1'000'000)) / 7;
    return Amount::FromMinutes(has_huge_ && OneIn(8) ? minutes * 1e13 : minutes);
  }
  std::optional<Amount> Most() {
    if (!OneIn(has_huge_ ? 60 : 5)) return std::nullopt;
    return Drawn() * 10;
  }
  Grant Drawing() {
    has_huge_ = OneIn(4);
    Grant grant;
    grant.carry_over = OneIn(2) ? 1'000'000 : Below(1'000'001);
    grant.carry_windows = static_cast<int>(1 + Below(OneIn(2) ? 100 : 5));
    return grant;
  }

 private:
  std::mt19937_64 random_;
  bool has_huge_ = false;
};

TEST(CarriedLotsTest, AreThoseOfEveryLotAddedUpForUpTo100LotsOver20Years) {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    DrawWindows draw(seed);
    const Grant grant = draw.Drawing();
    CarriedLots lots(grant);
    EveryLot model(grant);
    for (int window = 0; window < 240; ++window) {
      const Amount own = draw.OneIn(10) ? -draw.Drawn() : draw.Drawn();
      const Amount used = draw.OneIn(3) ? draw.Drawn() : draw.Drawn().Part(300'000);
      const std::optional<Amount> most = draw.Most();
      ASSERT_EQ(lots.Close(own, used, most).ToDecimal(), model.Close(own, used, most).ToDecimal())
          << "seed " << seed << " window " << window;
    }
  }
}

}  // namespace
}  // namespace priorityd::grants
