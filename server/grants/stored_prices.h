// Price books as they are stored, in the engine's terms.
#ifndef PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_
#define PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "engine/grants/price_book.h"
#include "storage/database/transaction.h"

namespace priorityd::grants {

// The books of a cluster by the TRES of their grants, `price/NAME`. INTERNAL if one cannot be read.
// REQUIRES: as ReadGrantBook.
absl::StatusOr<PriceBooks> ReadPriceBooks(storage::Transaction& transaction, int32_t cluster_id);

// The currency of the book of a TRES of a grant, such as EUR; that TRES where it is no money, or
// the book does not exist.
absl::StatusOr<std::string> CurrencyOf(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::string& tres);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_STORED_PRICES_H_
