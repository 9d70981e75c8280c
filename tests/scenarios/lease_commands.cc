// Settings with an end: set, leases, end-lease, settings, and what the audit has of them.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "priority/v1/lease.pb.h"
#include "priority/v1/queue.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/enum_word.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"
#include "tests/scenarios/text_table.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

// Each line is an object after the change, or a warning.
std::string LeaseAnswer(const absl::StatusOr<v1::ChangeResponse>& response) {
  if (!response.ok()) return ErrorText(response.status());
  std::vector<std::string> lines;
  for (const v1::ConfigurationChange& change : response->changes()) {
    lines.push_back(absl::StrCat(change.object(), ": ", change.after()));
  }
  for (const std::string& warning : response->warnings()) {
    lines.push_back(absl::StrCat("warning: ", warning));
  }
  return lines.empty() ? "unchanged" : absl::StrJoin(lines, "\n");
}

// A line such as `fairshare=1000` or `qos+=high`.
void AddLeaseSetting(absl::string_view line,
                     google::protobuf::RepeatedPtrField<v1::Setting>* settings) {
  const size_t equals = line.find('=');
  absl::string_view name = line.substr(0, equals);
  v1::SettingOperator op = v1::SETTING_OPERATOR_SET;
  if (absl::EndsWith(name, "+")) op = v1::SETTING_OPERATOR_ADD;
  if (absl::EndsWith(name, "-")) op = v1::SETTING_OPERATOR_REMOVE;
  if (op != v1::SETTING_OPERATOR_SET) name.remove_suffix(1);
  v1::Setting* setting = settings->Add();
  setting->set_name(std::string(name));
  setting->set_operator_(op);
  setting->set_value(std::string(line.substr(equals + 1)));
}

template <typename Request>
void AddLeaseSettings(const Call& call, Request* request) {
  for (const absl::string_view line : absl::StrSplit(InputText(call), '\n', absl::SkipEmpty())) {
    AddLeaseSetting(line, request->mutable_settings());
  }
}

template <typename Request>
Request NamedWithSettings(const std::string& name, const Call& call) {
  Request request;
  request.add_names(name);
  AddLeaseSettings(call, &request);
  return request;
}

// A line such as `nice=-100` or `until=now+2hours`.
void AddLeaseOfJob(absl::string_view line, v1::UpdateJobsRequest* request) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
  if (parts.first == "from") return request->set_from(parts.second);
  if (parts.first == "until") return request->set_until(parts.second);
  int64_t value = 0;
  if (parts.first == "nice" && absl::SimpleAtoi(parts.second, &value)) {
    request->mutable_upserts(0)->set_nice(value);
  }
  request->mutable_update_mask()->add_paths(parts.first);
}

absl::StatusOr<std::string> SetJob(Call& call, const std::string& job) {
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  v1::UpdateJobsRequest request;
  request.add_upserts()->set_job_id(job);
  for (const absl::string_view line : absl::StrSplit(InputText(call), '\n', absl::SkipEmpty())) {
    AddLeaseOfJob(line, &request);
  }
  const auto response = (*client)->UpdateJobs(request);
  if (!response.ok()) return ErrorText(response.status());
  v1::ChangeResponse changes;
  *changes.mutable_changes() = response->leases();
  if (!changes.changes().empty()) return LeaseAnswer(changes);
  const v1::JobUpdateResult& result = response->upserts(0);
  return absl::StrCat(EnumWord(v1::UpdateOutcome_Name(result.outcome()), "UPDATE_OUTCOME_"), " ",
                      result.message());
}

absl::StatusOr<std::string> SetSettings(Call& call) {
  const std::string job = call.arguments.Text("job");
  if (!job.empty()) return SetJob(call, job);
  const std::string account = call.arguments.Text("account"), user = call.arguments.Text("user");
  const std::string qos = call.arguments.Text("qos");
  const std::string partition = call.arguments.Text("partition");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  if (!qos.empty()) {
    return LeaseAnswer((*client)->UpdateQos(NamedWithSettings<v1::UpdateQosRequest>(qos, call)));
  }
  if (!partition.empty()) {
    return LeaseAnswer((*client)->UpdatePartitions(
        NamedWithSettings<v1::UpdatePartitionsRequest>(partition, call)));
  }
  v1::UpdateAssociationsRequest request;
  request.mutable_where()->add_accounts(account);
  request.mutable_where()->add_users(user);
  AddLeaseSettings(call, &request);
  return LeaseAnswer((*client)->UpdateAssociations(request));
}

