#include "storage/configuration/configuration_store.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/lease_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/policy_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/configuration/reservation_store.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/database/row_version.h"

namespace priorityd::storage {
namespace {

constexpr char kReadRevision[] =
    "SELECT revision FROM priorityd.configuration_revision WHERE cluster_id = $1";
constexpr char kLockRevision[] =
    "SELECT revision FROM priorityd.configuration_revision WHERE cluster_id = $1 FOR SHARE";
// A row to lock, for clusters that are older than revisions.
constexpr char kCreateRevision[] =
    "INSERT INTO priorityd.configuration_revision (cluster_id, revision) VALUES ($1, 0) "
    "ON CONFLICT (cluster_id) DO NOTHING";
constexpr char kPublishedRevision[] =
    "SELECT revision FROM priorityd.published_configuration WHERE cluster_id = $1";
constexpr char kSetPublishedRevision[] =
    "INSERT INTO priorityd.published_configuration (cluster_id, revision) VALUES ($1, $2) "
    "ON CONFLICT (cluster_id) DO UPDATE SET revision = EXCLUDED.revision";

// Makes a cluster's rows of one published table the present ones; writes only rows that
// differ. An upsert would lock, and so write, every row there is.
struct Publication {
  std::string remove;
  std::string change;
  std::string add;
};

std::string Names(const std::vector<std::string>& columns, absl::string_view prefix) {
  return absl::StrJoin(columns, ", ", [prefix](std::string* out, const std::string& column) {
    absl::StrAppend(out, prefix, column);
  });
}

// `scope` is the column with the owner of a row, `key` identifies the rows of an owner; rows of
// which `condition` holds are published.
Publication PublicationOf(const TableColumns& columns, absl::string_view scope,
                          absl::string_view key, absl::string_view condition = "true") {
  const std::string published = columns.Table(Edition::kPublished);
  const std::vector<std::string> all = columns.All();
  const std::string present = absl::StrCat("(SELECT ", Names(all, ""), " FROM ", columns.Table(),
                                           " WHERE ", scope, " = $1 AND ", condition, ") AS c");
  const std::string same_row = absl::StrCat("p.", scope, " = $1 AND p.", key, " = c.", key);
  return {absl::StrCat("DELETE FROM ", published, " p WHERE ", scope,
                       " = $1 AND NOT EXISTS (SELECT FROM ", present, " WHERE ", same_row, ")"),
          absl::StrCat("UPDATE ", published, " p SET (", Names(all, ""), ") = ROW (",
                       Names(all, "c."), ") FROM ", present, " WHERE ", same_row, " AND ROW (",
                       Names(all, "p."), ") IS DISTINCT FROM ROW (", Names(all, "c."), ")"),
          absl::StrCat("INSERT INTO ", published, " (", Names(all, ""), ") SELECT ",
                       Names(all, "c."), " FROM ", present, " WHERE NOT EXISTS (SELECT FROM ",
                       published, " p WHERE ", same_row, ")")};
}

// The same for the rows with the keys of parameter 2 alone, an array of `keys_type`. Each row is
// looked up by its key, whatever PostgreSQL's statistics say.
Publication WrittenPublicationOf(const TableColumns& columns, absl::string_view key,
                                 absl::string_view condition, absl::string_view keys_type) {
  const std::string published = columns.Table(Edition::kPublished);
  const std::vector<std::string> all = columns.All();
  const auto row = [&](absl::string_view selected, absl::string_view table) {
    return absl::StrCat("(SELECT ", selected, " FROM ", table, " WHERE cluster_id = $1 AND ",
                        IsByIndex(key, "k.wanted"), ")");
  };
  const std::string keys =
      absl::StrCat("(SELECT DISTINCT unnest($2::", keys_type, ") AS wanted) AS k");
  const std::string present =
      absl::StrCat(" LATERAL (SELECT * FROM ", row(Names(all, ""), columns.Table()), " AS r WHERE ",
                   condition, ") AS c ON true");
  const std::string held =
      absl::StrCat(" LATERAL ", row("ctid AS place", published), " AS held ON true");
  return {
      absl::StrCat("DELETE FROM ", published, " WHERE ctid = ANY (ARRAY(SELECT held.place FROM ",
                   keys, " JOIN", held, " LEFT JOIN", present, " WHERE c.", key, " IS NULL))"),
      absl::StrCat("UPDATE ", published, " p SET (", Names(all, ""), ") = ROW (", Names(all, "c."),
                   ") FROM (SELECT c.*, held.place FROM ", keys, " JOIN", present, " JOIN", held,
                   ") AS c WHERE p.ctid = c.place AND ROW (", Names(all, "p."),
                   ") IS DISTINCT FROM ROW (", Names(all, "c."), ")"),
      absl::StrCat("INSERT INTO ", published, " (", Names(all, ""), ") SELECT ", Names(all, "c."),
                   " FROM ", keys, " JOIN", present, " LEFT JOIN", held,
                   " WHERE held.place IS NULL")};
}

constexpr char kLive[] = "deleted_at IS NULL";
constexpr char kOpen[] = "NOT end_passed";

// Of tables with a few rows.
const std::vector<Publication>& SmallPublications() {
  static const auto* const publications =
      new std::vector<Publication>{PublicationOf(ClusterColumns(), "id", "id"),
                                   PublicationOf(QosColumns(), "cluster_id", "id", kLive),
                                   PublicationOf(PartitionColumns(), "cluster_id", "id", kLive),
                                   PublicationOf(ReservationColumns(), "cluster_id", "id", kLive),
                                   PublicationOf(LeaseColumns(), "cluster_id", "id", kOpen),
                                   PublicationOf(UserMergeColumns(), "cluster_id", "from_user"),
                                   PublicationOf(HalfLifeColumns(), "cluster_id", "effective_at")};
  return *publications;
}

// Of a table that may have a million rows: of all of them, or of those that were written since the
// last time.
struct LargePublication {
  LargePublication(const TableColumns& columns, absl::string_view key, absl::string_view condition,
                   absl::string_view keys_type)
      : all(PublicationOf(columns, "cluster_id", key, condition)),
        written(WrittenPublicationOf(columns, key, condition, keys_type)),
        keys(absl::StrCat("SELECT ", key, "::text FROM ", columns.Table(),
                          " WHERE cluster_id = $1 AND ", WrittenSince(2))),
        counts_differ(
            absl::StrCat("SELECT (SELECT count(*) FROM ", columns.Table(Edition::kPublished),
                         " WHERE cluster_id = $1) <> (SELECT count(*) FROM ", columns.Table(),
                         " WHERE cluster_id = $1 AND ", condition, ")")) {}

