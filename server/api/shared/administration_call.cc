#include "server/api/shared/administration_call.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/priority/site/microseconds.h"
#include "server/api/shared/convert_change.h"
#include "server/api/shared/lease_term.h"

namespace priorityd::rpc {
namespace v1 = ::priority::v1;

// See Caller::ToString.
std::optional<storage::LeaseAuthors> LeaseShareOf(const Caller& caller) {
  using authorization::Role;
  if (caller.roles.HasAnyOf({Role::kOperator, Role::kAdministrator})) return std::nullopt;
  const std::string& behalf = caller.on_behalf_of;
  return storage::LeaseAuthors{
      absl::StrCat(
          caller.principal.is_user() ? caller.principal.name : caller.principal.qualified(), " ("),
      behalf.empty() ? ")" : absl::StrCat(") on behalf of ", behalf)};
}

bool IsService(const Caller& caller) {
  return caller.on_behalf_of.empty() && caller.holder().is_service;
}

administration::TreeRights RightsOf(const Caller& caller) {
  administration::TreeRights rights;
  rights.is_administrator = caller.roles.Has(authorization::Role::kAdministrator);
  rights.is_operator = rights.is_administrator || caller.roles.Has(authorization::Role::kOperator);
  rights.user = caller.user();
  rights.coordinated.insert(caller.coordinated.begin(), caller.coordinated.end());
  rights.caller = caller.ToString();
  return rights;
}

std::string ShownPrincipal(const Caller& caller, const std::string& principal) {
  return RightsOf(caller).is_operator ? principal : principal.substr(0, principal.find(" ("));
}

absl::Time ClockOf(const AdministrationCall& call) { return ClockOf(call, call.cluster); }

absl::Time ClockOf(const AdministrationCall& call, const std::string& cluster) {
  const auto snapshot = call.registry.Find(cluster);
  const bool is_manual =
      snapshot.ok() && (*snapshot)->policy().clock == priority::ClockMode::kManual;
  return is_manual ? (*snapshot)->computed_at() : priority::CutToMicroseconds(call.now);
}

administration::ChangeFrame FrameOf(const AdministrationCall& call,
                                    const v1::ChangeOptions& options) {
  administration::ChangeFrame frame;
  frame.cluster = call.cluster;
  frame.action = std::string(authorization::NameOf(call.rpc));
  frame.etag = options.etag();
  frame.comment = options.comment();
  frame.context = {call.caller.ToString(), call.now, options.validate_only()};
  frame.time = ClockOf(call);
  frame.share = LeaseShareOf(call.caller);
  frame.is_service = IsService(call.caller);
  const auto snapshot = call.registry.Find(call.cluster);
  if (snapshot.ok()) frame.zone = (*snapshot)->policy().time_zone;
  return frame;
}

absl::StatusOr<LeaseOrChange> LeaseOf(
    const AdministrationCall& call, const v1::ChangeOptions& options, const char* kind,
    const google::protobuf::RepeatedPtrField<v1::Setting>& settings) {
  LeaseOrChange change{FrameOf(call, options), ToSettings(settings)};
  const auto period =
      TakeLeasePeriod(options, change.frame.time, change.frame.zone, &change.settings);
  if (!period.ok()) return period.status();
  if (!period->has_value()) return change;
  // Without a snapshot, a manual clock has no time.
  const auto snapshot = call.registry.Find(call.cluster);
  if (!snapshot.ok()) return snapshot.status();
  change.frame.lease = administration::LeaseTerm{
      .kind = kind, .settings = change.settings, .begin = (*period)->begin, .end = (*period)->end};
  return change;
}

absl::Status Answer(const AdministrationCall& call, const v1::ChangeOptions& options,
                    const absl::StatusOr<administration::ChangeResult>& result,
                    v1::ChangeResponse* response) {
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  if (!result->list.counts().changed() || options.validate_only()) return absl::OkStatus();
  using Pace = recalculation::RecalculationLoop::Pace;
  PutInForce(call.loop, call.cluster, Pace::kSoon, response);
  std::set<std::string> others;
  for (const administration::Change& change : result->list.changes()) others.insert(change.cluster);
  others.erase("");
  for (const std::string& other : others) {
    v1::ChangeResponse of_other;  // The answer states the time of the call's cluster.
    PutInForce(call.loop, other, Pace::kSoon, &of_other);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
