// Converts changes of the configuration from and to the API.
#ifndef PRIORITYD_SERVER_API_SHARED_CONVERT_CHANGE_H_
#define PRIORITYD_SERVER_API_SHARED_CONVERT_CHANGE_H_

#include <google/protobuf/repeated_ptr_field.h>
#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/settings/setting.h"
#include "server/messages/convert_time.h"
#include "server/messages/request_violations.h"
#include "server/recalculation/recalculation_loop.h"

namespace priorityd::rpc {

// Adds violations of `options` and of settings of any object: bounds, NUL characters, a missing
// name, an invalid operator. `may_lease`: the call creates leases for options.until. `in`: the
// field of the settings.
void CheckOptions(const ::priority::v1::ChangeOptions& options, RequestViolations* violations,
                  bool may_lease = false);
void CheckSettings(const google::protobuf::RepeatedPtrField<::priority::v1::Setting>& settings,
                   RequestViolations* violations, const std::string& in = "settings");

std::vector<administration::Setting> ToSettings(
    const google::protobuf::RepeatedPtrField<::priority::v1::Setting>& settings);

// Everything except takes_effect_at.
void ToProto(const administration::ChangeResult& result, ::priority::v1::ChangeResponse* response);

// Notifies the loop of a committed change and returns when it takes effect. A failed first
// recalculation is only a warning: the change is committed.
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

#endif  // PRIORITYD_SERVER_API_SHARED_CONVERT_CHANGE_H_
