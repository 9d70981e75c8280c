#include "server/administration/imports/import_undo.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/administration/imports/grant_import.h"
#include "server/administration/imports/import_audit.h"
#include "server/administration/imports/policy_change.h"
#include "server/administration/leases/lease_orphans.h"
#include "server/administration/tree/domain_merges.h"
#include "server/administration/tree/merge_change.h"
#include "server/configuration/stored_policy.h"
#include "server/grants/grant_book.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/user_alias_store.h"
#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::administration {
namespace {

constexpr int64_t kMostConflicts = 20;

// Undoes one import within a transaction.
class Undo {
 public:
  Undo(storage::Transaction& transaction, const storage::Cluster& cluster,
       const std::string& comment, const ChangeContext& context)
      : transaction_(transaction), cluster_(cluster), comment_(comment), context_(context) {}

  absl::StatusOr<ImportUndone> Run(int64_t import_id);

 private:
  absl::Status FindImport(int64_t import_id);
  absl::Status CheckUnchanged();
  absl::Status RestorePolicy();
  absl::Status CheckDependents();
  absl::Status FinishOwnObjects(const grants::GrantBook& before);
  absl::Status TakeOverMergesOfDomain();
  storage::AuditEvent AuditFrame() const;
  absl::Status Audit();
  absl::Status ConflictError(const std::vector<std::string>& objects, const char* what) const;

