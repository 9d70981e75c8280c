#include "storage/jobs/forecast_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

constexpr char kLast[] =
    "SELECT coalesce(max(number), 0) FROM priorityd.forecast_event WHERE cluster_id = $1";
constexpr char kRequireWritable[] = "SELECT priorityd.require_writable($1::integer)";
constexpr char kDeleteUntil[] =
    "DELETE FROM priorityd.forecast_event WHERE cluster_id = $1 AND number <= $2::bigint";

struct Statements {
  const ColumnTable<ForecastEventRow>& events = ForecastEventColumns();
  // A replica that led before this one may have added events that this one has not read.
  std::string append =
      absl::StrCat("INSERT INTO ", events.Table(), " (", events.Written("cluster_id, "),
                   ") SELECT $1::integer, ", events.Written(), " FROM ", events.Given(2),
                   " ON CONFLICT DO NOTHING");
  std::string list =
      absl::StrCat("SELECT ", events.Selected(), " FROM ", events.Table(),
                   " WHERE cluster_id = $1 AND number > $2::bigint ORDER BY number LIMIT $3");
};

const Statements& Sql() {
  static const auto* const statements = new Statements;
  return *statements;
}

}  // namespace

const ColumnTable<ForecastEventRow>& ForecastEventColumns() {
  using C = ColumnTable<ForecastEventRow>;
  using E = ForecastEventRow;
  static const auto* const columns = new C(
      "forecast_event", {"cluster_id"},
      {C::Key<&E::number>("number"), C::Value<&E::kind>("kind"), C::Value<&E::at>("at_time"),
       C::Value<&E::job_id>("job_id"), C::Value<&E::cpus>("cpus"),
       C::Value<&E::time_limit>("time_limit"), C::Value<&E::user>("user_name"),
       C::Value<&E::account>("account"), C::Value<&E::partition>("partition"),
       C::Value<&E::qos>("qos"), C::Value<&E::jobs_ahead>("jobs_ahead"),
       C::Value<&E::work_ahead>("work_ahead"), C::Value<&E::priority>("priority"),
       C::Value<&E::fair_share>("fair_share"), C::Value<&E::held_by_limit>("held_by_limit"),
       C::Value<&E::planned_wait>("planned_wait"), C::Value<&E::expected_wait>("expected_wait"),
       C::Value<&E::earliest_wait>("earliest_wait")});
  return *columns;
}

absl::StatusOr<int64_t> ForecastStore::Last(int32_t cluster_id) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kLast, {cluster_id});
}

absl::Status ForecastStore::Append(int32_t cluster_id,
                                   const std::vector<ForecastEventRow>& events) {
  if (events.empty()) return absl::OkStatus();
  const auto writable = transaction_.Execute(kRequireWritable, {cluster_id});
  if (!writable.ok()) return writable.status();
  const auto added =
      transaction_.Execute(Sql().append, Sql().events.Parameters(events, {cluster_id}));
  if (!added.ok()) return added.status();
  if (*added == static_cast<int64_t>(events.size())) return absl::OkStatus();
  return absl::AlreadyExistsError("forecast_event: another replica added events");
}

absl::StatusOr<std::vector<ForecastEventRow>> ForecastStore::List(int32_t cluster_id, int64_t after,
                                                                  int64_t limit) {
  return transaction_.Query(DecodeTableRow<ForecastEventColumns>, Sql().list,
                            {cluster_id, after, limit});
}

absl::Status ForecastStore::DeleteUntil(int32_t cluster_id, int64_t number) {
  return transaction_.Execute(kDeleteUntil, {cluster_id, number}).status();
}

}  // namespace priorityd::storage
