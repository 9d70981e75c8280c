#include "server/api/shared/administration_call.h"

#include "server/api/shared/convert_change.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

administration::ChangeFrame FrameOf(const AdministrationCall& call,
                                    const v1::ChangeOptions& options) {
  administration::ChangeFrame frame;
  frame.cluster = call.cluster;
  frame.action = std::string(authorization::NameOf(call.rpc));
  frame.etag = options.etag();
  frame.comment = options.comment();
  frame.context = {call.caller.ToString(), call.now, options.validate_only()};
  return frame;
}

absl::Status Answer(const AdministrationCall& call, const v1::ChangeOptions& options,
                    const absl::StatusOr<administration::ChangeResult>& result,
                    v1::ChangeResponse* response) {
  if (!result.ok()) return result.status();
  ToProto(*result, response);
  if (!result->list.counts().changed() || options.validate_only()) return absl::OkStatus();
  PutInForce(call.loop, call.cluster, recalculation::RecalculationLoop::Pace::kSoon, response);
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
