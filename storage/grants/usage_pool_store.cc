#include "storage/grants/usage_pool_store.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kListPools[] =
    "SELECT id, accounts, user_name, tres, settled_seq, is_stale FROM priorityd.usage_pool "
    "WHERE cluster_id = $1 ORDER BY id";
constexpr char kListPeriods[] =
    "SELECT pool_id, begin_time, end_time, used FROM priorityd.usage_pool_period "
    "WHERE cluster_id = $1 AND pool_id = ANY ($2::bigint[]) ORDER BY pool_id, begin_time";
constexpr char kInsertPool[] =
    "INSERT INTO priorityd.usage_pool (cluster_id, accounts, user_name, tres, settled_seq, "
    "is_stale) VALUES ($1::integer, $2::text[], $3::text, $4::text, $5::bigint, $6::boolean) "
    "RETURNING id";
constexpr char kDeletePools[] =
    "DELETE FROM priorityd.usage_pool WHERE cluster_id = $1 AND id = ANY ($2::bigint[])";
constexpr char kDeleteWithoutGrant[] =
    "DELETE FROM priorityd.usage_pool p WHERE p.cluster_id = $1 AND NOT EXISTS ("
    "SELECT FROM priorityd.usage_grant g WHERE g.cluster_id = $1 AND g.accounts = p.accounts "
    "AND g.user_name = p.user_name AND g.tres = p.tres)";
// The rows to update are found one by one: the planner, which may know nothing of the cluster yet,
// is not free to read all of the table.
constexpr char kSetSettled[] =
    "UPDATE priorityd.usage_pool u SET settled_seq = $4::bigint, is_stale = u.is_stale AND NOT $5 "
    "FROM (SELECT held.ctid FROM unnest($2::bigint[], $3::bigint[]) AS given (id, seq) "
    "CROSS JOIN LATERAL (SELECT ctid FROM priorityd.usage_pool p WHERE p.cluster_id = $1 "
    "AND p.id = given.id AND p.settled_seq = given.seq OFFSET 0) AS held) AS given "
    "WHERE u.ctid = given.ctid";
constexpr char kDeletePeriods[] =
    "DELETE FROM priorityd.usage_pool_period WHERE cluster_id = $1 "
    "AND pool_id = ANY ($2::bigint[])";
constexpr char kInsertPeriods[] =
    "INSERT INTO priorityd.usage_pool_period (cluster_id, pool_id, begin_time, end_time, used) "
    "SELECT $1::integer, given.* FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[], "
    "$5::numeric[]) AS given";
constexpr char kAddToPeriods[] =
    "UPDATE priorityd.usage_pool_period u SET used = u.used + given.used "
    "FROM (SELECT given.used, held.ctid FROM unnest($2::bigint[], $3::timestamptz[], $4::numeric[])"
    " AS given (pool_id, begin_time, used) CROSS JOIN LATERAL (SELECT ctid "
    "FROM priorityd.usage_pool_period p WHERE p.cluster_id = $1 AND p.pool_id = given.pool_id "
    "AND p.begin_time = given.begin_time OFFSET 0) AS held) AS given WHERE u.ctid = given.ctid";
constexpr char kPathOf[] =
    "WITH RECURSIVE path AS ("
    "SELECT a.id, a.parent_id, a.account, a.user_name, 1 AS step "
    "FROM priorityd.association a WHERE a.cluster_id = $1 AND a.id = $2::bigint "
    "UNION ALL SELECT a.id, a.parent_id, a.account, a.user_name, p.step + 1 "
    "FROM path p JOIN priorityd.association a ON a.cluster_id = $1 AND a.id = p.parent_id) "
    "SELECT id, account, user_name FROM path ORDER BY step";
constexpr char kDeleteStandings[] =
    "DELETE FROM priorityd.grant_standing WHERE cluster_id = $1 AND place = ANY ($2::bigint[])";

