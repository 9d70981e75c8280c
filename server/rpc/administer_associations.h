// The association tree and its users, listed and changed by sacctmgr's words.
#ifndef PRIORITYD_SERVER_RPC_ADMINISTER_ASSOCIATIONS_H_
#define PRIORITYD_SERVER_RPC_ADMINISTER_ASSOCIATIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "server/recalculation/recalculation_loop.h"
#include "server/rpc/caller.h"
#include "storage/database.h"

namespace priorityd::rpc {

// What the calls need of the service. `cluster`: resolved.
struct AdministrationCall {
  storage::Database& database;
  recalculation::RecalculationLoop& loop;
  const Caller& caller;
  std::string cluster;
  absl::Time now;  // By the real clock.
};

// Each does what its RPC says. Changes are notified to the loop.
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

#endif  // PRIORITYD_SERVER_RPC_ADMINISTER_ASSOCIATIONS_H_
