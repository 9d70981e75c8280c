// The amounts that windows of a grant carry over to later ones.
#ifndef PRIORITYD_ENGINE_GRANTS_CARRIED_LOTS_H_
#define PRIORITYD_ENGINE_GRANTS_CARRIED_LOTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/grants/amount.h"
#include "engine/grants/grant.h"

namespace priorityd::grants {

// A lot is the rest of the amount of one window; see Grant::carry_over. The time of all windows is
// in proportion to their number where everything is carried over, otherwise to that times the lots
// that have something left. `grant` must outlive it.
class CarriedLots {
 public:
  explicit CarriedLots(const Grant& grant) : grant_(grant) {}

  // Closes the next window. `own`: its amount without carried amounts, below 0 = a debt of earlier
  // lots; `used`: at least 0; `most`: the bound of the amount that the window after it gets.
  // Returns that amount.
  Amount Close(Amount own, Amount used, const std::optional<Amount>& most);

 private:
  struct Lot {
    int64_t window = 0;
    Amount amount;
  };

  // Takes an amount of the oldest lots.
  void Take(Amount amount);
  void Expire();
  void KeepParts();
  Amount Sum();

  const Grant& grant_;
  std::vector<Lot> lots_;  // From first_ on, oldest first.
  size_t first_ = 0;
  Amount sum_;            // Of the lots.
  bool is_exact_ = true;  // Whether it always was far below the largest Amount.
  int64_t windows_ = 0;   // The number of closed windows.
};

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_CARRIED_LOTS_H_