struct StandingStatements {
  const ColumnTable<GrantStanding>& standings = GrantStandingColumns();
  std::string list = absl::StrCat("SELECT ", standings.Selected(), " FROM ", standings.Table(),
                                  " WHERE cluster_id = $1 ORDER BY place");
  std::string insert =
      absl::StrCat("INSERT INTO ", standings.Table(), " (", standings.Written("cluster_id, "),
                   ") SELECT $1::integer, ", standings.GivenValues(), " FROM ", standings.Given(2));
  std::string update = absl::StrCat(
      "UPDATE ", standings.Table(), " u SET ", standings.AssignGiven(),
      " FROM (SELECT given.*, held.ctid FROM ", standings.Given(2),
      " CROSS JOIN LATERAL (SELECT ctid FROM ", standings.Table(),
      " p WHERE p.cluster_id = $1 AND p.place = given.place OFFSET 0) AS held) AS given "
      "WHERE u.ctid = given.ctid");
};

const StandingStatements& StandingSql() {
  static const auto* const statements = new StandingStatements;
  return *statements;
}

bool StandingIsBefore(const GrantStanding& a, const GrantStanding& b) {
  const auto of = [](const GrantStanding& s) {
    return std::tie(s.place, s.name, s.accounts, s.user_name, s.tres, s.available, s.used,
                    s.until_time, s.ends, s.has_grace, s.has_borrow, s.has_others, s.consequence,
                    s.demoted_qos, s.consequence_value);
  };
  return of(a) < of(b);
}

UsagePool DecodePool(RowReader& row) {
  UsagePool pool;
  row.Read(&pool.id, &pool.accounts, &pool.user_name, &pool.tres, &pool.settled_seq,
           &pool.is_stale);
  return pool;
}

UsagePoolPeriod DecodePeriod(RowReader& row) {
  UsagePoolPeriod period;
  row.Read(&period.pool_id, &period.begin_time, &period.end_time, &period.used);
  return period;
}

PathStep DecodeStep(RowReader& row) {
  PathStep step;
  row.Read(&step.id, &step.account, &step.user_name);
  return step;
}

}  // namespace

const ColumnTable<GrantStanding>& GrantStandingColumns() {
  using C = ColumnTable<GrantStanding>;
  using S = GrantStanding;
  static const auto* const columns =
      new C("grant_standing", {"cluster_id"},
            {C::Key<&S::place>("place"), C::Value<&S::name>("name"),
             C::Value<&S::accounts>("accounts"), C::Value<&S::user_name>("user_name"),
             C::Value<&S::tres>("tres"), C::Value<&S::available>("available"),
             C::Value<&S::used>("used"), C::Value<&S::until_time>("until_time"),
             C::Value<&S::ends>("ends"), C::Value<&S::has_grace>("has_grace"),
             C::Value<&S::has_borrow>("has_borrow"), C::Value<&S::has_others>("has_others"),
             C::Value<&S::consequence>("consequence"), C::Value<&S::demoted_qos>("demoted_qos"),
             C::Value<&S::consequence_value>("consequence_value")});
  return *columns;
}

std::vector<GrantStanding> Without(const std::vector<GrantStanding>& standings,
                                   const std::vector<GrantStanding>& others) {
  std::vector<GrantStanding> rest;
  std::ranges::set_difference(standings, others, std::back_inserter(rest), StandingIsBefore);
  return rest;
}

absl::StatusOr<std::vector<UsagePool>> UsagePoolStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodePool, kListPools, {cluster_id});
}

absl::StatusOr<std::vector<UsagePoolPeriod>> UsagePoolStore::ListPeriods(
    int32_t cluster_id, const std::vector<int64_t>& ids) {
  if (ids.empty()) return std::vector<UsagePoolPeriod>();
  return transaction_.Query(DecodePeriod, kListPeriods, {cluster_id, ids});
}

absl::StatusOr<int64_t> UsagePoolStore::Insert(int32_t cluster_id, const UsagePool& pool) {
  return transaction_.QueryOne(
      OnlyColumn<int64_t>, kInsertPool,
      {cluster_id, pool.accounts, pool.user_name, pool.tres, pool.settled_seq, pool.is_stale});
}

absl::Status UsagePoolStore::Delete(int32_t cluster_id, const std::vector<int64_t>& ids) {
  if (ids.empty()) return absl::OkStatus();
  return transaction_.Execute(kDeletePools, {cluster_id, ids}).status();
}

