// Settles the ledgers of a usage domain's members into the domain's ledger.
#ifndef PRIORITYD_SERVER_DOMAINS_SETTLEMENT_H_
#define PRIORITYD_SERVER_DOMAINS_SETTLEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/usage/price_books.h"
#include "storage/database/database.h"
#include "storage/database/transaction.h"

namespace priorityd::domains {

// Maximum records of one transaction, and approximate records of one call for each member.
inline constexpr int64_t kSettledAtOnce = 5000;
inline constexpr size_t kSettledTogether = 100;  // Maximum members of one transaction.
inline constexpr int64_t kSettledRound = 500'000;

struct Settlement {
  std::vector<std::string> members;  // By name; empty = the cluster is not a domain.
  bool is_complete = true;           // False: more than a round takes is left, or a member is held.
  std::vector<std::pair<std::string, absl::Status>> failed;  // Members that were not settled.
};

// Appends to the domain's ledger, and to its usage, what the members' ledgers have since they were
// settled last: records, corrections, voids and restored records, in the order of the member's
// ledger. A page has records of many members, the same number of each at most; it is one
// transaction with the members' positions, so that each record counts once whatever fails between.
// `check` is called first in each of these transactions and may refuse it. Settlement of a member
// that is locked for long or frozen, or whose domain is, continues the next time; so does that of a
// member with another error, which is returned as failed. The other members are settled. `books` of
// this database, kept between calls. NOT_FOUND: no such cluster; errors of `check`; ABORTED,
// UNAVAILABLE: the database.
absl::StatusOr<Settlement> Settle(storage::Database& database, const std::string& domain,
                                  absl::FunctionRef<absl::Status(storage::Transaction&)> check,
                                  usage::PriceBooks* books);

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_SETTLEMENT_H_
