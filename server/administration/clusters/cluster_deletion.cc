#include "server/administration/clusters/cluster_deletion.h"

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/changes/domain_change.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"

namespace priorityd::administration {
namespace {

using Contents = storage::ClusterContents;

// Maximum rows of one transaction.
constexpr int64_t kRowsAtOnce = 10'000;

// The clusters that have or had a name.
struct Found {
  std::optional<int32_t> live;
  std::vector<int32_t> hidden;      // Deleted ones that can be restored.
  std::vector<int32_t> unfinished;  // Ones whose rows are being deleted.
  Contents contents;                // Of those that would be deleted.
};

absl::Status UnknownClusterError(const std::string& name) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("name: got \"", absl::Utf8SafeCEscape(name),
                                       "\", want a deleted cluster that can be restored")),
      "UNKNOWN_CLUSTER");
}

absl::Status AddContents(storage::ClusterDeletion deletion, const std::vector<int32_t>& ids,
                         Contents* sum) {
  for (const int32_t id : ids) {
    auto contents = deletion.Contents(id);
    if (!contents.ok()) return contents.status();
    sum->associations += contents->associations;
    sum->jobs += contents->jobs;
    sum->records += contents->records;
  }
  return absl::OkStatus();
}

// The deleted clusters of a name that can be restored, the last first.
absl::StatusOr<std::vector<storage::DeletedCluster>> Restorable(storage::ClusterDeletion deletion,
                                                                const std::string& name) {
  auto all = deletion.ListRestorable();
  if (!all.ok()) return all.status();
  std::vector<storage::DeletedCluster> of_name;
  for (storage::DeletedCluster& cluster : *all) {
    if (cluster.cluster.name == name) of_name.push_back(std::move(cluster));
  }
  return of_name;
}

absl::StatusOr<Found> Find(storage::Database& database, const std::string& name, bool purge) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Found> {
    storage::ClusterDeletion deletion(transaction);
    Found found;
    auto cluster = configuration::FindCluster(transaction, name);
    if (cluster.ok()) {
      found.live = cluster->id;
      if (absl::Status s = CheckNoDomain(transaction, *cluster, "name"); !s.ok()) return s;
    }
    auto restorable = Restorable(deletion, name);
    if (!restorable.ok()) return restorable.status();
    for (const auto& deleted : *restorable) found.hidden.push_back(deleted.cluster.id);
    auto all = deletion.FindHidden(name);
    if (!all.ok()) return all.status();
    absl::c_copy_if(*all, std::back_inserter(found.unfinished),
                    [&](int32_t id) { return !absl::c_linear_search(found.hidden, id); });
    std::vector<int32_t> ids = found.unfinished;
    if (found.live.has_value()) ids.push_back(*found.live);
    if (purge) ids.insert(ids.end(), found.hidden.begin(), found.hidden.end());
    if (ids.empty()) return cluster.status();
    if (absl::Status s = AddContents(deletion, ids, &found.contents); !s.ok()) return s;
    return found;
  });
}

storage::AuditEvent EventOf(const ChangeContext& context, const char* action,
                            const std::string& name) {
  storage::AuditEvent event;
  event.principal = context.principal;
  event.action = action;
  event.object = absl::StrCat("cluster ", name);
  return event;
}

absl::StatusOr<absl::Time> Hide(storage::Database& database, const std::string& name,
                                const Contents& contents, const ChangeContext& context) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<absl::Time> {
    auto cluster = configuration::FindCluster(transaction, name);
    if (!cluster.ok()) return cluster.status();
    absl::Status status = storage::ClusterStore(transaction).Lock(cluster->id);
    if (status.ok()) status = CheckNoDomain(transaction, *cluster, "name");
    if (!status.ok()) return status;
    storage::AuditEvent event = EventOf(context, "DeleteCluster", name);
    event.before = absl::StrCat(contents.associations, " associations, ", contents.jobs, " jobs, ",
                                contents.records, " usage records");
    status = storage::AuditStore(transaction).Append(event);
    if (!status.ok()) return status;
    return storage::ClusterDeletion(transaction).Hide(cluster->id, kGrace);
  });
}

