#include "server/grants/settlement.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "engine/grants/amount.h"
#include "engine/grants/balance.h"
#include "server/grants/ledger_reading.h"
#include "server/grants/settlement_plan.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/configuration_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/database/status.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/ledger_scan.h"

namespace priorityd::grants {
namespace {

// The interval of searches for windows that come near.
constexpr absl::Duration kPlanning = absl::Hours(24);
// The interval at which all of many pools are written.
constexpr absl::Duration kStoring = absl::Hours(1);
constexpr size_t kFewPools = 100;
constexpr char kDoNotWaitForDisk[] = "SET LOCAL synchronous_commit = off";

using Check = absl::FunctionRef<absl::Status(storage::Transaction&)>;
using Pools = std::vector<Pool>;
using RowsByPool = absl::flat_hash_map<int64_t, std::vector<const storage::UsagePoolPeriod*>>;

// --- Reading what is stored -------------------------------------------------------------

RowsByPool ByPool(const std::vector<storage::UsagePoolPeriod>& rows) {
  RowsByPool by_pool;
  for (const storage::UsagePoolPeriod& row : rows) by_pool[row.pool_id].push_back(&row);
  return by_pool;
}

absl::StatusOr<std::vector<Period>> ReadPeriods(
    const std::vector<const storage::UsagePoolPeriod*>& rows) {
  std::vector<Period> periods;
  for (const storage::UsagePoolPeriod* row : rows) {
    auto used = Amount::FromDecimal(row->used);
    if (!used.ok()) return absl::InternalError(used.status().message());
    periods.push_back({row->begin_time, row->end_time, *used});
  }
  return periods;
}

// Reads the periods of the pools.
absl::Status FillPeriods(storage::UsagePoolStore& store, int32_t cluster_id, Pools* pools) {
  std::vector<int64_t> ids;
  for (const Pool& pool : *pools) {
    if (pool.id != 0) ids.push_back(pool.id);
  }
  auto periods = store.ListPeriods(cluster_id, ids);
  if (!periods.ok()) return periods.status();
  const RowsByPool by_pool = ByPool(*periods);
  for (Pool& pool : *pools) {
    const auto of_pool = by_pool.find(pool.id);
    if (of_pool == by_pool.end()) continue;
    auto read = ReadPeriods(of_pool->second);
    if (!read.ok()) return read.status();
    pool.stored = *std::move(read);
    pool.usage = PoolUsage(pool.stored);
  }
  return absl::OkStatus();
}

// Pools of a book's stacks, and those that are stored but have no grant in it.
struct Sorted {
  Pools owned;  // In the order of the stacks.
  std::vector<int64_t> others;
};

absl::StatusOr<Sorted> ReadSorted(storage::Transaction& transaction, int32_t cluster_id,
                                  const GrantBook& book) {
  storage::UsagePoolStore store(transaction);
  auto rows = store.List(cluster_id);
  if (!rows.ok()) return rows.status();
  std::map<Owner, const storage::UsagePool*> by_owner;
  for (const storage::UsagePool& row : *rows) {
    by_owner.emplace(Owner{row.accounts, row.user_name, row.tres}, &row);
  }
  Sorted sorted;
  for (const Stack& stack : book.stacks) {
    Pool& pool = sorted.owned.emplace_back();
    pool.owner = stack.owner;
    const auto found = by_owner.extract(stack.owner);
    if (found.empty()) continue;
    pool.id = found.mapped()->id;
    pool.settled_seq = pool.stored_seq = found.mapped()->settled_seq;
    pool.is_stale = found.mapped()->is_stale;
  }
  for (const auto& [owner, row] : by_owner) sorted.others.push_back(row->id);
  absl::Status status = FillPeriods(store, cluster_id, &sorted.owned);
  if (!status.ok()) return status;
  return sorted;
}

// --- Writing ------------------------------------------------------------------------------

// The periods as rows of pool `id`; if not `whole`, the changes of those that changed.
std::vector<storage::UsagePoolPeriod> RowsOf(const Pool& pool, int64_t id, bool whole) {
  std::vector<storage::UsagePoolPeriod> rows;
  const std::vector<Period>& periods = pool.usage.periods();
  for (size_t i = 0; i < periods.size(); ++i) {
    const Amount used = whole ? periods[i].used : periods[i].used - pool.stored[i].used;
    if (!whole && used == Amount()) continue;
    rows.push_back({id, periods[i].begin, periods[i].end, used.ToDecimal()});
  }
  return rows;
}

bool HasOtherPeriods(const Pool& pool) {
  return pool.usage.may_differ() && !(pool.stored == pool.usage.periods());
}

bool Includes(const SettlementWriting& writing, const Pool& pool, size_t i) {
  if (writing.plan.of_pools[i].is_written_whole || pool.is_stale || pool.id == 0) return true;
  return writing.is_full ? pool.stored_seq != writing.end : HasOtherPeriods(pool);
}

bool IsFull(absl::Time time, const Settled& settled) {
  return settled.pools.size() <= kFewPools || time >= settled.next_storing;
}

// Pools that were written: their places and ids.
struct WrittenPool {
  size_t place;
  int64_t id;
};
using WrittenPools = std::vector<WrittenPool>;

absl::StatusOr<int64_t> IdOf(storage::UsagePoolStore& store, int32_t cluster_id, const Pool& pool,
                             int64_t end) {
  if (pool.id != 0) return pool.id;
  return store.Insert(cluster_id,
                      {0, pool.owner.accounts, pool.owner.user, pool.owner.tres, end, false});
}

// Writes what has changed. Leaves the pools as they are, since the transaction may run again.
absl::StatusOr<WrittenPools> Write(storage::Transaction& transaction, int32_t cluster_id,
                                   const SettlementWriting& writing, const Pools& pools) {
  storage::UsagePoolStore store(transaction);
  WrittenPools written;
  std::vector<storage::StoredPool> settled;
  std::vector<int64_t> whole;
  std::vector<storage::UsagePoolPeriod> rows, changes;
  for (size_t i = 0; i < pools.size(); ++i) {
    if (!Includes(writing, pools[i], i)) continue;
    const auto id = IdOf(store, cluster_id, pools[i], writing.end);
    if (!id.ok()) return id.status();
    written.push_back({i, *id});
    if (pools[i].id != 0) settled.push_back({*id, pools[i].stored_seq});
    const bool is_whole = writing.plan.of_pools[i].is_written_whole;
    if (is_whole) whole.push_back(*id);
    absl::c_move(RowsOf(pools[i], *id, is_whole), std::back_inserter(is_whole ? rows : changes));
  }
  // First, as changes are added to the periods that are stored.
  absl::Status status =
      store.SetSettled(cluster_id, settled, writing.end, writing.plan.reads_windows);
  if (status.ok() && !whole.empty()) status = store.ReplacePeriods(cluster_id, whole, rows);
  if (status.ok()) status = store.AddToPeriods(cluster_id, changes);
  if (!status.ok()) return status;
  return written;
}

// Once they are committed.
void MarkStored(int64_t end, const WrittenPools& written, Pools* pools) {
  for (const WrittenPool& one : written) {
    (*pools)[one.place].id = one.id;
    (*pools)[one.place].stored_seq = end;
  }
  for (Pool& pool : *pools) {
    pool.settled_seq = end;
    pool.is_stale = false;
    if (HasOtherPeriods(pool)) pool.stored = pool.usage.periods();
    pool.usage.MarkStored();
  }
}

// --- Steps --------------------------------------------------------------------------------

// The end of the ledger; the cluster is locked for a moment. Only the lock is written.
absl::StatusOr<int64_t> FindEnd(storage::Database& database, int32_t cluster_id) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
    if (absl::Status s = transaction.ExecuteScript(kDoNotWaitForDisk); !s.ok()) return s;
    if (absl::Status s = storage::ClusterStore(transaction).Lock(cluster_id); !s.ok()) return s;
    return storage::LedgerScan(transaction).End(cluster_id);
  });
}

