// Sums of TRES by weights, as a grant counts them, as texts: `cpu=1,gres/gpu=20`.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_TRES_SUM_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_TRES_SUM_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

struct TresTerm {
  std::string tres;  // Canonical.
  double weight = 1;

  friend bool operator==(const TresTerm&, const TresTerm&) = default;
};

// Ascending by TRES.
using TresTerms = std::vector<TresTerm>;

// The text of a sum: `cpu=1,gres/gpu=20`. That of one TRES with the weight 1 is its name, so that
// equal sums have equal texts. REQUIRES: not empty; the weights are finite and above 0.
std::string TresSumText(const TresMap& weights);

// The terms of such a text; of the name of a TRES itself with the weight 1, also of any text that
// is not one of TresSumText.
TresTerms TresTermsOf(absl::string_view text);

// Whether the text has weights.
bool IsTresSum(absl::string_view text);

// The sum of the values of `of` for each term's TRES, times its weight, in their order.
double WeightedSum(const TresTerms& terms, absl::FunctionRef<double(const std::string& tres)> of);

// Before the name of a price book: `price/academic` is money by its prices, of which a unit of the
// currency is an hour.
inline constexpr absl::string_view kPricePrefix = "price/";
bool IsPrice(absl::string_view text);

// The unit in which people read amounts over time: `billing minutes`, `minutes of
// cpu=1,gres/gpu=20`, `EUR by price/academic`; `units of price/academic` without its currency.
struct TresUnit {
  double seconds;  // TRES-seconds of one.
  std::string name;
};
TresUnit TresUnitOf(absl::string_view text, absl::string_view currency = "");

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_TRES_SUM_H_
