#include "server/usage/usage_void.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/configuration/find_cluster.h"
#include "server/usage/decayed_row.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/ledger_decision.h"
#include "server/usage/usage_rebuild.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/ledger/ledger_scan.h"
#include "storage/snapshots/cluster_state.h"
#include "storage/snapshots/snapshot_store.h"

namespace priorityd::usage {
namespace {

using storage::UsageVoid;
using storage::UsageVoidStore;

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

double UsageIn(const storage::UsageRecord& record) {
  return record.billing_rate * record.usage_factor *
         absl::ToDoubleSeconds(record.submitted.end_time - record.submitted.start_time);
}

std::string Text(const storage::VoidFilter& filter) {
  std::vector<std::string> parts;
  const auto list = [&](const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) parts.push_back(absl::StrCat(name, "=", absl::StrJoin(values, ",")));
  };
  const auto time = [&](const char* name, absl::Time at) {
    if (at == absl::InfinitePast() || at == absl::InfiniteFuture()) return;
    parts.push_back(absl::StrCat(name, "=", absl::FormatTime(at, absl::UTCTimeZone())));
  };
  list("source", filter.sources);
  list("job", filter.job_ids);
  list("user", filter.users);
  list("account", filter.accounts);
  time("ended_from", filter.ended_from);
  time("ended_before", filter.ended_before);
  time("recorded_from", filter.recorded_from);
  time("recorded_before", filter.recorded_before);
  return absl::StrJoin(parts, " ");
}

// One void or restore within a transaction that has locked the cluster.
struct Work {
  storage::Transaction& transaction;
  const VoidRequest& request;
  int32_t cluster_id;
  const PriceBook* book;  // Null if nothing is appended.
};

absl::Status Audit(const Work& work, const char* action, int64_t id, std::string after) {
  storage::AuditEvent event;
  event.cluster_id = work.cluster_id;
  event.principal = work.request.principal;
  event.action = action;
  event.object = absl::StrCat("void ", id);
  event.after = std::move(after);
  event.comment = work.request.comment;
  return storage::AuditStore(work.transaction).Append(event);
}

storage::UsageRecord Again(const storage::VoidedRecord& of, int64_t void_id) {
  storage::UsageRecord record = of.record;
  record.submitted.record_id = storage::RestoreRecordId(void_id, of.seq);
  record.submitted.replaces_record_id = of.void_id;
  return record;
}

// Whether each was new; a record that was replaced or rolled up meanwhile is not.
absl::StatusOr<std::vector<bool>> Append(const Work& work,
                                         const std::vector<storage::UsageRecord>& records) {
  auto outcomes = AppendRecords(work.transaction, work.cluster_id, PointersTo(records), *work.book);
  if (!outcomes.ok()) return outcomes.status();
  std::vector<bool> is_new;
  for (const Outcome outcome : *outcomes) is_new.push_back(outcome == Outcome::kNew);
  return is_new;
}

std::string Text(const UsageVoid& row) {
  return absl::StrCat(row.state, ": ", row.voided_records, " records voided, ",
                      row.restored_records, " restored, ", row.voided_usage,
                      " billing seconds voided");
}

// Each advances `row` by a batch and returns the number of records read.
absl::StatusOr<int64_t> VoidBatch(const Work& work, UsageVoid* row) {
  UsageVoidStore store(work.transaction);
  auto fitting =
      store.Fitting(work.cluster_id, row->filter, row->done_seq, row->last_seq, kVoidBatch);
  if (!fitting.ok()) return fitting.status();
  std::vector<storage::UsageRecord> records;
  for (const storage::PlacedRecord& placed : *fitting) {
    records.push_back(Nothing(placed.record, storage::VoidRecordId(row->id, placed.seq)));
  }
  auto is_new = Append(work, records);
  if (!is_new.ok()) return is_new.status();
  for (size_t i = 0; i < is_new->size(); ++i) {
    if (!(*is_new)[i]) continue;
    ++row->voided_records;
    row->voided_usage += UsageIn((*fitting)[i].record);
  }
  const auto read = static_cast<int64_t>(fitting->size());
  row->done_seq = read == kVoidBatch ? fitting->back().seq : row->last_seq;
  return read;
}

absl::StatusOr<int64_t> RestoreBatch(const Work& work, UsageVoid* row) {
  UsageVoidStore store(work.transaction);
  auto voided = store.Voided(work.cluster_id, row->id, row->done_seq, kVoidBatch);
  if (!voided.ok()) return voided.status();
  std::vector<storage::UsageRecord> records;
  for (const storage::VoidedRecord& of : *voided) records.push_back(Again(of, row->id));
  auto is_new = Append(work, records);
  if (!is_new.ok()) return is_new.status();
  std::vector<UsageVoidStore::Copy> copies;
  for (size_t i = 0; i < is_new->size(); ++i) {
    if (!(*is_new)[i]) continue;
    ++row->restored_records;
    const storage::SubmittedUsage& of = (*voided)[i].record.submitted;
    copies.push_back({of.source, of.record_id, records[i].submitted.record_id});
  }
  absl::Status status = store.CopyJobAccounting(work.cluster_id, copies);
  if (!status.ok()) return status;
  if (!voided->empty()) row->done_seq = voided->back().seq;
  return static_cast<int64_t>(voided->size());
}

absl::StatusOr<UsageVoid> LockVoid(const Work& work, int64_t id) {
  auto row = UsageVoidStore(work.transaction).Lock(work.cluster_id, id);
  if (!row.ok()) return row.status();
  if (row->has_value()) return **std::move(row);
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("void_id: got ", id, ", want a void of the cluster")),
      "UNKNOWN_VOID");
}

