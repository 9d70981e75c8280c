// Budgets: budgets, budget-events, qos-usage, cost.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/budget.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

// An association or a QOS.
template <typename Row>
std::string OwnerOf(const Row& row) {
  if (!row.qos().empty()) return absl::StrCat("qos:", row.qos());
  return row.user().empty() ? row.account() : absl::StrCat(row.account(), "/", row.user());
}

const std::vector<Column<v1::Budget>>& BudgetColumns() {
  using Row = v1::Budget;
  static const auto* const kColumns = new std::vector<Column<Row>>{
      {"owner", OwnerOf<Row>},
      {"tres", [](const Row& r) { return r.tres().empty() ? "wall" : r.tres(); }},
      {"limit_minutes", [](const Row& r) { return ToText(r.limit_minutes()); }},
      {"used_minutes", [](const Row& r) { return ToText(r.used_minutes()); }},
      {"run_minutes", [](const Row& r) { return ToText(r.run_minutes()); }},
      {"left_minutes", [](const Row& r) { return ToText(r.left_minutes()); }},
      {"minutes_per_day", [](const Row& r) { return ToText(r.minutes_per_day()); }},
      {"runs_out", [](const Row& r) {
         return r.has_runs_out_time()
                    ? absl::FormatTime("%Y-%m-%dT%H:%MZ",
                                       FromProto(r.runs_out_time()) + absl::Seconds(1),
                                       absl::UTCTimeZone())
                    : "-";
       }}};
  return *kColumns;
}

absl::StatusOr<std::string> Budgets(Call& call) {
  v1::ListBudgetsRequest request;
  for (const std::string& account : call.arguments.List("account")) request.add_accounts(account);
  for (const std::string& user : call.arguments.List("user")) request.add_users(user);
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListAllBudgets(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::Budget>(response->budgets(), BudgetColumns(), columns);
}

const std::vector<Column<v1::BudgetEvent>>& EventColumns() {
  using Row = v1::BudgetEvent;
  static const auto* const kColumns = new std::vector<Column<Row>>{
      {"owner", OwnerOf<Row>},
      {"tres", [](const Row& r) { return r.tres().empty() ? "wall" : r.tres(); }},
      {"percent", [](const Row& r) { return absl::StrCat(r.percent()); }},
      {"limit_minutes", [](const Row& r) { return ToText(r.limit_minutes()); }},
      {"used_minutes", [](const Row& r) { return ToText(r.used_minutes()); }}};
  return *kColumns;
}

absl::StatusOr<std::string> BudgetEvents(Call& call) {
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListBudgetEvents({});
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::BudgetEvent>(response->events(), EventColumns(), columns);
}

const std::vector<Column<v1::BudgetPart>>& PartColumns() {
  using Row = v1::BudgetPart;
  static const auto* const kColumns = new std::vector<Column<Row>>{
      {"owner", [](const Row& r) { return OwnerOf(r.budget()); }},
      {"tres", [](const Row& r) { return r.budget().tres(); }},
      {"job_minutes", [](const Row& r) { return ToText(r.job_minutes()); }},
      {"part", [](const Row& r) { return ToText(r.part()); }},
      {"left_after_minutes", [](const Row& r) { return ToText(r.left_after_minutes()); }}};
  return *kColumns;
}

double Minutes(const v1::JobCost& cost, const char* tres) {
  const auto found = cost.tres_mins().find(tres);
  return found == cost.tres_mins().end() ? 0 : found->second;
}

// What it takes of budgets, or (`tres`) holds: billing and TRES-minutes.
absl::StatusOr<std::string> Cost(Call& call) {
  v1::EstimateJobCostRequest request;
  request.mutable_tracked();
  request.set_job_id(call.arguments.Word("a job_id"));
  const bool tres = call.arguments.Flag("tres");
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->EstimateJobCost(request);
  if (!response.ok()) return ErrorText(response.status());
  const v1::JobCost& cost = response->costs(0);
  if (!tres) return TableOf<v1::BudgetPart>(cost.budgets(), PartColumns(), columns);
  std::string text = absl::StrCat("billing ", ToText(cost.billing().billing()), "\n");
  for (const char* name : {"cpu", "mem", "gres/gpu", "billing"}) {
    absl::StrAppend(&text, name, " minutes ", ToText(Minutes(cost, name)), "\n");
  }
  return text;
}

}  // namespace

void AddBudgetCommands(Commands* commands) {
  (*commands)["budgets"] = {.run = Budgets, .reads_only = true};
  (*commands)["budget-events"] = {.run = BudgetEvents, .reads_only = true};
  (*commands)["cost"] = {.run = Cost, .reads_only = true};
}

}  // namespace priorityd::scenarios
