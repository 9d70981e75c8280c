#include "storage/budget_event_store.h"

namespace priorityd::storage {
namespace {

constexpr char kListTold[] =
    "SELECT account, user_name, partition, qos, tres, percent FROM priorityd.budget_told "
    "WHERE cluster_id = $1";
constexpr char kAppend[] =
    "INSERT INTO priorityd.budget_event (cluster_id, account, user_name, partition, qos, tres, "
    "percent, limit_seconds, used_seconds, reached_at) "
    "SELECT $1::integer, account, user_name, partition, qos, tres, percent, limit_seconds, "
    "used_seconds, reached_at "
    "FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], "
    "$8::double precision[], $9::double precision[], $10::timestamptz[]) WITH ORDINALITY AS given "
    "(account, user_name, partition, qos, tres, percent, limit_seconds, used_seconds, reached_at, "
    "place) ORDER BY place";
constexpr char kTell[] =
    "INSERT INTO priorityd.budget_told (cluster_id, account, user_name, partition, qos, tres, "
    "percent) "
    "SELECT $1::integer, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], "
    "$7::integer[])";
constexpr char kForget[] =
    "DELETE FROM priorityd.budget_told t "
    "USING unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[]) AS "
    "given (account, user_name, partition, qos, tres, percent) "
    "WHERE t.cluster_id = $1 AND t.account = given.account AND t.user_name = given.user_name "
    "AND t.partition = given.partition AND t.qos = given.qos AND t.tres = given.tres "
    "AND t.percent = given.percent";
constexpr char kDeleteBefore[] =
    "DELETE FROM priorityd.budget_event WHERE cluster_id = $1 AND reached_at < $2::timestamptz";
constexpr char kList[] =
    "SELECT id, account, user_name, partition, qos, tres, percent, limit_seconds, used_seconds, "
    "reached_at FROM priorityd.budget_event "
    "WHERE cluster_id = $1 AND id > $2::bigint "
    "AND ($3::text[] = '{}' OR account = ANY ($3::text[])) "
    "AND ($4::text[] = '{}' OR user_name = ANY ($4::text[])) "
    "AND ($5::text[] = '{}' OR qos = ANY ($5::text[])) "
    "ORDER BY id LIMIT $6::bigint";

BudgetThreshold DecodeThreshold(RowReader& row) {
  BudgetThreshold threshold;
  row.Read(&threshold.account, &threshold.user_name, &threshold.partition, &threshold.qos,
           &threshold.tres, &threshold.percent);
  return threshold;
}

BudgetEvent DecodeEvent(RowReader& row) {
  BudgetEvent event;
  BudgetThreshold& threshold = event.threshold;
  row.Read(&event.id, &threshold.account, &threshold.user_name, &threshold.partition,
           &threshold.qos, &threshold.tres, &threshold.percent, &event.limit_seconds,
           &event.used_seconds, &event.reached_at);
  return event;
}

const BudgetThreshold& ThresholdOf(const BudgetThreshold& threshold) { return threshold; }
const BudgetThreshold& ThresholdOf(const BudgetEvent& event) { return event.threshold; }

// The cluster, and a column for each part of a threshold.
template <typename Row>
std::vector<Parameter> Keys(int32_t cluster_id, absl::Span<const Row> rows) {
  const auto column = [&](auto BudgetThreshold::*field) {
    return Column(rows, [field](const Row& row) { return ThresholdOf(row).*field; });
  };
  return {cluster_id,
          column(&BudgetThreshold::account),
          column(&BudgetThreshold::user_name),
          column(&BudgetThreshold::partition),
          column(&BudgetThreshold::qos),
          column(&BudgetThreshold::tres),
          column(&BudgetThreshold::percent)};
}

}  // namespace

absl::StatusOr<std::vector<BudgetThreshold>> BudgetEventStore::ListTold(int32_t cluster_id) {
  return transaction_.Query(DecodeThreshold, kListTold, {cluster_id});
}

absl::Status BudgetEventStore::Append(int32_t cluster_id, absl::Span<const BudgetEvent> events) {
  if (events.empty()) return absl::OkStatus();
  std::vector<Parameter> parameters = Keys(cluster_id, events);
  absl::Status told = transaction_.Execute(kTell, parameters).status();
  if (!told.ok()) return told;
  const auto add = [&](auto BudgetEvent::*field) {
    parameters.push_back(
        Column(events, [field](const BudgetEvent& event) { return event.*field; }));
  };
  add(&BudgetEvent::limit_seconds);
  add(&BudgetEvent::used_seconds);
  add(&BudgetEvent::reached_at);
  return transaction_.Execute(kAppend, parameters).status();
}

absl::Status BudgetEventStore::Forget(int32_t cluster_id,
                                      absl::Span<const BudgetThreshold> thresholds) {
  if (thresholds.empty()) return absl::OkStatus();
  return transaction_.Execute(kForget, Keys(cluster_id, thresholds)).status();
}

absl::Status BudgetEventStore::DeleteBefore(int32_t cluster_id, absl::Time time) {
  return transaction_.Execute(kDeleteBefore, {cluster_id, time}).status();
}

absl::StatusOr<std::vector<BudgetEvent>> BudgetEventStore::List(int32_t cluster_id,
                                                                const BudgetEventFilter& filter) {
  return transaction_.Query(
      DecodeEvent, kList,
      {cluster_id, filter.after_id, filter.accounts, filter.users, filter.qos, filter.limit});
}

}  // namespace priorityd::storage
