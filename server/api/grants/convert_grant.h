// Converts grants to their messages.
#ifndef PRIORITYD_SERVER_API_GRANTS_CONVERT_GRANT_H_
#define PRIORITYD_SERVER_API_GRANTS_CONVERT_GRANT_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "engine/grants/balance.h"
#include "priority/v1/grant.pb.h"
#include "server/api/shared/administration_call.h"
#include "server/grants/grant_book.h"

namespace priorityd::rpc {

// All but the versions and running_minutes. `windows`: those up to `now`, oldest first.
void GrantToProto(const grants::StoredGrant& stored, const std::vector<grants::Balance>& windows,
                  absl::Time now, ::priority::v1::Grant* proto);
// With the proofs and addresses of authors only for operators.
void VersionsToProto(const grants::StoredGrant& stored, const Caller& caller,
                     ::priority::v1::Grant* proto);
// REQUIRES: CheckTransferred accepts the arguments.
grants::Amount AmountOf(double minutes, const std::string& tres_seconds);
void BalanceToProto(const grants::Balance& balance, ::priority::v1::GrantBalance* proto);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_GRANTS_CONVERT_GRANT_H_
