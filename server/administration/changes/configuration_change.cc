#include "server/administration/changes/configuration_change.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/errors/error_details.h"
#include "server/administration/leases/lease_orphans.h"
#include "server/administration/tree/merge_change.h"
#include "server/configuration/find_cluster.h"
#include "server/usage/rule_change.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/configuration_store.h"

namespace priorityd::administration {
namespace {

absl::StatusOr<std::string> ReadEtag(storage::Transaction& transaction, int32_t cluster_id) {
  auto revision = storage::ConfigurationStore(transaction).Revision(cluster_id);
  if (!revision.ok()) return revision.status();
  return absl::StrCat(cluster_id, "-", *revision);
}

absl::Status CheckEtag(const std::string& given, const std::string& present) {
  if (given.empty() || given == present) return absl::OkStatus();
  return errors::WithReason(
      absl::AbortedError(absl::StrCat(
          "options.etag: got \"", absl::CHexEscape(given.substr(0, errors::kShownBytes)),
          "\", want \"", present, "\": the configuration has changed since that was read")),
      "ETAG_MISMATCH");
}

storage::AuditEvent AuditFrame(const ChangeFrame& frame, int32_t cluster_id) {
  storage::AuditEvent event;
  event.cluster_id = cluster_id;
  event.principal = frame.context.principal;
  event.action = frame.action;
  event.comment = frame.comment;
  return event;
}

// The audit's bounds for a user in a day. One more change may create all associations of a
// call.
constexpr absl::Duration kAuditPeriod = absl::Hours(24);
constexpr int64_t kMostAuditEvents = 20'000;
constexpr int64_t kMostAuditBytes = 64 << 20;

absl::Status CheckAuditRoom(storage::Transaction& transaction, const ChangeFrame& frame,
                            int32_t cluster_id, const ChangeList& list) {
  if (frame.is_service || !frame.share.has_value() || list.changes().empty()) {
    return absl::OkStatus();
  }
  const auto used = storage::AuditStore(transaction)
                        .Use(cluster_id, *frame.share, kAuditPeriod, kMostAuditEvents);
  if (!used.ok()) return used.status();
  int64_t bytes = used->bytes;
  for (const Change& change : list.changes()) {
    bytes += static_cast<int64_t>(change.object.size() + change.before.size() +
                                  change.after.size() + frame.comment.size());
  }
  if (used->events < kMostAuditEvents && bytes <= kMostAuditBytes) return absl::OkStatus();
  return errors::WithReason(
      absl::ResourceExhaustedError(absl::StrCat(
          frame.action, ": got ", bytes, " bytes for the audit of one user in 24 hours, after ",
          used->events, " changes, want at most ", kMostAuditBytes, " after fewer than ",
          kMostAuditEvents, ", or an operator")),
      "TOO_MANY_CHANGES");
}

constexpr char kBeginCheck[] = "SAVEPOINT check_of_lease";
constexpr char kUndoCheck[] = "ROLLBACK TO SAVEPOINT check_of_lease";

// Creates leases of the objects that `work` would change.
absl::Status LeaseRows(storage::Transaction& transaction, const storage::Cluster& cluster,
                       const ChangeFrame& frame, ChangeWork work, ChangeList* list) {
  LeaseTerm term = *frame.lease;
  auto settings = LeasableSettings(term);
  if (!settings.ok()) return settings.status();
  term.settings = *std::move(settings);
  ChangeList checked;
  absl::Status status = transaction.ExecuteScript(kBeginCheck);
  if (status.ok()) status = work(transaction, cluster, &checked);
  if (status.ok()) status = transaction.ExecuteScript(kUndoCheck);
  if (!status.ok()) return status;
  if (checked.counts().created > 0) {
    return errors::BadRequestError(
        "INVALID_FIELD",
        {{"options.until", "got it of an object to create, want an existing one"}});
  }
  const LeaseAuthor author = {.principal = frame.context.principal,
                              .share = frame.share,
                              .comment = frame.comment,
                              .time = frame.time,
                              .zone = frame.zone,
                              .validate_only = frame.context.validate_only};
  status = CreateLeases(transaction, cluster.id, term, checked.meant(), author, list);
  if (!status.ok()) return status;
  return WarnOfMergedUsers(transaction, cluster.id, checked.meant(), list);
}

absl::Status EndLeasesWithObjects(storage::Transaction& transaction,
                                  const storage::Cluster& cluster, const ChangeFrame& frame,
                                  ChangeList* list) {
  if (list->counts().deleted == 0) return absl::OkStatus();
  auto warning = EndLeasesOfDeleted(transaction, cluster.id, frame.time, frame.context.principal);
  if (!warning.ok()) return warning.status();
  if (!warning->empty()) list->Warn(*std::move(warning));
  return absl::OkStatus();
}

// Changes the rows.
absl::Status ChangeRows(storage::Transaction& transaction, const storage::Cluster& cluster,
                        const ChangeFrame& frame, ChangeWork work, ChangeList* list) {
  absl::Status status = work(transaction, cluster, list);
  if (status.ok()) status = CheckMerges(transaction, cluster.id, frame.context.now);
  if (status.ok()) status = WarnOfMergedUsers(transaction, cluster.id, list->meant(), list);
  if (status.ok()) status = EndLeasesWithObjects(transaction, cluster, frame, list);
  if (!status.ok()) return status;
  return WarnOfLeases(transaction, cluster.id, frame.time, frame.zone, list);
}

constexpr char kBeginLocks[] = "SAVEPOINT locks_of_change";
constexpr char kReleaseLocks[] = "ROLLBACK TO SAVEPOINT locks_of_change";

absl::StatusOr<std::set<int32_t>> FindClusters(storage::Transaction& transaction,
                                               const ChangeFrame& frame) {
  auto cluster = configuration::FindCluster(transaction, frame.cluster);
  if (!cluster.ok()) return cluster.status();
  auto ids = frame.others(transaction, *cluster);
  if (ids.ok()) ids->insert(cluster->id);
  return ids;
}

absl::Status LockClusters(storage::Transaction& transaction, const ChangeFrame& frame) {
  absl::Status status = transaction.ExecuteScript(kBeginLocks);
  std::set<int32_t> locked;
  while (status.ok()) {
    const auto ids = FindClusters(transaction, frame);
    if (!ids.ok()) return ids.status();
    if (std::ranges::includes(locked, *ids)) return absl::OkStatus();
    status = transaction.ExecuteScript(kReleaseLocks);
    locked = *ids;
    for (const int32_t id : locked) {
      if (status.ok()) status = storage::ClusterStore(transaction).Lock(id);
    }
  }
  return status;
}

// One attempt, in one transaction.
absl::StatusOr<ChangeResult> Attempt(storage::Transaction& transaction, const ChangeFrame& frame,
                                     Reach reach, usage::SumAhead* ahead, ChangeWork work) {
  if (frame.others != nullptr) {
    if (absl::Status s = LockClusters(transaction, frame); !s.ok()) return s;
  }
  auto opened = OpenCluster(transaction, frame.cluster, /*create=*/false);
  if (!opened.ok()) return opened.status();
  const storage::Cluster& cluster = opened->cluster;
  absl::StatusOr<std::string> etag = ReadEtag(transaction, cluster.id);
  if (!etag.ok()) return etag.status();
  if (absl::Status s = CheckEtag(frame.etag, *etag); !s.ok()) return s;
  std::optional<usage::RuleChange> rules;
  if (reach == Reach::kDecayRules && !frame.lease.has_value()) {
    auto begun = usage::RuleChange::Begin(transaction, cluster.id);
    if (!begun.ok()) return begun.status();
    rules = *std::move(begun);
  }
  ChangeResult result;
  result.cluster = cluster.name;
  result.etag = *etag;
  const auto make = frame.lease.has_value() ? LeaseRows : ChangeRows;
  if (absl::Status s = make(transaction, cluster, frame, work, &result.list); !s.ok()) return s;
  if (frame.context.validate_only) return result;
  absl::Status room = CheckAuditRoom(transaction, frame, cluster.id, result.list);
  if (!room.ok()) return room;
  absl::Status audited = result.list.Audit(transaction, AuditFrame(frame, cluster.id));
  if (!audited.ok()) return audited;
  if (rules.has_value()) {
    if (absl::Status s = rules->Finish(transaction, ahead); !s.ok()) return s;
  }
  etag = ReadEtag(transaction, cluster.id);
  if (!etag.ok()) return etag.status();
  result.etag = *std::move(etag);
  return result;
}

}  // namespace

absl::StatusOr<ClusterWithEtag> FindWithEtag(storage::Transaction& transaction,
                                             const std::string& cluster) {
  auto found = configuration::FindCluster(transaction, cluster);
  if (!found.ok()) return found.status();
  auto etag = ReadEtag(transaction, found->id);
  if (!etag.ok()) return etag.status();
  return ClusterWithEtag{*std::move(found), *std::move(etag)};
}

absl::StatusOr<ChangeResult> MakeChange(storage::Database& database, const ChangeFrame& frame,
                                        Reach reach, ChangeWork work) {
  ChangeResult result;
  absl::Status status =
      ChangeRules(database, frame.context,
                  [&](storage::Transaction& transaction, usage::SumAhead* ahead) -> absl::Status {
                    auto attempt = Attempt(transaction, frame, reach, ahead, work);
                    if (attempt.ok()) result = *std::move(attempt);
                    return attempt.status();
                  });
  if (!status.ok()) return status;
  return result;
}

}  // namespace priorityd::administration
