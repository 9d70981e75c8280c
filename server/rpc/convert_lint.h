// Converts the engine's PolicyLint to LintPolicyResponse.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_LINT_H_
#define PRIORITYD_SERVER_RPC_CONVERT_LINT_H_

#include "priority/v1/lint.pb.h"
#include "server/explanation/policy_lint.h"

namespace priorityd::rpc {

// Fills ranges, rows and findings.
void ToProto(const explanation::PolicyLint& lint, ::priority::v1::LintPolicyResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_LINT_H_
