// Usage: record, void, shares, report.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/report.pb.h"
#include "priority/v1/share.pb.h"
#include "priority/v1/usage.pb.h"
#include "priority/v1/usage_void.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/enum_word.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

void ReadCounters(Arguments& arguments, v1::UsageCounters* counters) {
  for (const auto& [name, count] : arguments.Tres())
    (*counters->mutable_tres_seconds())[name] = count;
  if (arguments.Has("billing")) counters->set_billing_seconds(arguments.Number("billing"));
}

void ReadAmount(Arguments& arguments, v1::UsageRecord* record) {
  record->set_record_id(arguments.Word("a record_id"));
  record->set_replaces_record_id(arguments.Text("replaces"));
  for (const auto& [name, count] : arguments.Tres()) (*record->mutable_tres())[name] = count;
  if (arguments.Has("billing")) record->set_billing(arguments.Number("billing"));
}

void ReadRecord(const Call& call, Arguments& arguments, v1::UsageRecord* record) {
  record->set_source("collector");
  if (arguments.Flag("counters")) {
    ReadCounters(arguments, record->mutable_counters());
  } else {
    ReadAmount(arguments, record);
  }
  record->set_job_id(arguments.Text("job"));
  record->set_user(arguments.Text("user"));
  record->set_account(arguments.Text("account"));
  record->set_partition(arguments.Text("partition"));
  record->set_qos(arguments.Text("qos"));
  ToProto(arguments.Time("start", call.site.now()), record->mutable_start_time());
  ToProto(arguments.Time("end", call.site.now()), record->mutable_end_time());
}

std::string ToAnswer(const v1::UsageRecord& record, const v1::UsageRecordResult& result) {
  const std::string& id = record.has_counters() ? record.job_id() : record.record_id();
  const std::string reason =
      result.reason() == v1::REJECTION_REASON_UNSPECIFIED
          ? ""
          : absl::StrCat(" ",
                         EnumWord(v1::RejectionReason_Name(result.reason()), "REJECTION_REASON_"));
  return absl::StrCat(id, " ",
                      EnumWord(v1::UsageRecordStatus_Name(result.status()), "USAGE_RECORD_STATUS_"),
                      reason, "\n");
}

absl::StatusOr<std::string> Record(Call& call) {
  v1::RecordUsageRequest request;
  const absl::Status read =
      ForEachLine(call, [&](Arguments& line) { ReadRecord(call, line, request.add_records()); });
  if (!read.ok()) return read;
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->RecordUsage(request);
  if (!response.ok()) return ErrorText(response.status());
  std::string answer;
  for (int i = 0; i < request.records_size(); ++i) {
    absl::StrAppend(&answer, ToAnswer(request.records(i), response->results(i)));
  }
  return answer;
}

// VoidUsage, round by round.
absl::StatusOr<std::string> Void(Call& call) {
  v1::VoidUsageRequest request;
  v1::UsageVoidFilter& filter = *request.mutable_filter();
  for (const std::string& job : call.arguments.List("job")) filter.add_job_ids(job);
  for (const std::string& user : call.arguments.List("user")) filter.add_users(user);
  for (const std::string& account : call.arguments.List("account")) filter.add_accounts(account);
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  while (true) {
    const auto response = (*client)->VoidUsage(request);
    if (!response.ok()) return ErrorText(response.status());
    if (response->done()) {
      return absl::StrCat("records ", response->records(), ", billing-seconds ",
                          ToText(response->usage()));
    }
    request.clear_filter();
    request.set_void_id(response->void_id());
  }
}

std::string LevelFs(const v1::AssociationShare& share) {
  if (share.level_fs_infinite()) return "inf";
  return share.has_level_fs() ? ToText(share.level_fs()) : "-";
}

// Set in by how far it lies below root.
std::string Association(const v1::AssociationShare& share) {
  return absl::StrCat(std::string(share.depth(), ' '),
                      share.user().empty() ? share.account() : share.user());
}

