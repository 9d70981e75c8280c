// The steps of a settlement for each pool.
#ifndef PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_
#define PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"

namespace priorityd::grants {

// Makes the periods of windows that come near where that needs no reading, and finds the pools that
// need the ledger for it. `looks`: whether windows may be missing at all. `pools`: of each stack of
// the book; stale ones lose their periods.
// `tres`: the numbers of TRES by name, as of the ledger that is read.
SettlementPlan MakePlan(const SettlementInput& input, const GrantBook& book, bool looks,
                        const std::map<std::string, int32_t>& tres, std::vector<Pool>* pools);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_SETTLEMENT_PLAN_H_
