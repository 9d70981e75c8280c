// What operators do: import, apply, reset, rebuild.
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "priority/v1/admin_service.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

using Warnings = google::protobuf::RepeatedPtrField<std::string>;

std::string WithWarnings(const std::string& answer, const Warnings& warnings) {
  return absl::StrCat(
      answer, warnings.empty() ? "" : "\nwarning: ", absl::StrJoin(warnings, "\nwarning: "));
}

v1::FileKind KindOf(const std::string& word) {
  static const auto* const kKinds =
      new std::map<std::string, v1::FileKind>{{"slurm.conf", v1::FILE_KIND_SLURM_CONF},
                                              {"sacctmgr", v1::FILE_KIND_SACCTMGR_DUMP},
                                              {"qos", v1::FILE_KIND_QOS},
                                              {"usage", v1::FILE_KIND_USAGE}};
  const auto kind = kKinds->find(word);
  return kind == kKinds->end() ? v1::FILE_KIND_UNSPECIFIED : kind->second;
}

absl::StatusOr<std::string> Import(Call& call) {
  v1::ImportRequest request;
  v1::File* const file = request.add_files();
  file->set_name(call.arguments.Word("slurm.conf, sacctmgr, qos or usage"));
  file->set_kind(KindOf(file->name()));
  file->set_content(InputText(call));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  if (file->kind() == v1::FILE_KIND_UNSPECIFIED) {
    return absl::InvalidArgumentError("want slurm.conf, sacctmgr, qos or usage");
  }
  const auto response = (*client)->Import(request);
  return response.ok() ? WithWarnings("ok", response->warnings()) : ErrorText(response.status());
}

absl::StatusOr<std::string> Apply(Call& call) {
  v1::ApplyPolicyRequest request;
  request.set_retroactive(call.arguments.Flag("retroactive"));
  request.set_text(InputText(call));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ApplyPolicy(request);
  if (!response.ok()) return ErrorText(response.status());
  return WithWarnings(absl::StrCat("version ", response->policy().version()), response->warnings());
}

absl::StatusOr<std::string> ResetQos(Call& call) {
  v1::UpdateQosRequest request;
  request.add_names(call.arguments.Text("qos"));
  v1::Setting& setting = *request.add_settings();
  setting.set_name("RawUsage");
  setting.set_operator_(v1::SETTING_OPERATOR_SET);
  setting.set_value("0");
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->UpdateQos(request);
  return response.ok() ? "ok" : ErrorText(response.status());
}

absl::StatusOr<std::string> Reset(Call& call) {
  if (call.arguments.Has("qos")) return ResetQos(call);
  v1::ResetUsageRequest request;
  request.set_account(call.arguments.Text("account"));
  request.set_user(call.arguments.Text("user"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->ResetUsage(request);
  if (!response.ok()) return ErrorText(response.status());
  return absl::StrCat("associations ", response->associations(), ", reset at ",
                      ToText(FromProto(response->reset_at())));
}

absl::StatusOr<std::string> Rebuild(Call& call) {
  v1::RebuildUsageRequest request;
  request.set_validate_only(call.arguments.Flag("validate_only"));
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const auto response = (*client)->RebuildUsage(request, [](const auto&) {});
  if (!response.ok()) return ErrorText(response.status());
  return absl::StrCat("records ", response->records(), ", different rows ",
                      response->different_rows());
}

}  // namespace

void AddConfigurationCommands(Commands* commands) {
  (*commands)["import"] = {Import, Input::kText};
  (*commands)["apply"] = {Apply, Input::kText};
  (*commands)["reset"] = {Reset};
  (*commands)["rebuild"] = {Rebuild};
}

}  // namespace priorityd::scenarios
