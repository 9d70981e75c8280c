// The standings that grants would have after a change that is not committed yet.
#ifndef PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_
#define PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/grant_standing.h"
#include "server/grants/grant_book.h"
#include "server/grants/settlement.h"
#include "storage/database/transaction.h"

namespace priorityd::grants {

struct SupposedStandings {
  std::vector<priority::GrantStanding> standings;  // StandingsOf.
  // False: usage of a window is not settled and not read, or begins more than 100 days ago; the
  // next recalculation after the change reads it. There are no standings then.
  bool is_known = true;
};

// The standings of the owners of the named grants, with the grants as the transaction has them and
// the usage of the ledger up to now. Writes nothing. The errors of Settle. REQUIRES: the cluster is
// locked by ClusterStore::Lock.
absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const std::vector<std::string>& names);

// The same with the grants of a book that the database need not have. `ledger_end`: up to when
// there are records, about; 100 days are counted back from it. `may_read`: whether usage of an
// owner from before it that is not settled may be read, which reads all records of the cluster
// since then. REQUIRES: in Database::Read, or the cluster is locked by ClusterStore::Lock.
absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const GrantBook& book, absl::Time ledger_end,
                                                   absl::FunctionRef<bool(const Owner&)> may_read);

}  // namespace priorityd::grants

#endif  // PRIORITYD_SERVER_GRANTS_SUPPOSED_STANDINGS_H_
