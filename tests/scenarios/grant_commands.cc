// Grants of usage: grant, grants, statement.
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/grants/settings.h"
#include "priority/v1/grant.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/enum_word.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

std::string OfSetting(const v1::Grant& grant, const std::string& name) {
  const auto found = grant.attributes().find(name);
  return found == grant.attributes().end() ? "-" : found->second;
}

std::string ToAnswer(const absl::StatusOr<v1::ChangeResponse>& response) {
  if (!response.ok()) return ErrorText(response.status());
  const bool changed = response->created() + response->updated() + response->deleted() > 0;
  return absl::StrCat(changed ? "ok" : "unchanged",
                      response->warnings().empty() ? "" : "\nwarning: ",
                      absl::StrJoin(response->warnings(), "\nwarning: "));
}

absl::StatusOr<std::string> SetGrant(Call& call, bool create) {
  v1::UpdateGrantsRequest request;
  request.add_names(call.arguments.Word("a name"));
  request.set_allow_missing(create);
  for (const std::string& name : grants::SettingNames()) {
    if (!call.arguments.Has(name)) continue;
    v1::Setting& setting = *request.add_settings();
    setting.set_name(name);
    setting.set_operator_(v1::SETTING_OPERATOR_SET);
    setting.set_value(call.arguments.Text(name));
  }
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return ToAnswer((*client)->UpdateGrants(request));
}

absl::StatusOr<std::string> Transfer(Call& call) {
  v1::TransferGrantRequest request;
  request.set_from(call.arguments.Word("the grant that gives"));
  request.set_to(call.arguments.Word("the grant that receives"));
  request.set_amount_minutes(call.arguments.Number("amount"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return ToAnswer((*client)->TransferGrant(request));
}

absl::StatusOr<std::string> Revoke(Call& call) {
  v1::RevokeGrantsRequest request;
  request.add_names(call.arguments.Word("a name"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return ToAnswer((*client)->RevokeGrants(request));
}

absl::StatusOr<std::string> ChangeGrant(Call& call) {
  const std::string verb = call.arguments.Word("create, update, transfer or revoke");
  if (verb == "create" || verb == "update") return SetGrant(call, verb == "create");
  if (verb == "transfer") return Transfer(call);
  if (verb == "revoke") return Revoke(call);
  return absl::InvalidArgumentError(
      absl::StrCat("got ", verb, ", want create, update, transfer or revoke"));
}

// The columns of a window.
std::vector<Column<v1::GrantBalance>> WindowColumns() {
  using Row = v1::GrantBalance;
  return {{"begin", [](const Row& r) { return ToText(FromProto(r.begin_time())); }},
          {"end",
           [](const Row& r) {
             return r.has_end_time() ? ToText(FromProto(r.end_time())) : std::string("-");
           }},
          {"granted", [](const Row& r) { return ToText(r.granted_minutes()); }},
          {"carried", [](const Row& r) { return ToText(r.carried_minutes()); }},
          {"repaid", [](const Row& r) { return ToText(r.repaid_minutes()); }},
          {"transferred", [](const Row& r) { return ToText(r.transferred_minutes()); }},
          {"available", [](const Row& r) { return ToText(r.available_minutes()); }},
          {"used", [](const Row& r) { return ToText(r.used_minutes()); }},
          {"left", [](const Row& r) { return ToText(r.left_minutes()); }},
          {"left_exact", [](const Row& r) { return r.left_tres_seconds(); }},
          {"beyond", [](const Row& r) { return ToText(r.beyond_minutes()); }}};
}

// Those of its present window, `-` before its begin, and its own.
std::vector<Column<v1::Grant>> GrantColumns() {
  using Row = v1::Grant;
  std::vector<Column<Row>> columns = {
      {"grant", [](const Row& r) { return r.name(); }},
      {"state",
       [](const Row& r) {
         return absl::AsciiStrToLower(EnumWord(v1::GrantState_Name(r.state()), "GRANT_STATE_"));
       }},
      {"running", [](const Row& r) { return ToText(r.running_minutes()); }}};
  for (const std::string& name : grants::SettingNames()) {
    columns.push_back({name, [name](const Row& r) { return OfSetting(r, name); }});
  }
  for (const Column<v1::GrantBalance>& column : WindowColumns()) {
    columns.push_back({column.name, [column](const Row& r) {
                         return r.has_balance() ? column.cell(r.balance()) : std::string("-");
                       }});
  }
  return columns;
}

absl::StatusOr<std::string> Grants(Call& call) {
  v1::ListGrantsRequest request;
  for (const std::string& account : call.arguments.List("account")) request.add_accounts(account);
  for (const std::string& user : call.arguments.List("user")) request.add_users(user);
  request.set_include_past(call.arguments.Flag("past"));
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListGrants(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::Grant>(response->grants(), GrantColumns(), columns);
}

absl::StatusOr<std::string> Statement(Call& call) {
  v1::GetGrantStatementRequest request;
  request.set_name(call.arguments.Word("a grant"));
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->GetGrantStatement(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::GrantBalance>(response->windows(), WindowColumns(), columns);
}

}  // namespace

void AddGrantCommands(Commands* commands) {
  (*commands)["grant"] = {ChangeGrant};
  (*commands)["grants"] = {.run = Grants, .reads_only = true};
  (*commands)["statement"] = {.run = Statement, .reads_only = true};
}

}  // namespace priorityd::scenarios
