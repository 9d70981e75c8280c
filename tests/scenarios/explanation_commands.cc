// Why, and what if: explain, compare, what-if.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "priority/v1/comparison.pb.h"
#include "priority/v1/explanation.pb.h"
#include "priority/v1/simulation.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/enum_word.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

const std::vector<Column<v1::FactorExplanation>>& FactorColumns() {
  using Factor = v1::FactorExplanation;
  static const auto* const kColumns = new std::vector<Column<Factor>>{
      {"name", [](const Factor& f) { return f.name(); }},
      {"factor", [](const Factor& f) { return ToText(f.factor()); }},
      {"weight", [](const Factor& f) { return ToText(f.weight()); }},
      {"contribution", [](const Factor& f) { return ToText(f.contribution()); }},
      {"raw_input", [](const Factor& f) { return f.raw_input(); }}};
  return *kColumns;
}

const std::vector<Column<v1::BillingTerm>>& BillingColumns() {
  using Term = v1::BillingTerm;
  static const auto* const kColumns = new std::vector<Column<Term>>{
      {"tres", [](const Term& t) { return t.tres(); }},
      {"count", [](const Term& t) { return ToText(t.count()); }},
      {"weight", [](const Term& t) { return ToText(t.weight()); }},
      {"value", [](const Term& t) { return ToText(t.value()); }},
      {"counted", [](const Term& t) { return t.counted() ? "yes" : "no"; }}};
  return *kColumns;
}

const std::vector<Column<v1::OrderChange>>& ChangeColumns() {
  using Change = v1::OrderChange;
  static const auto* const kColumns = new std::vector<Column<Change>>{
      {"change",
       [](const Change& c) {
         return EnumWord(v1::OrderChangeKind_Name(c.kind()), "ORDER_CHANGE_KIND_");
       }},
      {"possible", [](const Change& c) { return c.possible() ? "yes" : "no"; }},
      {"from", [](const Change& c) { return ToText(c.from()); }},
      {"to", [](const Change& c) { return c.possible() ? ToText(c.to()) : "-"; }},
      {"wait",
       [](const Change& c) { return c.has_duration() ? ToText(FromProto(c.duration())) : "-"; }}};
  return *kColumns;
}

// The columns asked for, or all of them.
template <typename Row, typename Rows>
absl::StatusOr<std::string> Table(const Rows& rows, const std::vector<Column<Row>>& known,
                                  std::vector<std::string> names) {
  if (names.empty()) {
    for (const Column<Row>& column : known) names.push_back(column.name);
  }
  return TableOf<Row>(rows, known, names);
}

v1::ExplainPriorityRequest RequestFor(Call& call) {
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id(call.arguments.Word("a job_id"));
  if (call.site.now().has_value()) ToProto(*call.site.now(), request.mutable_as_of());
  return request;
}

absl::StatusOr<std::string> Explain(Call& call) {
  const v1::ExplainPriorityRequest request = RequestFor(call);
  const bool billing = call.arguments.Flag("billing");
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ExplainPriority(request);
  if (!response.ok()) return ErrorText(response.status());
  auto table = billing ? Table(response->billing().terms(), BillingColumns(), columns)
                       : Table(response->factors(), FactorColumns(), columns);
  if (!table.ok()) return table;
  if (billing) {
    return absl::StrCat(*table, response->billing().rule(), " ",
                        ToText(response->billing().billing()));
  }
  return absl::StrCat(*table, "sum ", ToText(response->sum()));
}

absl::StatusOr<std::string> Compare(Call& call) {
  v1::ExplainPriorityRequest request = RequestFor(call);
  request.mutable_compare_to()->set_job_id(call.arguments.Word("another job_id"));
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ExplainPriority(request);
  if (!response.ok()) return ErrorText(response.status());
  const v1::Comparison& comparison = response->comparison();
  const auto changes = Table(comparison.changes(), ChangeColumns(), columns);
  if (!changes.ok()) return changes;
  return absl::StrCat(comparison.first_job_id(), " is first by ",
                      EnumWord(v1::OrderRule_Name(comparison.rule()), "ORDER_RULE_"), "\n",
                      *changes);
}