  Publication all;
  Publication written;
  std::string keys;           // Those that were written, as texts.
  std::string counts_differ;  // Whether rows were deleted without a trace.
};

const std::vector<LargePublication>& LargePublications() {
  static const auto* const publications =
      new std::vector<LargePublication>{{AssociationColumns(), "id", kLive, "bigint[]"},
                                        {ClusterUserColumns(), "name", "true", "text[]"}};
  return *publications;
}

// More rows than this are looked up one by one for longer than all are compared.
constexpr size_t kMostLookedUp = 10'000;

// Of a table that PostgreSQL has not counted yet, as after an import, it expects a few rows, and
// would compare each with each.
constexpr char kJoinByHash[] = "SET LOCAL enable_nestloop = off";
constexpr char kJoinByDefault[] = "SET LOCAL enable_nestloop TO DEFAULT";

absl::StatusOr<int64_t> ReadOr(Transaction& transaction, int64_t none, const char* statement,
                               int32_t cluster_id) {
  auto revision = transaction.QueryOptional(OnlyColumn<int64_t>, statement, {cluster_id});
  if (!revision.ok()) return revision.status();
  return revision->value_or(none);
}

absl::Status Run(Transaction& transaction, const Publication& publication,
                 absl::Span<const Parameter> parameters) {
  for (const std::string* statement :
       {&publication.remove, &publication.change, &publication.add}) {
    absl::Status status = transaction.Execute(*statement, parameters).status();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<int64_t> ConfigurationStore::Revision(int32_t cluster_id) {
  return ReadOr(transaction_, 0, kReadRevision, cluster_id);
}

absl::StatusOr<int64_t> ConfigurationStore::LockRevision(int32_t cluster_id) {
  auto created = transaction_.Execute(kCreateRevision, {cluster_id});
  if (!created.ok()) return created.status();
  auto revision = ReadOr(transaction_, 0, kLockRevision, cluster_id);
  absl::Status writable = ClusterMoveStore(transaction_).RequireWritable(cluster_id);
  return writable.ok() ? revision : writable;
}

absl::StatusOr<int64_t> ConfigurationStore::PublishedRevision(int32_t cluster_id) {
  return ReadOr(transaction_, -1, kPublishedRevision, cluster_id);
}

absl::Status ConfigurationStore::Publish(int32_t cluster_id, int64_t revision) {
  std::vector<const Publication*> publications;
  for (const Publication& small : SmallPublications()) publications.push_back(&small);
  for (const LargePublication& large : LargePublications()) publications.push_back(&large.all);
  absl::Status status = transaction_.ExecuteScript(kJoinByHash);
  for (const Publication* publication : publications) {
    if (status.ok()) status = Run(transaction_, *publication, {cluster_id});
  }
  if (status.ok()) status = transaction_.ExecuteScript(kJoinByDefault);
  if (!status.ok()) return status;
  return SetPublished(cluster_id, revision);
}

absl::Status ConfigurationStore::PublishWritten(int32_t cluster_id, int64_t revision,
                                                int64_t watermark) {
  for (const Publication& small : SmallPublications()) {
    if (absl::Status s = Run(transaction_, small, {cluster_id}); !s.ok()) return s;
  }
  for (const LargePublication& large : LargePublications()) {
    auto keys = transaction_.Query(OnlyColumn<std::string>, large.keys, {cluster_id, watermark});
    if (!keys.ok()) return keys.status();
    if (keys->size() > kMostLookedUp) return Publish(cluster_id, revision);
    absl::Status status;
    if (!keys->empty()) status = Run(transaction_, large.written, {cluster_id, *keys});
    if (!status.ok()) return status;
    auto differ = transaction_.QueryOne(OnlyColumn<bool>, large.counts_differ, {cluster_id});
    if (!differ.ok()) return differ.status();
    if (*differ) return Publish(cluster_id, revision);
  }
  return SetPublished(cluster_id, revision);
}

absl::Status ConfigurationStore::SetPublished(int32_t cluster_id, int64_t revision) {
  return transaction_.Execute(kSetPublishedRevision, {cluster_id, revision}).status();
}

}  // namespace priorityd::storage
