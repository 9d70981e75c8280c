#include "storage/configuration_store.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "storage/association_store.h"
#include "storage/cluster_store.h"
#include "storage/cluster_user_store.h"
#include "storage/column_table.h"
#include "storage/partition_store.h"
#include "storage/policy_store.h"
#include "storage/qos_store.h"

namespace priorityd::storage {
namespace {

constexpr char kRevision[] =
    "SELECT revision FROM priorityd.configuration_revision WHERE cluster_id = $1";
constexpr char kLockRevision[] =
    "SELECT revision FROM priorityd.configuration_revision WHERE cluster_id = $1 FOR SHARE";
// A row to lock, for clusters that are older than revisions.
constexpr char kCreate[] =
    "INSERT INTO priorityd.configuration_revision (cluster_id, revision) VALUES ($1, 0) "
    "ON CONFLICT (cluster_id) DO NOTHING";
constexpr char kPublishedRevision[] =
    "SELECT revision FROM priorityd.published_configuration WHERE cluster_id = $1";
constexpr char kSetPublishedRevision[] =
    "INSERT INTO priorityd.published_configuration (cluster_id, revision) VALUES ($1, $2) "
    "ON CONFLICT (cluster_id) DO UPDATE SET revision = EXCLUDED.revision";

// Replaces a cluster's rows of one published table.
struct Publication {
  std::string clear;
  std::string fill;
};

// `cluster_id` is the column that says whose a row is; rows of which `condition` holds
// are published.
Publication PublicationOf(const TableColumns& columns, absl::string_view cluster_id,
                          absl::string_view condition = "") {
  const std::string published = columns.Table(Edition::kPublished);
  const std::string names = absl::StrJoin(columns.All(), ", ");
  return {absl::StrCat("DELETE FROM ", published, " WHERE ", cluster_id, " = $1"),
          absl::StrCat("INSERT INTO ", published, " (", names, ") SELECT ", names, " FROM ",
                       columns.Table(), " WHERE ", cluster_id, " = $1", condition)};
}

const std::vector<Publication>& Publications() {
  constexpr char kLive[] = " AND deleted_at IS NULL";
  static const auto* const publications =
      new std::vector<Publication>{PublicationOf(ClusterColumns(), "id"),
                                   PublicationOf(AssociationColumns(), "cluster_id", kLive),
                                   PublicationOf(ClusterUserColumns(), "cluster_id"),
                                   PublicationOf(QosColumns(), "cluster_id", kLive),
                                   PublicationOf(PartitionColumns(), "cluster_id", kLive),
                                   PublicationOf(HalfLifeColumns(), "cluster_id")};
  return *publications;
}

int64_t DecodeRevision(RowReader& row) {
  int64_t revision = 0;
  row.Read(&revision);
  return revision;
}

absl::StatusOr<int64_t> ReadOr(Transaction& transaction, int64_t none, const char* statement,
                               int32_t cluster_id) {
  auto revision = transaction.QueryOptional(DecodeRevision, statement, {cluster_id});
  if (!revision.ok()) return revision.status();
  return revision->value_or(none);
}

}  // namespace

absl::StatusOr<int64_t> ConfigurationStore::Revision(int32_t cluster_id) {
  return ReadOr(transaction_, 0, kRevision, cluster_id);
}

absl::StatusOr<int64_t> ConfigurationStore::LockRevision(int32_t cluster_id) {
  auto created = transaction_.Execute(kCreate, {cluster_id});
  if (!created.ok()) return created.status();
  return ReadOr(transaction_, 0, kLockRevision, cluster_id);
}

absl::StatusOr<int64_t> ConfigurationStore::PublishedRevision(int32_t cluster_id) {
  return ReadOr(transaction_, -1, kPublishedRevision, cluster_id);
}

absl::Status ConfigurationStore::Publish(int32_t cluster_id, int64_t revision) {
  absl::Status status;
  for (const Publication& publication : Publications()) {
    for (const std::string* statement : {&publication.clear, &publication.fill}) {
      if (status.ok()) status = transaction_.Execute(*statement, {cluster_id}).status();
    }
  }
  if (!status.ok()) return status;
  return transaction_.Execute(kSetPublishedRevision, {cluster_id, revision}).status();
}

}  // namespace priorityd::storage
