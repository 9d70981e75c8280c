// What a settlement has to do to each pool.
#ifndef PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_
#define PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"

namespace priorityd::grants {

// A TRES of which a pool counts usage, times a weight.
struct CountedTres {
  int32_t number;
  double weight;
};

struct PoolPlan {
  std::vector<CountedTres> tres;        // Those of the owner that anybody uses; not billing.
  std::vector<absl::Time> boundaries;   // Where periods must begin.
  std::optional<absl::Time> read_from;  // The ledger is read again from then on.
  bool is_written_whole = false;        // The periods are others than the stored ones.
};

struct SettlementPlan {
  std::vector<PoolPlan> of_pools;
  bool reads_windows = false;  // Whether any has read_from, or is new.
};

// Makes the periods of windows that come near where that needs no reading, and finds the pools that
// need the ledger for it. `looks`: whether windows may be missing at all. `pools`: of each stack of
// the book; stale ones lose their periods.
// `tres`: the numbers of TRES by name, as of the ledger that is read.
SettlementPlan MakePlan(const SettlementInput& input, const GrantBook& book, bool looks,
                        const std::map<std::string, int32_t>& tres, std::vector<Pool>* pools);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_
