#include "storage/grants/budget_event_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kDeleteBefore[] =
    "DELETE FROM priorityd.budget_event WHERE cluster_id = $1 AND reached_at < $2::timestamptz";
constexpr char kFilter[] =
    " WHERE cluster_id = $1 AND id > $2::bigint "
    "AND ($3::text[] = '{}' OR account = ANY ($3::text[])) "
    "AND ($4::text[] = '{}' OR user_name = ANY ($4::text[])) "
    "AND ($5::text[] = '{}' OR qos = ANY ($5::text[])) "
    "ORDER BY id LIMIT $6::bigint";

struct Statements {
  const ColumnTable<BudgetEvent>& events = BudgetEventColumns();
  const ColumnTable<BudgetThreshold>& reported = BudgetReportedColumns();
  std::string append =
      absl::StrCat("INSERT INTO ", events.Table(), " (", events.Written("cluster_id, "),
                   ") SELECT $1::integer, ", events.Written(), " FROM ", events.GivenWithPlace(2),
                   " ORDER BY place");
  std::string list = absl::StrCat("SELECT ", events.Selected(), " FROM ", events.Table(), kFilter);
  std::string report =
      absl::StrCat("INSERT INTO ", reported.Table(), " (", reported.Written("cluster_id, "),
                   ") SELECT $1::integer, ", reported.Written(), " FROM ", reported.Given(2));
  std::string forget =
      absl::StrCat("DELETE FROM ", reported.Table(), " t USING ", reported.Given(2),
                   " WHERE t.cluster_id = $1 AND (", reported.Selected("t."), ") = (",
                   reported.Selected("given."), ")");
  std::string list_reported = absl::StrCat("SELECT ", reported.Selected(), " FROM ",
                                           reported.Table(), " WHERE cluster_id = $1");
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
}

}  // namespace

const ColumnTable<BudgetThreshold>& BudgetReportedColumns() {
  using C = ColumnTable<BudgetThreshold>;
  using T = BudgetThreshold;
  static const auto* const columns =
      new C("budget_told", {"cluster_id"},
            {C::Key<&T::account>("account"), C::Key<&T::user_name>("user_name"),
             C::Key<&T::partition>("partition"), C::Key<&T::qos>("qos"), C::Key<&T::tres>("tres"),
             C::Key<&T::percent>("percent"), C::Key<&T::grant_name>("grant_name"),
             C::Key<&T::grant_window>("grant_window")});
  return *columns;
}

const ColumnTable<BudgetEvent>& BudgetEventColumns() {
  using C = ColumnTable<BudgetEvent>;
  using E = BudgetEvent;
  using T = BudgetThreshold;
  static const auto* const columns = new C(
      "budget_event", {"cluster_id"},
      {C::ReadOnly<&E::id>("id"), C::Key<&E::threshold, &T::account>("account"),
       C::Key<&E::threshold, &T::user_name>("user_name"),
       C::Key<&E::threshold, &T::partition>("partition"), C::Key<&E::threshold, &T::qos>("qos"),
       C::Key<&E::threshold, &T::tres>("tres"), C::Key<&E::threshold, &T::percent>("percent"),
       C::Key<&E::threshold, &T::grant_name>("grant_name"),
       C::Key<&E::limit_seconds>("limit_seconds"), C::Key<&E::used_seconds>("used_seconds"),
       C::Key<&E::reached_at>("reached_at")});
  return *columns;
}

absl::StatusOr<std::vector<BudgetThreshold>> BudgetEventStore::ListReported(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<BudgetReportedColumns>, Sql().list_reported,
                            {cluster_id});
}

absl::Status BudgetEventStore::Append(int32_t cluster_id, absl::Span<const BudgetEvent> events) {
  if (events.empty()) return absl::OkStatus();
  std::vector<BudgetThreshold> reported;
  reported.reserve(events.size());
  for (const BudgetEvent& event : events) reported.push_back(event.threshold);
  absl::Status status =
      transaction_.Execute(Sql().report, BudgetReportedColumns().Parameters(reported, {cluster_id}))
          .status();
  if (!status.ok()) return status;
  return transaction_.Execute(Sql().append, BudgetEventColumns().Parameters(events, {cluster_id}))
      .status();
}

absl::Status BudgetEventStore::Forget(int32_t cluster_id,
                                      absl::Span<const BudgetThreshold> thresholds) {
  if (thresholds.empty()) return absl::OkStatus();
  return transaction_
      .Execute(Sql().forget, BudgetReportedColumns().Parameters(thresholds, {cluster_id}))
      .status();
}

absl::Status BudgetEventStore::DeleteBefore(int32_t cluster_id, absl::Time time) {
  return transaction_.Execute(kDeleteBefore, {cluster_id, time}).status();
}

absl::StatusOr<std::vector<BudgetEvent>> BudgetEventStore::List(int32_t cluster_id,
                                                                const BudgetEventFilter& filter) {
  return transaction_.Query(
      DecodeTableRow<BudgetEventColumns>, Sql().list,
      {cluster_id, filter.after_id, filter.accounts, filter.users, filter.qos, filter.limit});
}

}  // namespace priorityd::storage