  storage::Transaction& transaction_;
  const storage::Cluster& cluster_;
  const std::string& comment_;
  const ChangeContext& context_;
  storage::ImportRun run_;
  ImportUndone undone_;
  VersionTexts policy_texts_;
};

absl::Status Undo::FindImport(int64_t import_id) {
  auto run = storage::ImportStore(transaction_).Find(cluster_.id, import_id);
  if (!run.ok()) return run.status();
  if (!run->has_value() && import_id == 0) {
    return errors::WithReason(
        absl::NotFoundError(absl::StrCat("cluster ", cluster_.name,
                                         " has no import to undo (`prioctl audit --actions Import` "
                                         "lists its imports)")),
        "UNKNOWN_IMPORT");
  }
  if (!run->has_value()) {
    return errors::WithReason(absl::NotFoundError(absl::StrCat(
                                  "import_id: got ", import_id, ", want one of the last ",
                                  storage::ImportStore::kKept, " imports of cluster ",
                                  cluster_.name, " (`prioctl audit --actions Import` lists them)")),
                              "UNKNOWN_IMPORT");
  }
  run_ = **run;
  undone_.import_id = run_.id;
  if (!run_.undone) return absl::OkStatus();
  return errors::WithReason(absl::FailedPreconditionError(absl::StrCat(
                                "import_id: got ", run_.id, ", which is undone already")),
                            "IMPORT_UNDONE");
}

absl::Status Undo::ConflictError(const std::vector<std::string>& objects, const char* what) const {
  return errors::WithReason(
      absl::FailedPreconditionError(
          absl::StrCat("import ", run_.id, ": ", what, ": ", absl::StrJoin(objects, ", "),
                       static_cast<int64_t>(objects.size()) == kMostConflicts ? ", ..." : "",
                       "; nothing was undone: change these by hand, or restore a backup")),
      "CHANGED_SINCE_IMPORT");
}

absl::Status Undo::CheckUnchanged() {
  auto changed =
      storage::ImportStore(transaction_).ChangedSince(cluster_.id, run_.id, kMostConflicts);
  if (!changed.ok()) return changed.status();
  auto newest = storage::PolicyStore(transaction_).ListHeads(cluster_.id, 0, 1);
  if (!newest.ok()) return newest.status();
  const int64_t version = newest->empty() ? 0 : newest->front().version;
  if (run_.policy_before != run_.policy_after && version != run_.policy_after) {
    changed->insert(changed->begin(), absl::StrCat("policy (version ", version, ")"));
  }
  if (changed->empty()) return absl::OkStatus();
  return ConflictError(*changed, "changed since it");
}

absl::Status Undo::RestorePolicy() {
  if (run_.policy_before == run_.policy_after) return absl::OkStatus();
  auto old = storage::PolicyStore(transaction_).Find(cluster_.id, run_.policy_before);
  if (!old.ok()) return old.status();
  const auto conf = configuration::ParseStored(*old);
  if (!conf.ok()) return conf.status();
  const std::vector<storage::PolicyFile> none = {
      {"slurm.conf", absl::StrCat("# None: import ", run_.id, " was undone.\n")}};
  auto change = AppendPolicy(transaction_, cluster_.id, old->has_value() ? (*old)->files : none,
                             **conf, context_, absl::StrCat("undo of import ", run_.id));
  if (!change.ok()) return change.status();
  undone_.policy_version = change->version.version;
  auto texts = DescribeVersions(transaction_, cluster_.id, *change, (*conf)->policy);
  if (!texts.ok()) return texts.status();
  policy_texts_ = *std::move(texts);
  return absl::OkStatus();
}

absl::Status Undo::CheckDependents() {
  auto dependents =
      storage::ImportStore(transaction_).Dependents(cluster_.id, run_.id, kMostConflicts);
  if (!dependents.ok()) return dependents.status();
  if (dependents->empty()) return absl::OkStatus();
  return ConflictError(*dependents, "depend on what it created");
}

// Grants that hold again fit to those that were created since; owners have a grant; replicas read
// aliases again.
absl::Status Undo::FinishOwnObjects(const grants::GrantBook& before) {
  if (undone_.counts.user_aliases > 0) {
    auto version = storage::UserAliasStore(transaction_).Advance(cluster_.id);
    if (!version.ok()) return version.status();
  }
  if (undone_.counts.grants == 0) return absl::OkStatus();
  absl::Status deleted = storage::UsagePoolStore(transaction_).DeleteWithoutGrant(cluster_.id);
  if (!deleted.ok()) return deleted;
  auto book = grants::ReadGrantBook(transaction_, cluster_.id);
  return book.ok() ? CheckGrantBook(before, *book) : book.status();
}

// `; grants: 2` and so on, of kinds that the import changed.
std::string OwnCountsText(const storage::ImportedCounts& counts) {
  const std::pair<const char*, int64_t> kinds[] = {{"grants", counts.grants},
                                                   {"transfers of grants", counts.grant_transfers},
                                                   {"leases", counts.leases},
                                                   {"merged users", counts.user_merges},
                                                   {"aliases", counts.user_aliases}};
  std::string text;
  for (const auto& [kind, count] : kinds) {
    if (count > 0) absl::StrAppend(&text, "; ", kind, ": ", count);
  }
  return text;
}

// Where the member's own merge of the same user was the import's, the domain's holds from now on.
absl::Status Undo::TakeOverMergesOfDomain() {
  const auto membership = storage::DomainStore(transaction_).Find(cluster_.id);
  if (!membership.ok() || !membership->has_value()) return membership.status();
  ChangeList list;
  absl::Status taken = TakeOverMerges(transaction_, **membership, /*joins=*/false, &list);
  if (!taken.ok()) return taken;
  return list.Audit(transaction_, AuditFrame());
}

// One event per object, with the values that it gets, up to a maximum; then one of the whole.
absl::Status Undo::Audit() {
  auto rows = storage::ImportStore(transaction_)
                  .List(cluster_.id, run_.id, static_cast<int64_t>(ImportAudit::kMostEvents));
  if (!rows.ok()) return rows.status();
  storage::AuditEvent frame = AuditFrame();
  std::vector<storage::AuditEvent> events;
  for (const storage::ImportedRow& row : *rows) {
    storage::AuditEvent event = frame;
    event.object = row.object;
    event.before = row.after;
    event.after = row.before;
    events.push_back(std::move(event));
  }
  frame.object = absl::StrCat("import ", run_.id);
  frame.before = policy_texts_.before;
  frame.after =
      absl::StrCat("associations: ", undone_.counts.associations, "; users: ", undone_.counts.users,
                   "; qos: ", undone_.counts.qos, "; partitions: ", undone_.counts.partitions,
                   "; opening usage: ", undone_.counts.opening_usage, OwnCountsText(undone_.counts),
                   "; ", policy_texts_.after);
  events.push_back(std::move(frame));
  return storage::AuditStore(transaction_).Append(events);
}

storage::AuditEvent Undo::AuditFrame() const {
  storage::AuditEvent frame;
  frame.cluster_id = cluster_.id;
  frame.principal = context_.principal;
  frame.action = "UndoImport";
  frame.comment = comment_;
  return frame;
}

absl::StatusOr<ImportUndone> Undo::Run(int64_t import_id) {
  if (absl::Status s = FindImport(import_id); !s.ok()) return s;
  if (absl::Status s = CheckUnchanged(); !s.ok()) return s;
  auto counts = storage::ImportStore(transaction_).Count(cluster_.id, run_.id);
  if (!counts.ok()) return counts.status();
  undone_.counts = *counts;
  if (absl::Status s = RestorePolicy(); !s.ok()) return s;
  grants::GrantBook before;
  if (undone_.counts.grants > 0) {
    auto book = grants::ReadGrantBook(transaction_, cluster_.id);
    if (!book.ok()) return book.status();
    before = *std::move(book);
  }
  const auto time = LeaseTimeOf(transaction_, cluster_.id, context_);
  if (!time.ok()) return time.status();
  absl::Status restored =
      storage::ImportStore(transaction_).Restore(cluster_.id, run_.id, *time, context_.principal);
  if (!restored.ok()) return restored;
  if (absl::Status s = CheckDependents(); !s.ok()) return s;
  if (absl::Status s = FinishOwnObjects(before); !s.ok()) return s;
  if (absl::Status s = TakeOverMergesOfDomain(); !s.ok()) return s;
  if (absl::Status s = CheckMerges(transaction_, cluster_.id, context_.now); !s.ok()) return s;
  std::vector<std::string> warnings;  // The answer has none.
  auto ended = EndLeasesOfDeleted(transaction_, cluster_.id, context_, &warnings);
  if (!ended.ok()) return ended.status();
  if (absl::Status s = Audit(); !s.ok()) return s;
  return undone_;
}

}  // namespace

absl::StatusOr<ImportUndone> UndoImport(storage::Database& database, const std::string& cluster,
                                        int64_t import_id, const std::string& comment,
                                        const ChangeContext& context) {
  ImportUndone result;
  absl::Status status = ChangeRules(
      database, context,
      [&](storage::Transaction& transaction, usage::SumAhead* ahead) -> absl::Status {
        auto opened = OpenCluster(transaction, cluster, /*create=*/false);
        if (!opened.ok()) return opened.status();
        auto rules = usage::RuleChange::Begin(transaction, opened->cluster.id);
        if (!rules.ok()) return rules.status();
        auto undone = Undo(transaction, opened->cluster, comment, context).Run(import_id);
        if (!undone.ok()) return undone.status();
        result = *undone;
        if (context.validate_only) return absl::OkStatus();
        return rules->Finish(transaction, ahead);
      });
  if (!status.ok()) return status;
  return result;
}

}  // namespace priorityd::administration