// `chem-2026 Amount=100 Consequence=demote:low`, or `chem-2026 revoked`.
void ReadSupposedGrant(Arguments& line, v1::SimulateRequest* request) {
  v1::SupposedGrant* const grant = request->add_grants();
  grant->set_name(line.Word("a grant"));
  grant->set_revoked(line.Flag("revoked"));
  for (const char* name :
       {"Accounts", "User", "TRES", "Amount", "Begin", "Window", "Consequence"}) {
    if (!line.Has(name)) continue;
    v1::Setting* const setting = grant->add_settings();
    setting->set_name(name);
    setting->set_operator_(v1::SETTING_OPERATOR_SET);
    setting->set_value(line.Text(name));
  }
}

// `physics user=amy raw_shares=3`, or `usage=`; or `grant` and a grant.
void ReadSupposition(Arguments& line, v1::SimulateRequest* request) {
  const std::string account = line.Word("an account, or grant");
  if (account == "grant") return ReadSupposedGrant(line, request);
  const std::string user = line.Text("user");
  if (line.Has("raw_shares")) {
    v1::SupposedShares* const shares = request->add_shares();
    shares->set_account(account);
    shares->set_user(user);
    shares->set_raw_shares(static_cast<uint32_t>(line.Number("raw_shares")));
  } else {
    v1::SupposedUsage* const usage = request->add_usage();
    usage->set_account(account);
    usage->set_user(user);
    usage->set_usage(line.Number("usage"));
  }
}

std::string Priority(const v1::SimulatedPlace& place) {
  return place.has_priority() ? absl::StrCat(place.priority()) : "-";
}

const std::vector<Column<v1::SimulatedRow>>& SimulationColumns() {
  using Row = v1::SimulatedRow;
  static const auto* const kColumns = new std::vector<Column<Row>>{
      {"job", [](const Row& r) { return r.job_id(); }},
      {"rank_before", [](const Row& r) { return absl::StrCat(r.before().rank()); }},
      {"rank_after", [](const Row& r) { return absl::StrCat(r.after().rank()); }},
      {"priority_before", [](const Row& r) { return Priority(r.before()); }},
      {"priority_after", [](const Row& r) { return Priority(r.after()); }}};
  return *kColumns;
}

// The sentences about the owners of supposed grants.
std::string GrantLines(const v1::SimulateResponse& response) {
  std::string lines;
  for (const v1::SupposedGrantEffect& effect : response.grant_effects()) {
    absl::StrAppend(&lines, "before: ", effect.has_before() ? effect.before().text() : "-", "\n",
                    "after: ", effect.has_after() ? effect.after().text() : "-", "\n");
  }
  return lines;
}

absl::StatusOr<std::string> WhatIf(Call& call) {
  v1::SimulateRequest request;
  request.mutable_tracked();
  const std::vector<std::string> columns = call.arguments.List("columns");
  if (call.site.now().has_value()) {
    ToProto(*call.site.now(), request.mutable_as_of());
    ToProto(*call.site.now() + call.arguments.Duration("later"), request.mutable_later());
  }
  const absl::Status read =
      ForEachLine(call, [&](Arguments& line) { ReadSupposition(line, &request); });
  if (!read.ok()) return read;
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->Simulate(request);
  if (!response.ok()) return ErrorText(response.status());
  const auto rows = Table(response->rows(), SimulationColumns(), columns);
  if (!rows.ok()) return rows;
  return absl::StrCat(GrantLines(*response), *rows);
}

}  // namespace

void AddExplanationCommands(Commands* commands) {
  (*commands)["explain"] = {Explain, Input::kNone, true};
  (*commands)["compare"] = {Compare, Input::kNone, true};
  (*commands)["what-if"] = {WhatIf, Input::kLines, true};
}

}  // namespace priorityd::scenarios
