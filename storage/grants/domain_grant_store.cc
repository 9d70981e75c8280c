#include "storage/grants/domain_grant_store.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kDeleteDomainGrants[] =
    "DELETE FROM priorityd.domain_grant WHERE cluster_id = $1 AND place = ANY ($2::bigint[])";

struct DomainGrantStatements {
  const ColumnTable<GrantStanding>& columns = GrantStandingColumns();
  std::string used_up =
      absl::StrCat("SELECT ", columns.Selected(), " FROM ", columns.Table(),
                   " WHERE cluster_id = $1 AND used >= available * (1 - 1e-9::double precision) "
                   "AND consequence <> 'none' AND NOT EXISTS (SELECT FROM priorityd.usage_grant g "
                   "WHERE g.cluster_id = $1 "
                   "AND g.by_coordinator AND g.name = grant_standing.name) ORDER BY place");
  std::string list = absl::StrCat("SELECT ", columns.Selected(),
                                  " FROM priorityd.domain_grant WHERE cluster_id = $1 "
                                  "ORDER BY place");
  std::string insert =
      absl::StrCat("INSERT INTO priorityd.domain_grant (", columns.Written("cluster_id, "),
                   ") SELECT $1::integer, ", columns.GivenValues(), " FROM ", columns.Given(2));
};

const DomainGrantStatements& DomainGrantSql() {
  static const auto* const statements = new DomainGrantStatements;
  return *statements;
}

}  // namespace

absl::StatusOr<std::vector<GrantStanding>> DomainGrantStore::ListUsedUp(int32_t domain_id) {
  return transaction_.Query(DecodeTableRow<GrantStandingColumns>, DomainGrantSql().used_up,
                            {domain_id});
}

absl::StatusOr<std::vector<GrantStanding>> DomainGrantStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<GrantStandingColumns>, DomainGrantSql().list,
                            {cluster_id});
}

absl::Status DomainGrantStore::Replace(int32_t cluster_id,
                                       const std::vector<GrantStanding>& present,
                                       const std::vector<GrantStanding>& standings) {
  std::vector<int64_t> gone;
  for (const GrantStanding& old : Without(present, standings)) gone.push_back(old.place);
  if (!gone.empty()) {
    auto deleted = transaction_.Execute(kDeleteDomainGrants, {cluster_id, gone});
    if (!deleted.ok()) return deleted.status();
  }
  const std::vector<GrantStanding> added = Without(standings, present);
  if (added.empty()) return absl::OkStatus();
  return transaction_
      .Execute(DomainGrantSql().insert, GrantStandingColumns().Parameters(added, {cluster_id}))
      .status();
}

}  // namespace priorityd::storage