absl::Status UsagePoolStore::DeleteWithoutGrant(int32_t cluster_id) {
  return transaction_.Execute(kDeleteWithoutGrant, {cluster_id}).status();
}

absl::Status UsagePoolStore::SetSettled(int32_t cluster_id, const std::vector<StoredPool>& pools,
                                        int64_t seq, bool summed_up) {
  if (pools.empty()) return absl::OkStatus();
  const auto column = [&](auto member) {
    return Column(pools, [member](const StoredPool& pool) { return pool.*member; });
  };
  auto rows = transaction_.Execute(kSetSettled, {cluster_id, column(&StoredPool::id),
                                                 column(&StoredPool::settled_seq), seq, summed_up});
  if (!rows.ok()) return rows.status();
  if (*rows == static_cast<int64_t>(pools.size())) return absl::OkStatus();
  return absl::AbortedError("the usage of grants was settled by another process");
}

absl::Status UsagePoolStore::ReplacePeriods(int32_t cluster_id, const std::vector<int64_t>& ids,
                                            absl::Span<const UsagePoolPeriod> periods) {
  auto deleted = transaction_.Execute(kDeletePeriods, {cluster_id, ids});
  if (!deleted.ok() || periods.empty()) return deleted.status();
  const auto column = [&](auto member) {
    return Column(periods, [member](const UsagePoolPeriod& period) { return period.*member; });
  };
  return transaction_
      .Execute(kInsertPeriods,
               {cluster_id, column(&UsagePoolPeriod::pool_id), column(&UsagePoolPeriod::begin_time),
                column(&UsagePoolPeriod::end_time), column(&UsagePoolPeriod::used)})
      .status();
}

absl::Status UsagePoolStore::AddToPeriods(int32_t cluster_id,
                                          absl::Span<const UsagePoolPeriod> changes) {
  if (changes.empty()) return absl::OkStatus();
  const auto column = [&](auto member) {
    return Column(changes, [member](const UsagePoolPeriod& period) { return period.*member; });
  };
  auto updated = transaction_.Execute(
      kAddToPeriods, {cluster_id, column(&UsagePoolPeriod::pool_id),
                      column(&UsagePoolPeriod::begin_time), column(&UsagePoolPeriod::used)});
  if (!updated.ok()) return updated.status();
  if (*updated == static_cast<int64_t>(changes.size())) return absl::OkStatus();
  return absl::InternalError("usage_pool_period: a period that was read does not exist");
}

absl::StatusOr<std::vector<PathStep>> UsagePoolStore::PathOf(int32_t cluster_id,
                                                             int64_t association_id) {
  return transaction_.Query(DecodeStep, kPathOf, {cluster_id, association_id});
}

absl::StatusOr<std::vector<GrantStanding>> UsagePoolStore::ListStandings(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<GrantStandingColumns>, StandingSql().list, {cluster_id});
}

absl::Status UsagePoolStore::ReplaceStandings(int32_t cluster_id,
                                              const std::vector<GrantStanding>& present,
                                              const std::vector<GrantStanding>& standings) {
  std::vector<int64_t> gone;
  for (const GrantStanding& old : Without(present, standings)) gone.push_back(old.place);
  if (!gone.empty()) {
    auto deleted = transaction_.Execute(kDeleteStandings, {cluster_id, gone});
    if (!deleted.ok()) return deleted.status();
  }
  const std::vector<GrantStanding> added = Without(standings, present);
  if (added.empty()) return absl::OkStatus();
  return transaction_
      .Execute(StandingSql().insert, GrantStandingColumns().Parameters(added, {cluster_id}))
      .status();
}

absl::Status UsagePoolStore::UpdateStandings(int32_t cluster_id,
                                             const std::vector<GrantStanding>& standings) {
  if (standings.empty()) return absl::OkStatus();
  auto updated = transaction_.Execute(StandingSql().update,
                                      GrantStandingColumns().Parameters(standings, {cluster_id}));
  if (!updated.ok()) return updated.status();
  if (*updated == static_cast<int64_t>(standings.size())) return absl::OkStatus();
  return absl::InternalError("grant_standing: a standing that was published does not exist");
}

}  // namespace priorityd::storage
