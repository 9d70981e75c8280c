// The RPCs of AdminService that are about the association tree.
#include <string>

#include "absl/status/statusor.h"
#include "server/rpc/admin_service.h"
#include "server/rpc/administer_associations.h"
#include "server/rpc/call.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

using authorization::Rpc;

template <typename Request, typename Response>
grpc::ServerUnaryReactor* AdminService::RunAdministration(
    Rpc rpc, grpc::CallbackServerContext* context, const Request* request, Response* response,
    absl::Status (*work)(const AdministrationCall&, const Request&, Response*)) {
  return RunCall(*options_.boundary, rpc, *options_.operating, context, *request, *response,
                 [=, this](const Caller& caller) -> absl::Status {
                   const std::string& name = request->cluster();
                   auto cluster = options_.registry->Resolve({name.data(), name.size()});
                   if (!cluster.ok()) return cluster.status();
                   return work(
                       {*options_.database, *options_.loop, caller, *cluster, options_.clock()},
                       *request, response);
                 });
}

grpc::ServerUnaryReactor* AdminService::ListAssociations(grpc::CallbackServerContext* context,
                                                         const v1::ListAssociationsRequest* request,
                                                         v1::ListAssociationsResponse* response) {
  return RunAdministration(Rpc::kListAssociations, context, request, response,
                           rpc::ListAssociations);
}

grpc::ServerUnaryReactor* AdminService::CreateAssociations(
    grpc::CallbackServerContext* context, const v1::CreateAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return RunAdministration(Rpc::kCreateAssociations, context, request, response,
                           rpc::CreateAssociations);
}

grpc::ServerUnaryReactor* AdminService::UpdateAssociations(
    grpc::CallbackServerContext* context, const v1::UpdateAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return RunAdministration(Rpc::kUpdateAssociations, context, request, response,
                           rpc::UpdateAssociations);
}

grpc::ServerUnaryReactor* AdminService::DeleteAssociations(
    grpc::CallbackServerContext* context, const v1::DeleteAssociationsRequest* request,
    v1::ChangeResponse* response) {
  return RunAdministration(Rpc::kDeleteAssociations, context, request, response,
                           rpc::DeleteAssociations);
}

grpc::ServerUnaryReactor* AdminService::ListUsers(grpc::CallbackServerContext* context,
                                                  const v1::ListUsersRequest* request,
                                                  v1::ListUsersResponse* response) {
  return RunAdministration(Rpc::kListUsers, context, request, response, rpc::ListUsers);
}

grpc::ServerUnaryReactor* AdminService::UpdateUsers(grpc::CallbackServerContext* context,
                                                    const v1::UpdateUsersRequest* request,
                                                    v1::ChangeResponse* response) {
  return RunAdministration(Rpc::kUpdateUsers, context, request, response, rpc::UpdateUsers);
}

grpc::ServerUnaryReactor* AdminService::Export(grpc::CallbackServerContext* context,
                                               const v1::ExportRequest* request,
                                               v1::ExportResponse* response) {
  return RunAdministration(Rpc::kExport, context, request, response, rpc::Export);
}

}  // namespace priorityd::rpc
