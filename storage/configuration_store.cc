#include "storage/configuration_store.h"

#include <utility>

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

struct Copy {
  const char* clear;
  const char* fill;
};

constexpr Copy kCopies[] = {
    {"DELETE FROM priorityd.published_cluster WHERE id = $1",
     "INSERT INTO priorityd.published_cluster SELECT * FROM priorityd.cluster WHERE id = $1"},
    {"DELETE FROM priorityd.published_association WHERE cluster_id = $1",
     "INSERT INTO priorityd.published_association SELECT * FROM priorityd.association "
     "WHERE cluster_id = $1 AND deleted_at IS NULL"},
    {"DELETE FROM priorityd.published_cluster_user WHERE cluster_id = $1",
     "INSERT INTO priorityd.published_cluster_user SELECT * FROM priorityd.cluster_user "
     "WHERE cluster_id = $1"},
    {"DELETE FROM priorityd.published_qos WHERE cluster_id = $1",
     "INSERT INTO priorityd.published_qos SELECT * FROM priorityd.qos "
     "WHERE cluster_id = $1 AND deleted_at IS NULL"},
    {"DELETE FROM priorityd.published_partition WHERE cluster_id = $1",
     "INSERT INTO priorityd.published_partition SELECT * FROM priorityd.partition "
     "WHERE cluster_id = $1 AND deleted_at IS NULL"},
    {"DELETE FROM priorityd.published_half_life WHERE cluster_id = $1",
     "INSERT INTO priorityd.published_half_life SELECT * FROM priorityd.half_life "
     "WHERE cluster_id = $1"},
};

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
  for (const Copy& copy : kCopies) {
    for (const char* statement : {copy.clear, copy.fill}) {
      if (status.ok()) status = transaction_.Execute(statement, {cluster_id}).status();
    }
  }
  if (!status.ok()) return status;
  return transaction_.Execute(kSetPublishedRevision, {cluster_id, revision}).status();
}

}  // namespace priorityd::storage
