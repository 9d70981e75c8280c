#include "server/api/shares/validate_shares.h"

#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The common fields of lists of associations.
template <typename Request>
void CheckSharesList(const Request& request, RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  violations->CheckTexts("accounts", request.accounts());
  violations->CheckTexts("users", request.users());
  violations->CheckPage(request);
}

}  // namespace

absl::Status Validate(const v1::ListSharesRequest& request) {
  RequestViolations violations;
  CheckSharesList(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ListShareHistoryRequest& request) {
  RequestViolations violations;
  CheckSharesList(request, &violations);
  violations.CheckTimes(request);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
