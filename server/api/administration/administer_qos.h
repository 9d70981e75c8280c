// ListQos, CreateQos, UpdateQos, DeleteQos.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_QOS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_QOS_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Each: INVALID_ARGUMENT with the violations; errors of administration/qos_change.h and of
// administration::MakeChange.

absl::Status ListQos(const AdministrationCall& call, const ::priority::v1::ListQosRequest& request,
                     ::priority::v1::ListQosResponse* response);

absl::Status CreateQos(const AdministrationCall& call,
                       const ::priority::v1::CreateQosRequest& request,
                       ::priority::v1::ChangeResponse* response);
absl::Status UpdateQos(const AdministrationCall& call,
                       const ::priority::v1::UpdateQosRequest& request,
                       ::priority::v1::ChangeResponse* response);
absl::Status DeleteQos(const AdministrationCall& call,
                       const ::priority::v1::DeleteQosRequest& request,
                       ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_QOS_H_
