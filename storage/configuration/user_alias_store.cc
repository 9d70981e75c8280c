#include "storage/configuration/user_alias_store.h"

#include "storage/database/parameter.h"
#include "storage/database/row_reader.h"

namespace priorityd::storage {
namespace {

constexpr char kListAliases[] =
    "SELECT source, alias, user_name, version FROM priorityd.user_alias WHERE cluster_id = $1 "
    "ORDER BY source, alias";
constexpr char kListAliasPage[] =
    "SELECT source, alias, user_name, version FROM priorityd.user_alias WHERE cluster_id = $1 "
    "AND ($2::text[] = '{}' OR source = ANY ($2::text[])) "
    "AND ($3::text[] = '{}' OR user_name = ANY ($3::text[])) "
    "AND (source, alias) > ($4::text, $5::text) ORDER BY source, alias LIMIT $6::bigint";
constexpr char kFindAliases[] =
    "SELECT a.source, a.alias, a.user_name, a.version FROM priorityd.user_alias a "
    "JOIN unnest($2::text[], $3::text[]) AS w (source, alias) USING (source, alias) "
    "WHERE a.cluster_id = $1 ORDER BY a.source, a.alias";
constexpr char kCountAliases[] = "SELECT count(*) FROM priorityd.user_alias WHERE cluster_id = $1";
constexpr char kUsersAmong[] =
    "SELECT DISTINCT user_name FROM priorityd.association WHERE cluster_id = $1 "
    "AND deleted_at IS NULL AND user_name <> '' AND user_name = ANY ($2::text[])";
constexpr char kAliasesAmong[] =
    "SELECT DISTINCT alias FROM priorityd.user_alias WHERE cluster_id = $1 "
    "AND alias = ANY ($2::text[])";
constexpr char kTargetsAmong[] =
    "SELECT DISTINCT user_name FROM priorityd.user_alias WHERE cluster_id = $1 "
    "AND user_name = ANY ($2::text[])";
constexpr char kInsertAliases[] =
    "INSERT INTO priorityd.user_alias (cluster_id, source, alias, user_name, version) "
    "SELECT $1::integer, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[])";
constexpr char kDeleteAliases[] =
    "DELETE FROM priorityd.user_alias a USING unnest($2::text[], $3::text[]) AS w (source, alias) "
    "WHERE a.cluster_id = $1 AND a.source = w.source AND a.alias = w.alias";
constexpr char kAliasVersion[] =
    "SELECT coalesce(max(version), 0) FROM priorityd.user_alias_version WHERE cluster_id = $1";
constexpr char kAdvanceAliases[] =
    "INSERT INTO priorityd.user_alias_version AS v (cluster_id, version) VALUES ($1, 1) "
    "ON CONFLICT (cluster_id) DO UPDATE SET version = v.version + 1 RETURNING version";
constexpr char kAliasVersions[] =
    "SELECT c.id, c.name, v.version FROM priorityd.user_alias_version v "
    "JOIN priorityd.cluster c ON c.id = v.cluster_id ORDER BY c.id";

UserAlias DecodeAlias(RowReader& row) {
  UserAlias alias;
  row.Read(&alias.source, &alias.alias, &alias.user_name, &alias.version);
  return alias;
}

UserAliasVersion DecodeAliasVersion(RowReader& row) {
  UserAliasVersion version;
  row.Read(&version.cluster_id, &version.cluster_name, &version.version);
  return version;
}

// The rows as columns.
struct AliasColumns {
  explicit AliasColumns(absl::Span<const UserAlias> aliases) {
    for (const UserAlias& alias : aliases) {
      sources.push_back(alias.source);
      names.push_back(alias.alias);
      users.push_back(alias.user_name);
      versions.push_back(alias.version);
    }
  }

  std::vector<std::string> sources;
  std::vector<std::string> names;
  std::vector<std::string> users;
  std::vector<int64_t> versions;
};

}  // namespace

absl::StatusOr<std::vector<UserAlias>> UserAliasStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeAlias, kListAliases, {cluster_id});
}

absl::StatusOr<std::vector<UserAlias>> UserAliasStore::ListPage(int32_t cluster_id,
                                                                const UserAliasFilter& filter,
                                                                const std::string& after_source,
                                                                const std::string& after_alias,
                                                                int64_t limit) {
  return transaction_.Query(
      DecodeAlias, kListAliasPage,
      {cluster_id, filter.sources, filter.users, after_source, after_alias, limit});
}

absl::StatusOr<std::vector<UserAlias>> UserAliasStore::Find(int32_t cluster_id,
                                                            absl::Span<const UserAlias> keys) {
  const AliasColumns columns(keys);
  return transaction_.Query(DecodeAlias, kFindAliases,
                            {cluster_id, columns.sources, columns.names});
}

absl::StatusOr<int64_t> UserAliasStore::Count(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountAliases, {cluster_id});
}

absl::StatusOr<std::vector<std::string>> UserAliasStore::UsersAmong(
    int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.Query(OnlyColumn<std::string>, kUsersAmong, {cluster_id, names});
}

absl::StatusOr<std::vector<std::string>> UserAliasStore::AliasesAmong(
    int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.Query(OnlyColumn<std::string>, kAliasesAmong, {cluster_id, names});
}

absl::StatusOr<std::vector<std::string>> UserAliasStore::TargetsAmong(
    int32_t cluster_id, const std::vector<std::string>& names) {
  return transaction_.Query(OnlyColumn<std::string>, kTargetsAmong, {cluster_id, names});
}

absl::Status UserAliasStore::Insert(int32_t cluster_id, absl::Span<const UserAlias> aliases) {
  if (aliases.empty()) return absl::OkStatus();
  const AliasColumns columns(aliases);
  return transaction_
      .Execute(kInsertAliases,
               {cluster_id, columns.sources, columns.names, columns.users, columns.versions})
      .status();
}

absl::Status UserAliasStore::Delete(int32_t cluster_id, absl::Span<const UserAlias> keys) {
  if (keys.empty()) return absl::OkStatus();
  const AliasColumns columns(keys);
  return transaction_.Execute(kDeleteAliases, {cluster_id, columns.sources, columns.names})
      .status();
}

absl::StatusOr<int64_t> UserAliasStore::Version(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kAliasVersion, {cluster_id});
}

absl::StatusOr<int64_t> UserAliasStore::Advance(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kAdvanceAliases, {cluster_id});
}

absl::StatusOr<std::vector<UserAliasVersion>> UserAliasStore::Versions() {
  return transaction_.Query(DecodeAliasVersion, kAliasVersions);
}

}  // namespace priorityd::storage
