// A price book: the prices of usage over time.
#ifndef PRIORITYD_ENGINE_GRANTS_PRICE_BOOK_H_
#define PRIORITYD_ENGINE_GRANTS_PRICE_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "engine/grants/price_rule.h"

namespace priorityd::grants {

// The rules from `begin` on, until the next version begins.
struct PriceVersion {
  absl::Time begin;     // A full quarter of an hour.
  absl::TimeZone zone;  // Of hours and days.
  std::vector<PriceRule> rules;
};

// The price of an hour of a TRES, in 1e-12 of the currency.
struct TresPrice {
  std::string tres;
  int64_t per_hour = 0;

  friend bool operator==(const TresPrice&, const TresPrice&) = default;
};

// The input of a price: a record, or a job that will become one.
struct PricedUse {
  absl::string_view partition;
  absl::string_view qos;
  // The count of a TRES, or of `billing`.
  absl::FunctionRef<double(const std::string& tres)> count;
};

// The versions of a book. Of each TRES the first rule counts that fits; without one it costs
// nothing, as all usage before the first version. Keeps what it has computed: thread-compatible,
// also where it is const.
class PriceBook {
 public:
  PriceBook() = default;
  // REQUIRES: the versions ascend by begin.
  explicit PriceBook(std::vector<PriceVersion> versions, std::string currency = "");
  // A copy has computed nothing.
  PriceBook(const PriceBook& other) : PriceBook(other.versions_, other.currency_) {}
  PriceBook(PriceBook&&) = default;
  PriceBook& operator=(PriceBook&&) = default;

  const std::string& currency() const { return currency_; }
  // The TRES in its rules, ascending.
  const std::vector<std::string>& tres() const { return tres_; }

  // A time with the same prices: [begin, end).
  struct Span {
    absl::Time begin;
    absl::Time end;
    int state;  // For PricesIn.
  };
  // The span that contains the time; not always the longest one.
  Span SpanOf(absl::Time time);
  // The prices above 0 of usage in that state. Valid until the book is destroyed.
  const std::vector<TresPrice>& PricesIn(int state, absl::string_view partition,
                                         absl::string_view qos);

  // Calls `take` for consecutive parts of [start, end), each with the cost of an hour of the use in
  // it. A book without versions has no part.
  void Cut(absl::Time start, absl::Time end, const PricedUse& use,
           absl::FunctionRef<void(Rate rate, absl::Time start, absl::Time end)> take);
  // The cost of the use in [start, end): the sum of those parts. Takes a part of their number where
  // they are many: the times of whole blocks of days are added up once.
  Amount CostOf(absl::Time start, absl::Time end, const PricedUse& use);

 private:
  // The rules that hold, of a version; also the place of a state.
  using State = std::vector<const PriceRule*>;

  using StateTimes = absl::btree_map<int, absl::Duration>;  // By state.

  void AddTimes(absl::Time start, absl::Time end, StateTimes* times);
  // The times of a block of days, by its number since 1970.
  const StateTimes& TimesIn(int64_t block);
  State StateAt(absl::Time time) const;
  absl::Time NextChange(absl::Time time, const State& state) const;
  int NumberOf(State state);
  Rate RateIn(int state, const PricedUse& use);

  std::vector<PriceVersion> versions_;
  std::string currency_;
  std::vector<std::string> tres_;
  std::map<absl::Time, Span> spans_;  // By begin.
  std::map<int64_t, StateTimes> blocks_;
  std::map<State, int> numbers_;
  std::vector<const State*> states_;
  // The names in rules, from 1; 0 = any other name.
  absl::flat_hash_map<std::string, int> partitions_;
  absl::flat_hash_map<std::string, int> qos_;
  std::map<std::tuple<int, int, int>, std::vector<TresPrice>> prices_;  // By state, partition, QOS.
};

// By the TRES of their grants: `price/NAME`.
using PriceBooks = std::map<std::string, PriceBook>;

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_PRICE_BOOK_H_