// Without a lock: a record that is accepted later is no part of the void.
absl::StatusOr<bool> HasMatch(storage::Database& database, const VoidRequest& request) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<bool> {
    auto cluster = configuration::FindCluster(transaction, request.cluster);
    if (!cluster.ok()) return cluster.status();
    auto first = UsageVoidStore(transaction)
                     .Fitting(cluster->id, request.filter, /*after=*/0, kNoEnd, /*limit=*/1);
    if (!first.ok()) return first.status();
    return !first->empty();
  });
}

// A new void of the ledger's present contents.
absl::StatusOr<int64_t> Begin(storage::Database& database, const VoidRequest& request) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
    auto cluster = configuration::FindCluster(transaction, request.cluster);
    if (!cluster.ok()) return cluster.status();
    const Work work{transaction, request, cluster->id, nullptr};
    absl::Status status = storage::ClusterStore(transaction).Lock(cluster->id);
    if (!status.ok()) return status;
    auto end = storage::LedgerScan(transaction).End(cluster->id);
    if (!end.ok()) return end.status();
    auto id =
        UsageVoidStore(transaction)
            .Insert(cluster->id, {.filter = request.filter, .last_seq = *end, .state = "voiding"});
    if (!id.ok()) return id.status();
    status = Audit(work, "VoidUsage", *id, absl::StrCat("voiding: ", Text(request.filter)));
    if (!status.ok()) return status;
    return id;
  });
}

// Changes the void in a separate transaction that locks it.
template <typename Change>
absl::StatusOr<UsageVoid> ChangeVoid(storage::Database& database, const VoidRequest& request,
                                     int64_t id, PriceBooks* books, const Change& change) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<UsageVoid> {
    auto cluster = configuration::FindCluster(transaction, request.cluster);
    if (!cluster.ok()) return cluster.status();
    absl::Status status = storage::ClusterStore(transaction).LockShared(cluster->id);
    if (!status.ok()) return status;
    auto book = books->Current(transaction, cluster->id, request.cluster);
    if (!book.ok()) return book.status();
    const Work work{transaction, request, cluster->id, book->get()};
    auto row = LockVoid(work, id);
    if (!row.ok()) return row;
    status = change(work, &*row);
    if (status.ok()) status = UsageVoidStore(transaction).Update(cluster->id, *row);
    if (!status.ok()) return status;
    return row;
  });
}

// The differences between voiding and restoring.
struct Direction {
  const char* action;
  const char* begun;
  const char* done;
  absl::StatusOr<int64_t> (*batch)(const Work& work, UsageVoid* row);
};

// Removing very large amounts leaves rounding errors in the rows: these are summed up again before
// the void is done.
absl::StatusOr<UsageVoid> Finish(storage::Database& database, const VoidRequest& request,
                                 int64_t id, PriceBooks* books, const Direction& direction) {
  auto rebuilt =
      RebuildUsage(database, {.cluster = request.cluster, .principal = request.principal},
                   [](const usage::Progress&) { return absl::OkStatus(); });
  if (!rebuilt.ok()) return rebuilt.status();
  return ChangeVoid(database, request, id, books, [&](const Work& work, UsageVoid* row) {
    // Another caller may have changed it.
    if (row->state != direction.begun) return absl::OkStatus();
    row->state = direction.done;
    return Audit(work, direction.action, row->id, Text(*row));
  });
}

absl::StatusOr<UsageVoid> Round(storage::Database& database, const VoidRequest& request, int64_t id,
                                const Direction& direction) {
  PriceBooks books(&database);
  int64_t records = 0;
  for (;;) {
    int64_t read = 0;
    auto row = ChangeVoid(database, request, id, &books, [&](const Work& work, UsageVoid* changed) {
      absl::StatusOr<int64_t> done = direction.batch(work, changed);
      if (done.ok()) read = *done;
      return done.status();
    });
    if (!row.ok() || row->state == direction.done) return row;
    if (read < kVoidBatch) return Finish(database, request, id, &books, direction);
    records += read;
    if (records >= kVoidRound) return row;
  }
}

absl::StatusOr<int64_t> GoOnVoiding(const Work& work, UsageVoid* row) {
  if (row->state == "voided") return 0;
  if (row->state == "voiding") return VoidBatch(work, row);
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat("void_id: got ", row->id, ", which is ",
                                                 row->state, ", want one that is being voided")),
      "VOID_RESTORED");
}