std::string SettingsOf(const v1::Lease& lease) {
  std::vector<std::string> texts;
  for (const v1::Setting& setting : lease.settings()) {
    const char* op = setting.operator_() == v1::SETTING_OPERATOR_ADD      ? "+="
                     : setting.operator_() == v1::SETTING_OPERATOR_REMOVE ? "-="
                                                                          : "=";
    texts.push_back(absl::StrCat(setting.name(), op, setting.value()));
  }
  return absl::StrJoin(texts, " ");
}

std::vector<Column<v1::Lease>> LeaseColumns() {
  using Row = v1::Lease;
  return {{"lease", [](const Row& r) { return ToText(static_cast<double>(r.id())); }},
          {"object", [](const Row& r) { return r.object(); }},
          {"settings", [](const Row& r) { return SettingsOf(r); }},
          {"begin", [](const Row& r) { return ToText(FromProto(r.begin_time())); }},
          {"end", [](const Row& r) { return ToText(FromProto(r.end_time())); }},
          {"state", [](const Row& r) {
             return absl::AsciiStrToLower(EnumWord(v1::LeaseState_Name(r.state()), "LEASE_STATE_"));
           }}};
}

absl::StatusOr<std::string> ListLeases(Call& call) {
  v1::ListLeasesRequest request;
  if (call.arguments.Flag("past")) {
    for (int state = v1::LEASE_STATE_PENDING; state <= v1::LEASE_STATE_CANCELLED; ++state) {
      request.add_states(static_cast<v1::LeaseState>(state));
    }
  }
  const std::vector<std::string> columns = call.arguments.List("columns");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListLeases(request);
  if (!response.ok()) return ErrorText(response.status());
  return TableOf<v1::Lease>(response->leases(), LeaseColumns(), columns);
}

absl::StatusOr<std::string> EndLease(Call& call) {
  v1::EndLeasesRequest request;
  int64_t id = 0;
  if (!absl::SimpleAtoi(call.arguments.Word("the number of a lease"), &id)) {
    return absl::InvalidArgumentError("got no number, want that of a lease");
  }
  request.add_ids(id);
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  return LeaseAnswer((*client)->EndLeases(request));
}

std::string LeasedLine(const v1::LeasedSetting& leased) {
  return absl::StrCat(leased.name(), "=", leased.value(), " until ",
                      ToText(FromProto(leased.until())), ", then ", leased.then());
}

absl::StatusOr<std::string> LeasedOfJob(Call& call, const std::string& job) {
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  v1::ListJobsRequest request;
  request.add_job_ids(job);
  const auto response = (*client)->ListAllJobs(request);
  if (!response.ok()) return ErrorText(response.status());
  std::vector<std::string> lines;
  for (const v1::TrackedJob& tracked : response->jobs()) {
    for (const v1::LeasedSetting& leased : tracked.leased()) lines.push_back(LeasedLine(leased));
  }
  return lines.empty() ? "no leases" : absl::StrJoin(lines, "\n");
}

// `Fairshare=1000 until 2026-01-05T12:00:00Z, then 200`, a line for each setting.
absl::StatusOr<std::string> LeasedSettings(Call& call) {
  const std::string job = call.arguments.Text("job");
  if (!job.empty()) return LeasedOfJob(call, job);
  v1::ListAssociationsRequest request;
  request.mutable_where()->add_accounts(call.arguments.Text("account"));
  request.mutable_where()->add_users(call.arguments.Text("user"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListAllAssociations(request);
  if (!response.ok()) return ErrorText(response.status());
  std::vector<std::string> lines;
  for (const v1::Association& association : response->associations()) {
    for (const v1::LeasedSetting& leased : association.leased()) {
      lines.push_back(LeasedLine(leased));
    }
  }
  return lines.empty() ? "no leases" : absl::StrJoin(lines, "\n");
}

// The begins and ends, oldest first.
absl::StatusOr<std::string> LeaseEvents(Call& call) {
  v1::ListAuditEventsRequest request;
  request.add_actions("LeaseBegin");
  request.add_actions("LeaseEnd");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ListAuditEvents(request);
  if (!response.ok()) return ErrorText(response.status());
  std::vector<std::string> lines;
  for (const v1::AuditEvent& event : response->events()) {
    lines.insert(lines.begin(), absl::StrCat(event.action(), " ", event.object(), ": ",
                                             event.before(), " -> ", event.after()));
  }
  return lines.empty() ? "none" : absl::StrJoin(lines, "\n");
}

}  // namespace

void AddLeaseCommands(Commands* commands) {
  (*commands)["set"] = {SetSettings, Input::kText};
  (*commands)["leases"] = {.run = ListLeases, .reads_only = true};
  (*commands)["end-lease"] = {EndLease};
  (*commands)["leased"] = {.run = LeasedSettings, .reads_only = true};
  (*commands)["lease-events"] = {.run = LeaseEvents, .reads_only = true};
}

}  // namespace priorityd::scenarios
