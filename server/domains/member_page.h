// A page of the ledgers of several members, settled into the ledger of their domain.
#ifndef PRIORITYD_SERVER_DOMAINS_MEMBER_PAGE_H_
#define PRIORITYD_SERVER_DOMAINS_MEMBER_PAGE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"
#include "server/usage/price_book.h"
#include "storage/database/transaction.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::domains {

using LedgerEnds = std::map<int32_t, int64_t>;   // By cluster_id, of LedgerScan::End.
using RecordsRead = std::map<int32_t, int64_t>;  // By cluster_id.

// Appends what the domain lacks of the first `limit` records of each member that are not settled
// and are before its end, and moves the member's position and counts; returns the number of records
// read. REQUIRES: in Database::Write, the domain has a shared lock, `book` is current, the
// memberships are locked, and each has an end.
absl::StatusOr<RecordsRead> SettlePage(storage::Transaction& transaction, int32_t domain_id,
                                       const usage::PriceBook& book, const LedgerEnds& ends,
                                       int64_t limit, std::vector<storage::DomainMember>* members);

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_MEMBER_PAGE_H_