const std::vector<Column<v1::AssociationShare>>& ShareColumns() {
  using Share = v1::AssociationShare;
  static const auto* const kColumns = new std::vector<Column<Share>>{
      {"association", Association},
      {"raw_shares",
       [](const Share& s) { return s.parent_shares() ? "parent" : ToText(s.raw_shares() * 1.0); }},
      {"level_shares", [](const Share& s) { return ToText(s.level_shares()); }},
      {"norm_shares", [](const Share& s) { return ToText(s.norm_shares()); }},
      {"raw_usage", [](const Share& s) { return ToText(s.raw_usage()); }},
      {"reserved_usage", [](const Share& s) { return ToText(s.reserved_usage()); }},
      {"norm_usage", [](const Share& s) { return ToText(s.norm_usage()); }},
      {"effective_usage", [](const Share& s) { return ToText(s.effective_usage()); }},
      {"level_fs", LevelFs},
      {"fair_share",
       [](const Share& s) { return s.has_fair_share() ? ToText(s.fair_share()) : "-"; }},
      {"cpu_seconds",
       [](const Share& s) {
         const auto cpu = s.tres_usage().find("cpu");
         return ToText(cpu == s.tres_usage().end() ? 0 : cpu->second);
       }},
      {"wall_seconds",
       [](const Share& s) { return ToText(absl::ToDoubleSeconds(FromProto(s.wall_usage()))); }}};
  return *kColumns;
}

absl::StatusOr<std::string> Shares(Call& call) {
  std::vector<std::string> columns = call.arguments.List("columns");
  const std::vector<std::string> users = call.arguments.List("user");
  const std::vector<std::string> accounts = call.arguments.List("account");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListAllShares({});
  if (!response.ok()) return ErrorText(response.status());
  columns.insert(columns.begin(), "association");
  std::vector<v1::AssociationShare> rows;
  for (const v1::AssociationShare& share : response->shares()) {
    const bool wanted = share.user().empty() ? absl::c_linear_search(accounts, share.account())
                                             : absl::c_linear_search(users, share.user());
    if (wanted || (users.empty() && accounts.empty())) rows.push_back(share);
  }
  return TableOf<v1::AssociationShare>(rows, ShareColumns(), columns);
}

double TresSeconds(const v1::UsageReportRow& row, const char* name) {
  const auto amount = row.tres_seconds().find(name);
  return amount == row.tres_seconds().end() ? 0 : amount->second;
}

const std::vector<Column<v1::UsageReportRow>>& ReportColumns() {
  using Row = v1::UsageReportRow;
  static const auto* const kColumns = new std::vector<Column<Row>>{
      {"account", [](const Row& r) { return r.account(); }},
      {"user", [](const Row& r) { return r.user(); }},
      {"qos", [](const Row& r) { return r.qos(); }},
      {"cpu_seconds", [](const Row& r) { return ToText(TresSeconds(r, "cpu")); }},
      {"billing_seconds", [](const Row& r) { return ToText(TresSeconds(r, "billing")); }},
      {"wall_seconds", [](const Row& r) { return ToText(r.wall_seconds()); }}};
  return *kColumns;
}

absl::StatusOr<std::string> Report(Call& call) {
  v1::ReportUsageRequest request;
  const std::vector<std::string> columns = call.arguments.List("columns");
  for (const std::string& by : call.arguments.List("by")) {
    v1::ReportGrouping grouping = v1::REPORT_GROUPING_UNSPECIFIED;
    v1::ReportGrouping_Parse(absl::StrCat("REPORT_GROUPING_", absl::AsciiStrToUpper(by)),
                             &grouping);
    request.add_group_by(grouping);
  }
  ToProto(call.arguments.Time("start", call.site.now()), request.mutable_start_time());
  ToProto(call.arguments.Time("end", call.site.now()), request.mutable_end_time());
  request.set_apply_usage_factor(call.arguments.Flag("usage_factor"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ReportAllUsage(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::UsageReportRow>(response->rows(), ReportColumns(), columns);
}

}  // namespace

void AddUsageCommands(Commands* commands) {
  (*commands)["record"] = {Record, Input::kLines};
  (*commands)["void"] = {Void};
  (*commands)["shares"] = {Shares, Input::kNone, true};
  (*commands)["report"] = {Report, Input::kNone, true};
}

}  // namespace priorityd::scenarios
