#include "server/administration/cluster_deletion.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/configuration/find_cluster.h"
#include "storage/audit_store.h"
#include "storage/cluster_store.h"

namespace priorityd::administration {
namespace {

using Contents = storage::ClusterContents;

// Maximum rows of one transaction.
constexpr int64_t kRowsAtOnce = 10'000;

// The present or remaining contents.
struct Found {
  bool is_whole = false;
  std::vector<int32_t> ids;
  Contents contents;
};

absl::StatusOr<Found> Find(storage::Database& database, const std::string& name) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Found> {
    storage::ClusterDeletion deletion(transaction);
    Found found;
    auto cluster = configuration::FindCluster(transaction, name);
    found.is_whole = cluster.ok();
    auto begun = deletion.FindBegun(name);
    if (!begun.ok()) return begun.status();
    found.ids = *std::move(begun);
    if (found.is_whole) found.ids.push_back(cluster->id);
    if (found.ids.empty()) return cluster.status();
    for (const int32_t id : found.ids) {
      auto contents = deletion.Contents(id);
      if (!contents.ok()) return contents.status();
      found.contents.associations += contents->associations;
      found.contents.jobs += contents->jobs;
      found.contents.records += contents->records;
    }
    return found;
  });
}

absl::Status Begin(storage::Database& database, const std::string& name, const Contents& contents,
                   const ChangeContext& context) {
  return database.Write([&](storage::Transaction& transaction) -> absl::Status {
    auto cluster = configuration::FindCluster(transaction, name);
    if (!cluster.ok()) return cluster.status();
    absl::Status status = storage::ClusterStore(transaction).Lock(cluster->id);
    if (!status.ok()) return status;
    storage::AuditEvent event;
    event.principal = context.principal;
    event.action = "DeleteCluster";
    event.object = absl::StrCat("cluster ", name);
    event.before = absl::StrCat(contents.associations, " associations, ", contents.jobs, " jobs, ",
                                contents.records, " usage records");
    status = storage::AuditStore(transaction).Append(event);
    if (!status.ok()) return status;
    return storage::ClusterDeletion(transaction).Begin(cluster->id);
  });
}

bool Always() { return true; }

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

absl::StatusOr<Contents> DeleteCluster(storage::Database& database, const std::string& name,
                                       const ChangeContext& context) {
  auto found = Find(database, name);
  if (!found.ok()) return found.status();
  if (context.validate_only) return found->contents;
  if (found->is_whole) {
    absl::Status begun = Begin(database, name, found->contents, context);
    if (!begun.ok()) return begun;
  }
  for (const int32_t id : found->ids) {
    if (auto done = DeleteRows(database, id, Always); !done.ok()) return done.status();
  }
  return found->contents;
}

absl::StatusOr<std::vector<std::string>> FinishDeletions(storage::Database& database,
                                                         const std::function<bool()>& may_go_on) {
  auto begun = database.Read([](storage::Transaction& transaction) {
    return storage::ClusterDeletion(transaction).ListBegun();
  });
  if (!begun.ok()) return begun.status();
  std::vector<std::string> gone;
  for (const storage::BegunDeletion& deletion : *begun) {
    auto done = DeleteRows(database, deletion.cluster_id, may_go_on);
    if (!done.ok()) return done.status();
    if (!*done) break;
    gone.push_back(deletion.name);
  }
  return gone;
}

}  // namespace priorityd::administration
