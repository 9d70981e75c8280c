#include "server/api/grants/convert_grant.h"

#include <string>

#include "server/administration/grants/grant_change.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

v1::GrantState StateOf(const grants::StoredGrant& stored,
                       const std::vector<grants::Balance>& windows, absl::Time now) {
  if (stored.row.revoked_at.has_value() && *stored.row.revoked_at <= now) {
    return v1::GRANT_STATE_REVOKED;
  }
  if (now < stored.grant.begin) return v1::GRANT_STATE_NOT_BEGUN;
  if (stored.grant.end <= now) return v1::GRANT_STATE_ENDED;
  return windows.back().exhausted() ? v1::GRANT_STATE_EXHAUSTED : v1::GRANT_STATE_ACTIVE;
}

}  // namespace

void BalanceToProto(const grants::Balance& balance, v1::GrantBalance* proto) {
  ToProto(balance.begin, proto->mutable_begin_time());
  if (balance.end != absl::InfiniteFuture()) ToProto(balance.end, proto->mutable_end_time());
  proto->set_granted_minutes(balance.granted.minutes());
  proto->set_carried_minutes(balance.carried.minutes());
  proto->set_repaid_minutes(balance.repaid.minutes());
  proto->set_transferred_minutes(balance.transferred.minutes());
  proto->set_available_minutes(balance.available().minutes());
  proto->set_used_minutes(balance.used.minutes());
  proto->set_left_minutes(balance.left().minutes());
  proto->set_left_tres_seconds(balance.left().ToDecimal());
  proto->set_used_tres_seconds(balance.used.ToDecimal());
  proto->set_available_tres_seconds(balance.available().ToDecimal());
  proto->set_beyond_minutes(balance.beyond.minutes());
}

void VersionsToProto(const grants::StoredGrant& stored, const Caller& caller, v1::Grant* proto) {
  for (size_t i = 0; i < stored.versions.size(); ++i) {
    const storage::GrantVersion& version = stored.versions[i];
    v1::GrantVersion* to = proto->add_versions();
    to->set_amount_minutes(stored.grant.versions[i].amount.minutes());
    ToProto(version.effective_at, to->mutable_effective_time());
    to->set_changed_by(ShownPrincipal(caller, version.changed_by));
    to->set_comment(version.comment);
  }
}

void GrantToProto(const grants::StoredGrant& stored, const std::vector<grants::Balance>& windows,
                  absl::Time now, v1::Grant* proto) {
  proto->set_name(stored.row.name);
  for (auto& [name, value] : administration::AttributesOf(stored)) {
    (*proto->mutable_attributes())[name] = value;
  }
  proto->set_state(StateOf(stored, windows, now));
  if (!windows.empty()) BalanceToProto(windows.back(), proto->mutable_balance());
}

grants::Amount AmountOf(double minutes, const std::string& tres_seconds) {
  if (tres_seconds.empty()) return grants::Amount::FromMinutes(minutes);
  return grants::Amount::FromDecimal(tres_seconds).value_or(grants::Amount());
}

}  // namespace priorityd::rpc
