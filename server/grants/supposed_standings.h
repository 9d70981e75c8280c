// What grants would leave after a change that is not committed yet.
#ifndef PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_
#define PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/priority/site/grant_standing.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "storage/transaction.h"

namespace priorityd::grants {

struct SupposedStandings {
  std::vector<priority::GrantStanding> standings;  // StandingsOf.
  // False: a window begins so long ago that its usage is read by the next recalculation only; there
  // are no standings then.
  bool is_known = true;
};

// Those of the owners of the named grants, with the grants as the transaction has them and the
// usage of the ledger up to now. Writes nothing. The errors of Settle. REQUIRES: the cluster is
// locked by ClusterStore::Lock.
absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const std::vector<std::string>& names);

// The same with the grants of a book that the database need not have. REQUIRES: in Database::Read,
// or the cluster is locked by ClusterStore::Lock.
absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const GrantBook& book);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_