// From here on the rows cannot be restored.
absl::Status BeginPurge(storage::Database& database, int32_t id, const std::string& name,
                        const std::string& principal) {
  return database.Write([&](storage::Transaction& transaction) -> absl::Status {
    auto begun = storage::ClusterDeletion(transaction).Begin(id);
    if (!begun.ok()) return begun.status();
    if (!*begun) return absl::OkStatus();
    return storage::AuditStore(transaction)
        .Append(EventOf({.principal = principal}, "PurgeCluster", name));
  });
}

absl::Status InterruptedError(const std::string& name) {
  return absl::UnavailableError(absl::StrCat(
      "cluster ", name, ": the service is stopping: its next leader deletes the other rows"));
}

// False if it may not continue.
absl::StatusOr<bool> DeleteRows(storage::Database& database, int32_t id,
                                const std::function<bool()>& may_go_on) {
  while (may_go_on()) {
    auto deleted = database.Write([&](storage::Transaction& transaction) {
      return storage::ClusterDeletion(transaction).DeleteSome(id, kRowsAtOnce);
    });
    if (!deleted.ok()) return deleted.status();
    if (*deleted > 0) continue;
    absl::Status finished = database.Write([&](storage::Transaction& transaction) {
      return storage::ClusterDeletion(transaction).Finish(id);
    });
    if (!finished.ok()) return finished;
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ClusterDeleted> DeleteCluster(storage::Database& database, const std::string& name,
                                             bool purge, const ChangeContext& context,
                                             const std::function<bool()>& may_go_on) {
  auto found = Find(database, name, purge);
  if (!found.ok()) return found.status();
  ClusterDeleted deleted{.contents = found->contents};
  if (context.validate_only) return deleted;
  if (found->live.has_value()) {
    auto until = Hide(database, name, found->contents, context);
    if (!until.ok()) return until.status();
    if (!purge) deleted.restorable_until = *until;
  }
  std::vector<int32_t> ids = found->unfinished;
  if (purge) {
    ids.insert(ids.end(), found->hidden.begin(), found->hidden.end());
    if (found->live.has_value()) ids.push_back(*found->live);
  }
  for (const int32_t id : ids) {
    absl::Status begun = BeginPurge(database, id, name, context.principal);
    if (!begun.ok()) return begun;
    auto done = DeleteRows(database, id, may_go_on);
    if (!done.ok()) return done.status();
    if (!*done) return InterruptedError(name);
  }
  return deleted;
}

absl::StatusOr<storage::Cluster> RestoreCluster(storage::Database& database,
                                                const std::string& name,
                                                const ChangeContext& context) {
  storage::Cluster cluster;
  absl::Status status =
      ChangeConfiguration(database, context, [&](storage::Transaction& transaction) {
        storage::ClusterDeletion deletion(transaction);
        auto restorable = Restorable(deletion, name);
        if (!restorable.ok()) return restorable.status();
        if (restorable->empty()) return UnknownClusterError(name);
        cluster = restorable->front().cluster;
        auto restored = deletion.Restore(cluster.id);
        if (absl::IsAlreadyExists(restored.status())) {
          return errors::WithReason(absl::FailedPreconditionError(restored.status().message()),
                                    "NAME_TAKEN");
        }
        if (!restored.ok()) return restored.status();
        if (!*restored) return UnknownClusterError(name);
        storage::AuditEvent event = EventOf(context, "RestoreCluster", name);
        event.cluster_id = cluster.id;
        return storage::AuditStore(transaction).Append(event);
      });
  if (!status.ok()) return status;
  return cluster;
}

absl::StatusOr<std::vector<std::string>> FinishDeletions(storage::Database& database,
                                                         const std::function<bool()>& may_go_on) {
  auto begun = database.Read([](storage::Transaction& transaction) {
    return storage::ClusterDeletion(transaction).ListBegun();
  });
  if (!begun.ok()) return begun.status();
  std::vector<std::string> gone;
  for (const storage::BegunDeletion& deletion : *begun) {
    if (!may_go_on()) break;
    absl::Status over = BeginPurge(database, deletion.cluster_id, deletion.name, "priorityd");
    if (!over.ok()) return over;
    auto done = DeleteRows(database, deletion.cluster_id, may_go_on);
    if (!done.ok()) return done.status();
    if (!*done) break;
    gone.push_back(deletion.name);
  }
  return gone;
}

}  // namespace priorityd::administration