// Undoes an attempt that was broken off.
void StartFromStored(Pools* pools) {
  for (Pool& pool : *pools) {
    if (HasOtherPeriods(pool)) pool.usage = PoolUsage(pool.stored);
  }
}

// Reads the pools unless they are known, makes a plan, and reads the ledger up to `end` unless the
// plan needs the cluster to be locked. `is_readonly`: reads the pools alone.
absl::StatusOr<SettlementPlan> ReadTail(storage::Database& database, const SettlementInput& input,
                                        int64_t end, bool is_readonly, Settled* settled) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<SettlementPlan> {
    if (settled->pools.empty()) {
      auto pools = ReadPools(transaction, input.cluster_id, settled->book);
      if (!pools.ok()) return pools.status();
      settled->pools = *std::move(pools);
    }
    StartFromStored(&settled->pools);
    auto tres = storage::TresStore(transaction).ListOf(input.cluster_id);
    if (!tres.ok()) return tres.status();
    const bool looks = !is_readonly && input.time >= settled->next_planning;
    SettlementPlan plan = MakePlan(input, settled->book, looks, *tres, &settled->pools);
    if (plan.reads_windows || is_readonly) return plan;
    absl::Status status = ReadLedger(transaction, input, settled->book, end, plan, &settled->pools);
    if (!status.ok()) return status;
    return plan;
  });
}

