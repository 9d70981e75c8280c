#include "server/grants/supposed_standings.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/time/time.h"
#include "server/grants/grant_book.h"
#include "server/grants/ledger_reading.h"
#include "server/grants/settlement_plan.h"
#include "server/grants/standings.h"
#include "storage/configuration/tres_store.h"
#include "storage/ledger/ledger_scan.h"

namespace priorityd::grants {
namespace {

// The cluster is locked while the ledger is read.
constexpr absl::Duration kMostRead = absl::Hours(24 * 100);

absl::StatusOr<GrantBook> ReadNamed(storage::Transaction& transaction, int32_t cluster_id,
                                    const std::vector<std::string>& names) {
  auto all = ReadGrantBook(transaction, cluster_id);
  if (!all.ok()) return all.status();
  return Select(*std::move(all), [&names](const StoredGrant& stored) {
    return absl::c_linear_search(names, stored.row.name);
  });
}

// Whether the plan reads more than it may. The pools are those of the stacks.
bool IsTooMuch(const SettlementPlan& plan, const GrantBook& book, absl::Time ledger_end,
               absl::FunctionRef<bool(const Owner&)> may_read) {
  for (size_t i = 0; i < plan.of_pools.size(); ++i) {
    const std::optional<absl::Time>& from = plan.of_pools[i].read_from;
    if (!from.has_value() || *from >= ledger_end) continue;
    if (*from < ledger_end - kMostRead || !may_read(book.stacks[i].owner)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const std::vector<std::string>& names) {
  auto book = ReadNamed(transaction, input.cluster_id, names);
  if (!book.ok()) return book.status();
  return SupposeStandings(transaction, input, *book, input.time, [](const Owner&) { return true; });
}

absl::StatusOr<SupposedStandings> SupposeStandings(storage::Transaction& transaction,
                                                   const SettlementInput& input,
                                                   const GrantBook& book, absl::Time ledger_end,
                                                   absl::FunctionRef<bool(const Owner&)> may_read) {
  auto pools = ReadPools(transaction, input.cluster_id, book);
  if (!pools.ok()) return pools.status();
  auto tres = storage::TresStore(transaction).ListOf(input.cluster_id);
  if (!tres.ok()) return tres.status();
  auto end = storage::LedgerScan(transaction).End(input.cluster_id);
  if (!end.ok()) return end.status();
  const SettlementPlan plan = MakePlan(input, book, true, *tres, &*pools);
  if (IsTooMuch(plan, book, ledger_end, may_read)) return SupposedStandings{{}, false};
  if (absl::Status s = ReadLedger(transaction, input, book, *end, plan, &*pools); !s.ok()) {
    return s;
  }
  const GrantWindows windows = WindowsOf(book, PeriodsOf(*pools), input.zone, input.time);
  return SupposedStandings{StandingsOf(book, windows, input.time), true};
}

}  // namespace priorityd::grants
