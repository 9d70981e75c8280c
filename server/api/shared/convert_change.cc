#include "server/api/shared/convert_change.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeKind;
using administration::SettingOperator;

constexpr size_t kMaxChangesListed = 10'000;

v1::ChangeKind KindToProto(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kCreated:
      return v1::CHANGE_KIND_CREATED;
    case ChangeKind::kUpdated:
      return v1::CHANGE_KIND_UPDATED;
    case ChangeKind::kDeleted:
      return v1::CHANGE_KIND_DELETED;
  }
  return v1::CHANGE_KIND_UNSPECIFIED;
}

SettingOperator ToOperator(v1::SettingOperator given) {
  if (given == v1::SETTING_OPERATOR_ADD) return SettingOperator::kAdd;
  if (given == v1::SETTING_OPERATOR_REMOVE) return SettingOperator::kRemove;
  return SettingOperator::kSet;
}

void CheckTerm(const char* field, bool is_given, const google::protobuf::Timestamp& time,
               bool may_lease, RequestViolations* violations) {
  if (!is_given) return;
  if (!may_lease) {
    violations->Add(field, "got a time, want none: this call creates no leases");
  } else if (!IsValid(time)) {
    violations->Add(field, "got an invalid time, want one of the years 1 to 9999");
  }
}

}  // namespace

void CheckOptions(const v1::ChangeOptions& options, RequestViolations* violations, bool may_lease) {
  violations->CheckText("options.etag", options.etag());
  violations->CheckText("options.comment", options.comment(), errors::kMaxCommentBytes);
  CheckTerm("options.from", options.has_from(), options.from(), may_lease, violations);
  CheckTerm("options.until", options.has_until(), options.until(), may_lease, violations);
}

void CheckSettings(const google::protobuf::RepeatedPtrField<v1::Setting>& settings,
                   RequestViolations* violations, const std::string& in) {
  violations->CheckCount(in, settings.size(), errors::kMaxSettings);
  if (static_cast<size_t>(settings.size()) > errors::kMaxSettings) return;
  for (int i = 0; i < settings.size(); ++i) {
    const v1::Setting& setting = settings[i];
    const std::string field = absl::StrCat(in, "[", i, "]");
    if (setting.name().empty()) violations->Add(field + ".name", "got none, want a word");
    violations->CheckText(field + ".name", setting.name());
    violations->CheckText(field + ".value", setting.value(), errors::kMaxExpressionBytes);
    if (v1::SettingOperator_IsValid(setting.operator_())) continue;
    violations->Add(field + ".operator", absl::StrCat("got ", static_cast<int>(setting.operator_()),
                                                      ", want one of SettingOperator"));
  }
}

std::vector<administration::Setting> ToSettings(
    const google::protobuf::RepeatedPtrField<v1::Setting>& settings) {
  std::vector<administration::Setting> converted;
  for (const v1::Setting& setting : settings) {
    converted.push_back({setting.name(), ToOperator(setting.operator_()), setting.value()});
  }
  return converted;
}

void ToProto(const administration::ChangeResult& result, v1::ChangeResponse* response) {
  const auto& changes = result.list.changes();
  for (size_t i = 0; i < std::min(kMaxChangesListed, changes.size()); ++i) {
    v1::ConfigurationChange* change = response->add_changes();
    change->set_kind(KindToProto(changes[i].kind));
    change->set_object(changes[i].object);
    change->set_before(changes[i].before);
    change->set_after(changes[i].after);
    change->set_cluster(changes[i].cluster);
  }
  const administration::Counts& counts = result.list.counts();
  response->set_created(counts.created);
  response->set_updated(counts.updated);
  response->set_deleted(counts.deleted);
  response->set_unchanged(counts.unchanged);
  for (const std::string& warning : result.list.warnings()) response->add_warnings(warning);
  response->set_etag(result.etag);
}

}  // namespace priorityd::rpc
