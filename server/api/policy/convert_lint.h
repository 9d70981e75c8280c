// Converts the engine's PolicyLint to LintPolicyResponse.
#ifndef PRIORITYD_SERVER_API_POLICY_CONVERT_LINT_H_
#define PRIORITYD_SERVER_API_POLICY_CONVERT_LINT_H_

#include "engine/explanation/policy_lint.h"
#include "priority/v1/lint.pb.h"

namespace priorityd::rpc {

// Fills ranges, rows and findings.
void ToProto(const explanation::PolicyLint& lint, ::priority::v1::LintPolicyResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_POLICY_CONVERT_LINT_H_