// The tree that usage is summed up by must be the present one.
absl::Status CheckRevision(storage::Transaction& transaction, int32_t cluster_id,
                           int64_t revision) {
  auto present = storage::ConfigurationStore(transaction).Revision(cluster_id);
  if (!present.ok()) return present.status();
  if (*present == revision) return absl::OkStatus();
  return absl::AbortedError("the configuration changed");
}

// All with the cluster locked; `settled_end`: receives the end of the ledger.
absl::StatusOr<WrittenPools> SettleLocked(storage::Database& database, const SettlementInput& input,
                                          Check check, Settled* settled, int64_t* settled_end) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<WrittenPools> {
    absl::Status status = storage::ClusterStore(transaction).Lock(input.cluster_id);
    if (status.ok()) status = check(transaction);
    if (status.ok()) status = CheckRevision(transaction, input.cluster_id, settled->revision);
    if (!status.ok()) return status;
    auto end = storage::LedgerScan(transaction).End(input.cluster_id);
    if (!end.ok()) return end.status();
    auto tres = storage::TresStore(transaction).ListOf(input.cluster_id);
    if (!tres.ok()) return tres.status();
    auto sorted = ReadSorted(transaction, input.cluster_id, settled->book);
    if (!sorted.ok()) return sorted.status();
    settled->pools = std::move(sorted->owned);
    const SettlementPlan plan = MakePlan(input, settled->book, true, *tres, &settled->pools);
    status = ReadLedger(transaction, input, settled->book, *end, plan, &settled->pools);
    if (status.ok()) {
      status = storage::UsagePoolStore(transaction).Delete(input.cluster_id, sorted->others);
    }
    if (!status.ok()) return status;
    *settled_end = *end;
    return Write(transaction, input.cluster_id, {plan, *end, true}, settled->pools);
  });
}

}  // namespace

absl::StatusOr<std::vector<Pool>> ReadPools(storage::Transaction& transaction, int32_t cluster_id,
                                            const GrantBook& book) {
  auto sorted = ReadSorted(transaction, cluster_id, book);
  if (!sorted.ok()) return sorted.status();
  return std::move(sorted->owned);
}

StackPeriods PeriodsOf(const std::vector<Pool>& pools) {
  StackPeriods periods;
  periods.reserve(pools.size());
  for (const Pool& pool : pools) periods.push_back(pool.usage.periods());
  return periods;
}

absl::Status Settle(storage::Database& database, const SettlementInput& input, Check check,
                    Settled* settled) {
  settled->unwritten.reset();
  auto end = FindEnd(database, input.cluster_id);
  const bool is_readonly =
      storage::IsClusterFrozen(end.status()) || storage::IsLockTimeout(end.status());
  if (!end.ok() && !is_readonly) return end.status();
  auto plan = ReadTail(database, input, is_readonly ? 0 : *end, is_readonly, settled);
  if (!plan.ok()) return plan.status();
  if (is_readonly) {
    settled->revision = -1;  // The next settlement reads all again.
    return absl::OkStatus();
  }
  const bool is_locked = plan->reads_windows;
  SettlementWriting writing{*std::move(plan), *end, IsFull(input.time, *settled)};
  if (writing.is_full || is_locked) settled->next_storing = input.time + kStoring;
  if (is_locked) {
    auto written = SettleLocked(database, input, check, settled, &writing.end);
    if (!written.ok()) return written.status();
    MarkStored(writing.end, *written, &settled->pools);
  } else {
    for (Pool& pool : settled->pools) pool.has_changed |= HasOtherPeriods(pool);
    settled->unwritten = std::move(writing);
  }
  if (input.time >= settled->next_planning) settled->next_planning = input.time + kPlanning;
  return absl::OkStatus();
}

absl::Status WriteSettled(storage::Transaction& transaction, int32_t cluster_id,
                          const Settled& settled) {
  if (!settled.unwritten.has_value()) return absl::OkStatus();
  return Write(transaction, cluster_id, *settled.unwritten, settled.pools).status();
}

void MarkWritten(Settled* settled) {
  if (!settled->unwritten.has_value()) return;
  const SettlementWriting& writing = *settled->unwritten;
  WrittenPools written;
  for (size_t i = 0; i < settled->pools.size(); ++i) {
    const Pool& pool = settled->pools[i];
    if (Includes(writing, pool, i)) written.push_back({i, pool.id});
  }
  MarkStored(writing.end, written, &settled->pools);
  settled->unwritten.reset();
}

}  // namespace priorityd::grants
