// ListQos, CreateQos, UpdateQos, DeleteQos.
#ifndef PRIORITYD_SERVER_RPC_ADMINISTER_QOS_H_
#define PRIORITYD_SERVER_RPC_ADMINISTER_QOS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/configuration_change.h"
#include "server/rpc/telling.h"
#include "storage/database.h"

namespace priorityd::rpc {

// Each: INVALID_ARGUMENT with the violations; errors of administration/qos_change.h and of
// administration::MakeChange.

absl::Status ListQos(const Telling& telling, const ::priority::v1::ListQosRequest& request,
                     ::priority::v1::ListQosResponse* response);

absl::StatusOr<administration::ChangeResult> CreateQos(
    storage::Database& database, const administration::ChangeFrame& frame,
    const ::priority::v1::CreateQosRequest& request);
absl::StatusOr<administration::ChangeResult> UpdateQos(
    storage::Database& database, const administration::ChangeFrame& frame,
    const ::priority::v1::UpdateQosRequest& request);
absl::StatusOr<administration::ChangeResult> DeleteQos(
    storage::Database& database, const administration::ChangeFrame& frame,
    const ::priority::v1::DeleteQosRequest& request);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_ADMINISTER_QOS_H_
