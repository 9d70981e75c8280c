#include "storage/configuration/user_merge_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/row_reader.h"

namespace priorityd::storage {
namespace {

constexpr char kDeleteMerge[] =
    "DELETE FROM priorityd.user_merge WHERE cluster_id = $1 AND from_user = $2::text";
constexpr char kDeleteMergesOfDomain[] =
    "DELETE FROM priorityd.user_merge WHERE cluster_id = $1 AND of_domain";
constexpr char kSetOfDomain[] =
    "UPDATE priorityd.user_merge SET of_domain = $3::boolean WHERE cluster_id = $1 "
    "AND from_user = $2::text";
// With the collation of the association's indexes.
constexpr char kFindMergeFaults[] =
    "SELECT DISTINCT m.from_user, m.into_user, f.account COLLATE \"C\", false "
    "FROM priorityd.user_merge m JOIN priorityd.association f "
    "ON f.cluster_id = $1 AND f.user_name = m.from_user COLLATE \"default\" "
    "WHERE m.cluster_id = $1 AND f.deleted_at IS NULL AND NOT EXISTS "
    "(SELECT FROM priorityd.association i WHERE i.cluster_id = $1 AND i.account = f.account "
    "AND i.user_name = m.into_user COLLATE \"default\" AND i.partition IN ('', f.partition) "
    "AND i.deleted_at IS NULL) "
    "UNION SELECT m.from_user, m.into_user, d.account COLLATE \"C\", true "
    "FROM priorityd.user_merge m JOIN priorityd.association d "
    "ON d.cluster_id = $1 AND d.user_name = m.from_user COLLATE \"default\" "
    "WHERE m.cluster_id = $1 AND d.deleted_at = $2::timestamptz ORDER BY 1, 3, 4 LIMIT 10";

std::string ListMergesOf(Edition edition) {
  return absl::StrCat("SELECT ", UserMergeColumns().Selected(), " FROM ",
                      UserMergeColumns().Table(edition),
                      " WHERE cluster_id = $1 ORDER BY from_user");
}

struct MergeStatements {
  const ColumnTable<UserMerge>& merges = UserMergeColumns();
  std::string current = ListMergesOf(Edition::kCurrent);
  std::string published = ListMergesOf(Edition::kPublished);
  std::string insert =
      absl::StrCat("INSERT INTO ", merges.Table(), " (", merges.Written("cluster_id, "),
                   ") SELECT $1::integer, ", merges.GivenValues(), " FROM ", merges.Given(2));
};

const MergeStatements& MergeSql() {
  static const auto* const statements = new MergeStatements;
  return *statements;
}

MergeFault DecodeMergeFault(RowReader& row) {
  MergeFault fault;
  row.Read(&fault.from_user, &fault.into_user, &fault.account, &fault.is_deleted);
  return fault;
}

}  // namespace

const ColumnTable<UserMerge>& UserMergeColumns() {
  using C = ColumnTable<UserMerge>;
  using M = UserMerge;
  static const auto* const columns =
      new C("user_merge", {"cluster_id"},
            {C::Key<&M::from_user>("from_user"), C::Key<&M::into_user>("into_user"),
             C::Key<&M::merged_at>("merged_at"), C::Key<&M::merged_by>("merged_by"),
             C::Key<&M::comment>("comment"), C::Value<&M::of_domain>("of_domain")});
  return *columns;
}

absl::StatusOr<std::vector<UserMerge>> UserMergeStore::List(int32_t cluster_id, Edition edition) {
  const MergeStatements& sql = MergeSql();
  return transaction_.Query(DecodeTableRow<UserMergeColumns>,
                            edition == Edition::kPublished ? sql.published : sql.current,
                            {cluster_id});
}

absl::Status UserMergeStore::Insert(int32_t cluster_id, absl::Span<const UserMerge> merges) {
  return transaction_
      .Execute(MergeSql().insert, UserMergeColumns().Parameters(merges, {cluster_id}))
      .status();
}

absl::Status UserMergeStore::SetOfDomain(int32_t cluster_id, const std::string& from_user,
                                         bool of_domain) {
  return transaction_.Execute(kSetOfDomain, {cluster_id, from_user, of_domain}).status();
}

absl::Status UserMergeStore::Delete(int32_t cluster_id, const std::string& from_user) {
  return transaction_.Execute(kDeleteMerge, {cluster_id, from_user}).status();
}

absl::Status UserMergeStore::DeleteOfDomain(int32_t cluster_id) {
  return transaction_.Execute(kDeleteMergesOfDomain, {cluster_id}).status();
}

absl::StatusOr<std::vector<MergeFault>> UserMergeStore::FindFaults(int32_t cluster_id,
                                                                   absl::Time deleted_at) {
  return transaction_.Query(DecodeMergeFault, kFindMergeFaults, {cluster_id, deleted_at});
}

}  // namespace priorityd::storage