absl::StatusOr<int64_t> GoOnRestoring(const Work& work, UsageVoid* row) {
  if (row->state == "restored") return 0;
  if (row->state != "restoring") {
    row->state = "restoring";
    // Its records' replacements were appended later.
    row->done_seq = row->last_seq;
    absl::Status audited = Audit(work, "RestoreUsage", row->id, Text(*row));
    if (!audited.ok()) return audited;
  }
  return RestoreBatch(work, row);
}

// Sums up what would be voided, page by page.
class Preview {
 public:
  Preview(storage::Transaction& transaction, int32_t cluster_id, const RowDecay& decay)
      : transaction_(transaction), cluster_id_(cluster_id), decay_(decay) {}

  absl::Status Read(const storage::VoidFilter& filter) {
    for (int64_t after = 0;;) {
      auto page =
          UsageVoidStore(transaction_).Fitting(cluster_id_, filter, after, kNoEnd, kVoidBatch);
      if (!page.ok()) return page.status();
      Add(*page);
      if (static_cast<int64_t>(page->size()) < kVoidBatch) return absl::OkStatus();
      after = page->back().seq;
    }
  }

  // By account; `at` is the time of the decayed usage.
  std::map<std::string, VoidedUsage> ByAccount(const storage::ClusterState& state, absl::Time at) {
    std::map<std::string, VoidedUsage> accounts;
    for (const auto* list : {&state.associations, &state.deleted_associations}) {
      for (const storage::Association& row : *list) {
        const auto found = voided_.find(row.id);
        if (found == voided_.end()) continue;
        VoidedUsage& sum = accounts[row.account];
        sum.records += found->second.records;
        sum.usage += found->second.usage;
        storage::UsageRow& left = rows_[row.id];
        CarryForward(at, decay_.OfAssociation(row.id), &left);
        sum.decayed_usage += left.value;
      }
    }
    return accounts;
  }

 private:
  void Add(const std::vector<storage::PlacedRecord>& page) {
    Records records;
    for (const storage::PlacedRecord& placed : page) {
      records.push_back(&placed.record);
      VoidedUsage& sum = voided_[placed.record.association_id];
      ++sum.records;
      sum.usage += UsageIn(placed.record);
    }
    for (const auto& [id, change] : ChangesOf(storage::UsageOf::kAssociation, records)) {
      storage::UsageRow& row = rows_[id];
      row.id = id;
      Apply(change, decay_.OfAssociation(id), &row);
    }
  }

  storage::Transaction& transaction_;
  const int32_t cluster_id_;
  const RowDecay& decay_;
  std::map<int64_t, VoidedUsage> voided_;  // By association.
  std::map<int64_t, storage::UsageRow> rows_;
};

absl::StatusOr<VoidPreview> ReadPreview(storage::Transaction& transaction,
                                        const VoidRequest& request) {
  auto found = configuration::FindCluster(transaction, request.cluster);
  if (!found.ok()) return found.status();
  auto state = storage::ReadClusterConfiguration(transaction, request.cluster);
  if (!state.ok()) return state.status();
  absl::StatusOr<DecayRules> rules = DecayRulesOf(*state);
  if (!rules.ok()) return rules.status();
  const RowDecay decay(*std::move(rules));
  Preview preview(transaction, found->id, decay);
  if (absl::Status s = preview.Read(request.filter); !s.ok()) return s;
  auto rolled_up = UsageVoidStore(transaction).CountRolledUp(found->id, request.filter);
  if (!rolled_up.ok()) return rolled_up.status();
  VoidPreview answer{.rolled_up = *rolled_up, .horizon = state->cluster.ledger_horizon};
  answer.accounts = preview.ByAccount(
      *state, state->snapshot.has_value() ? state->snapshot->computed_at : absl::InfinitePast());
  for (const auto& [account, sum] : answer.accounts) answer.records += sum.records;
  return answer;
}

}  // namespace

absl::StatusOr<VoidPreview> PreviewVoid(storage::Database& database, const VoidRequest& request) {
  return database.Read(
      [&](storage::Transaction& transaction) { return ReadPreview(transaction, request); });
}

absl::StatusOr<UsageVoid> VoidUsage(storage::Database& database, const VoidRequest& request) {
  absl::StatusOr<int64_t> id = request.void_id;
  if (*id == 0) {
    const absl::StatusOr<bool> matches = HasMatch(database, request);
    if (!matches.ok()) return matches.status();
    if (!*matches) return UsageVoid{.filter = request.filter, .state = "voided"};
    id = Begin(database, request);
  }
  if (!id.ok()) return id.status();
  return Round(database, request, *id, {"VoidUsage", "voiding", "voided", GoOnVoiding});
}

absl::StatusOr<UsageVoid> RestoreUsage(storage::Database& database, const VoidRequest& request) {
  return Round(database, request, request.void_id,
               {"RestoreUsage", "restoring", "restored", GoOnRestoring});
}

}  // namespace priorityd::usage
