// Validation of the requests about policies, independent of any cluster.
#ifndef PRIORITYD_SERVER_API_POLICY_VALIDATE_POLICY_H_
#define PRIORITYD_SERVER_API_POLICY_VALIDATE_POLICY_H_

#include <string>

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/lint.pb.h"
#include "priority/v1/policy.pb.h"
#include "server/messages/request_violations.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// A policy's text has a line that is neither blank nor a comment; also one that is only supposed.
void CheckPolicyText(const std::string& field, const std::string& text,
                     RequestViolations* violations);

// INVALID_ARGUMENT with the violations. Single jobs and records are not checked: a wrong
// one never fails the others.
absl::Status Validate(const ::priority::v1::LintPolicyRequest& request,
                      const RequestLimits& limits);
absl::Status Validate(const ::priority::v1::ApplyPolicyRequest& request);
absl::Status Validate(const ::priority::v1::GetPolicyRequest& request);
absl::Status Validate(const ::priority::v1::ListPolicyVersionsRequest& request);
absl::Status Validate(const ::priority::v1::RollbackPolicyRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_POLICY_VALIDATE_POLICY_H_
