// Lists and changes the association tree and its users in sacctmgr's words.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_ASSOCIATIONS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_ASSOCIATIONS_H_

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Each implements its RPC. A change takes effect soon.
absl::Status ListAssociations(const AdministrationCall& call,
                              const ::priority::v1::ListAssociationsRequest& request,
                              ::priority::v1::ListAssociationsResponse* response);
absl::Status ListUsers(const AdministrationCall& call,
                       const ::priority::v1::ListUsersRequest& request,
                       ::priority::v1::ListUsersResponse* response);
absl::Status CreateAssociations(const AdministrationCall& call,
                                const ::priority::v1::CreateAssociationsRequest& request,
                                ::priority::v1::ChangeResponse* response);
absl::Status UpdateAssociations(const AdministrationCall& call,
                                const ::priority::v1::UpdateAssociationsRequest& request,
                                ::priority::v1::ChangeResponse* response);
absl::Status DeleteAssociations(const AdministrationCall& call,
                                const ::priority::v1::DeleteAssociationsRequest& request,
                                ::priority::v1::ChangeResponse* response);
absl::Status UpdateUsers(const AdministrationCall& call,
                         const ::priority::v1::UpdateUsersRequest& request,
                         ::priority::v1::ChangeResponse* response);
absl::Status Export(const AdministrationCall& call, const ::priority::v1::ExportRequest& request,
                    ::priority::v1::ExportResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_ASSOCIATIONS_H_
