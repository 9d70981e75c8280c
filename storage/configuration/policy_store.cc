#include "storage/configuration/policy_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {

template <>
struct ListColumns<PolicyFile> {
  static constexpr auto kFirst = &PolicyFile::name;
  static constexpr auto kSecond = &PolicyFile::content;
};

namespace {

struct PolicyStatements {
  const ColumnTable<PolicyVersion>& columns = PolicyVersionColumns();
  const ColumnTable<HalfLife>& half_life = HalfLifeColumns();
  std::string select = absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                                    " WHERE cluster_id = $1");
  std::string list = absl::StrCat(
      select, " AND ($2 = 0 OR version < $2::bigint) ORDER BY version DESC LIMIT $3::bigint");
  std::string find = absl::StrCat(select, " AND version = $2");
  std::string append =
      absl::StrCat("INSERT INTO ", columns.Table(), " (", columns.Written("version, "),
                   ") SELECT (SELECT coalesce(max(version), 0) + 1 FROM ", columns.Table(),
                   " WHERE cluster_id = given.cluster_id), ", columns.GivenValues(), " FROM ",
                   columns.Given(1), " RETURNING version");
  std::string half_lives[2] = {HalfLivesOf(Edition::kCurrent), HalfLivesOf(Edition::kPublished)};
  std::string set_half_life = absl::StrCat(
      "INSERT INTO ", half_life.Table(), " (", half_life.Written("cluster_id, "),
      ") SELECT $1::integer, ", half_life.GivenValues(), " FROM ", half_life.Given(2),
      " ON CONFLICT (cluster_id, effective_at) DO UPDATE SET ", half_life.AssignExcluded());

  std::string HalfLivesOf(Edition edition) const {
    return absl::StrCat("SELECT ", half_life.Selected(), " FROM ", half_life.Table(edition),
                        " WHERE cluster_id = $1 ORDER BY effective_at");
  }
};

const PolicyStatements& PolicySql() {
  static const auto* const statements = new PolicyStatements;
  return *statements;
}

constexpr char kListHeads[] =
    "SELECT cluster_id, version, applied_at, applied_by, comment, reset_anchor, reset_floor "
    "FROM priorityd.policy_version WHERE cluster_id = $1 AND ($2 = 0 OR version < $2::bigint) "
    "ORDER BY version DESC LIMIT $3::bigint";
constexpr char kSetUnsetAnchors[] =
    "UPDATE priorityd.policy_version SET reset_anchor = $2 "
    "WHERE cluster_id = $1 AND reset_anchor = '-infinity'";
constexpr char kDeleteHalfLives[] = "DELETE FROM priorityd.half_life WHERE cluster_id = $1";

PolicyVersion DecodeHead(RowReader& row) {
  PolicyVersion version;
  row.Read(&version.cluster_id, &version.version, &version.applied_at, &version.applied_by,
           &version.comment, &version.reset_anchor, &version.reset_floor);
  return version;
}

}  // namespace

const ColumnTable<PolicyVersion>& PolicyVersionColumns() {
  using C = ColumnTable<PolicyVersion>;
  using P = PolicyVersion;
  static const auto* const columns =
      new C("policy_version", {},
            {C::Key<&P::cluster_id>("cluster_id"), C::ReadOnly<&P::version>("version"),
             C::ListFirst<&P::files>("file_names"), C::ListSecond<&P::files>("file_contents"),
             C::Value<&P::applied_at>("applied_at"), C::Value<&P::applied_by>("applied_by"),
             C::Value<&P::comment>("comment"), C::Value<&P::reset_anchor>("reset_anchor"),
             C::Value<&P::reset_floor>("reset_floor")});
  return *columns;
}

const ColumnTable<HalfLife>& HalfLifeColumns() {
  using C = ColumnTable<HalfLife>;
  static const auto* const columns = new C("half_life", {"cluster_id"},
                                           {C::Key<&HalfLife::effective_at>("effective_at"),
                                            C::Value<&HalfLife::half_life>("half_life_seconds")});
  return *columns;
}

absl::StatusOr<std::optional<PolicyVersion>> PolicyStore::Newest(int32_t cluster_id) {
  return transaction_.QueryOptional(DecodeTableRow<PolicyVersionColumns>, PolicySql().list,
                                    {cluster_id, 0, 1});
}

absl::StatusOr<std::optional<PolicyVersion>> PolicyStore::Find(int32_t cluster_id,
                                                               int64_t version) {
  return transaction_.QueryOptional(DecodeTableRow<PolicyVersionColumns>, PolicySql().find,
                                    {cluster_id, version});
}

absl::StatusOr<std::vector<PolicyVersion>> PolicyStore::List(int32_t cluster_id, int64_t before,
                                                             int64_t limit) {
  return transaction_.Query(DecodeTableRow<PolicyVersionColumns>, PolicySql().list,
                            {cluster_id, before, limit});
}

absl::StatusOr<std::vector<PolicyVersion>> PolicyStore::ListHeads(int32_t cluster_id,
                                                                  int64_t before, int64_t limit) {
  return transaction_.Query(DecodeHead, kListHeads, {cluster_id, before, limit});
}

absl::StatusOr<int64_t> PolicyStore::Append(const PolicyVersion& policy) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, PolicySql().append,
                               PolicyVersionColumns().Parameters(absl::MakeConstSpan(&policy, 1)));
}

absl::Status PolicyStore::SetUnsetAnchors(int32_t cluster_id, absl::Time anchor) {
  return transaction_.Execute(kSetUnsetAnchors, {cluster_id, anchor}).status();
}

absl::StatusOr<std::vector<HalfLife>> PolicyStore::HalfLives(int32_t cluster_id, Edition edition) {
  return transaction_.Query(DecodeTableRow<HalfLifeColumns>,
                            PolicySql().half_lives[static_cast<int>(edition)], {cluster_id});
}

absl::Status PolicyStore::SetHalfLife(int32_t cluster_id, const HalfLife& half_life) {
  return transaction_
      .Execute(PolicySql().set_half_life,
               HalfLifeColumns().Parameters(absl::MakeConstSpan(&half_life, 1), {cluster_id}))
      .status();
}

absl::Status PolicyStore::ReplaceHalfLives(int32_t cluster_id,
                                           absl::Span<const HalfLife> timeline) {
  absl::Status status = transaction_.Execute(kDeleteHalfLives, {cluster_id}).status();
  for (const HalfLife& half_life : timeline) {
    if (!status.ok()) return status;
    status = SetHalfLife(cluster_id, half_life);
  }
  return status;
}

}  // namespace priorityd::storage
