// Changes of the configuration that are told in words: from the API and back.
#ifndef PRIORITYD_SERVER_RPC_CONVERT_CHANGE_H_
#define PRIORITYD_SERVER_RPC_CONVERT_CHANGE_H_

#include <google/protobuf/repeated_ptr_field.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/configuration_change.h"
#include "server/administration/setting.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/rpc/convert_time.h"
#include "server/rpc/request_violations.h"

namespace priorityd::rpc {

// Adds what is wrong with `options` and with settings, whatever they are about: bounds, NUL
// characters, a missing name, an operator that is none.
void CheckOptions(const ::priority::v1::ChangeOptions& options, RequestViolations* violations);
void CheckSettings(const google::protobuf::RepeatedPtrField<::priority::v1::Setting>& settings,
                   RequestViolations* violations);

std::vector<administration::Setting> ToSettings(
    const google::protobuf::RepeatedPtrField<::priority::v1::Setting>& settings);

// All but takes_effect_at.
void ToProto(const administration::ChangeResult& result, ::priority::v1::ChangeResponse* response);

// Notifies the loop of a change that is on disk, and answers when it takes effect. A first
// recalculation that fails is a warning: the change stands.
template <typename Response>
void PutInForce(recalculation::RecalculationLoop& loop, const std::string& cluster,
                recalculation::RecalculationLoop::Pace pace, Response* response) {
  absl::StatusOr<std::optional<absl::Time>> when = loop.ScheduleCluster(cluster, pace);
  if (!when.ok()) {
    spdlog::error("{}: first recalculation failed: {}", cluster, when.status().ToString());
    response->add_warnings("the change is stored, but the recalculation that it set off failed");
  } else if (when->has_value()) {
    ToProto(**when, response->mutable_takes_effect_at());
  }
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_CONVERT_CHANGE_H_
