#include "server/api/status/validate_status.h"

#include "server/messages/request_violations.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status Validate(const v1::GetStatusRequest& request) { return CheckCluster(request); }

}  // namespace priorityd::rpc
