// The engine's PolicyLint to LintPolicyResponse.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_LINT_H_
#define PRIORITYD_SERVER_RPC_CONVERT_LINT_H_

#include "priority/v1/lint.pb.h"
#include "server/explanation/policy_lint.h"
#include "server/priority/snapshot.h"

namespace priorityd::rpc {

// Fills everything but as_of.
void ToProto(const priority::Snapshot& snapshot, const explanation::PolicyLint& lint,
             ::priority::v1::LintPolicyResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_LINT_H_
