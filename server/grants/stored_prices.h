// Price books as they are stored, in the engine's terms.
#ifndef PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_
#define PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/grants/price_book.h"
#include "engine/grants/price_rule.h"
#include "engine/slurm/dump/dump_line.h"
#include "storage/transaction.h"

namespace priorityd::grants {

// A rule as a line of the file of own objects: `Price - 'cpu':PerHour='0.031':Hours='20-8'`.
std::string PriceLine(const PriceRule& rule);
// INVALID_ARGUMENT as ReadPriceRule; option names in any case.
absl::StatusOr<PriceRule> RuleOfLine(absl::string_view tres,
                                     const std::vector<slurm::DumpOption>& options);

// The books of a cluster by the TRES of their grants, `price/NAME`. INTERNAL if one cannot be read.
// REQUIRES: as ReadGrantBook.
absl::StatusOr<PriceBooks> ReadPriceBooks(storage::Transaction& transaction, int32_t cluster_id);

// The currency of the book of a TRES of a grant, such as EUR; that TRES where it is no money, or
// the book does not exist.
absl::StatusOr<std::string> CurrencyOf(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::string& tres);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_
