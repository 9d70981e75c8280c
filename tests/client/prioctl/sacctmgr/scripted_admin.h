// An AdminService that answers as the test says, and a site for it.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_SCRIPTED_ADMIN_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_SCRIPTED_ADMIN_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grpcpp/grpcpp.h"
#include "priority/v1/admin_service.grpc.pb.h"

namespace priorityd {

namespace v1 = ::priority::v1;

// Lists are cut into pages of `page_size`, whatever is asked for. Every change answers `change`, or
// `refusal`, and is kept. For one client at a time.
class ScriptedAdmin final : public v1::AdminService::Service {
 public:
  ScriptedAdmin();
  ~ScriptedAdmin() override;

  const std::string& address() const { return address_; }

  v1::ListAssociationsResponse associations;
  v1::ListUsersResponse users;
  v1::ListQosResponse qos;
  v1::ListClustersResponse clusters;
  v1::ListAuditEventsResponse events;
  v1::ExportResponse exported;
  v1::ImportResponse imported;
  v1::Policy policy;
  v1::ChangeResponse change;
  grpc::Status refusal;
  int page_size = 1000;

  std::vector<v1::ListAssociationsRequest> asked_associations;
  std::vector<v1::ListUsersRequest> asked_users;
  std::vector<v1::ListAuditEventsRequest> asked_events;
  std::vector<v1::CreateAssociationsRequest> created;
  std::vector<v1::UpdateAssociationsRequest> updated;
  std::vector<v1::DeleteAssociationsRequest> deleted;
  std::vector<v1::UpdateUsersRequest> updated_users;
  std::vector<v1::CreateQosRequest> created_qos;
  std::vector<v1::UpdateQosRequest> updated_qos;
  std::vector<v1::DeleteQosRequest> deleted_qos;
  std::vector<v1::UpdateClusterRequest> updated_clusters;
  std::vector<v1::DeleteClusterRequest> deleted_clusters;
  std::vector<v1::ImportRequest> imports;

  grpc::Status ListAssociations(grpc::ServerContext*, const v1::ListAssociationsRequest* request,
                                v1::ListAssociationsResponse* response) override;
  grpc::Status ListUsers(grpc::ServerContext*, const v1::ListUsersRequest* request,
                         v1::ListUsersResponse* response) override;
  grpc::Status ListQos(grpc::ServerContext*, const v1::ListQosRequest* request,
                       v1::ListQosResponse* response) override;
  grpc::Status GetPolicy(grpc::ServerContext*, const v1::GetPolicyRequest*,
                         v1::Policy* response) override {
    *response = policy;
    return grpc::Status::OK;
  }
  grpc::Status ListClusters(grpc::ServerContext*, const v1::ListClustersRequest*,
                            v1::ListClustersResponse* response) override {
    *response = clusters;
    return grpc::Status::OK;
  }
  grpc::Status ListAuditEvents(grpc::ServerContext*, const v1::ListAuditEventsRequest* request,
                               v1::ListAuditEventsResponse* response) override {
    asked_events.push_back(*request);
    *response = events;
    return grpc::Status::OK;
  }
  grpc::Status CreateAssociations(grpc::ServerContext*,
                                  const v1::CreateAssociationsRequest* request,
                                  v1::ChangeResponse* response) override {
    return Change(*request, created, response);
  }
  grpc::Status UpdateAssociations(grpc::ServerContext*,
                                  const v1::UpdateAssociationsRequest* request,
                                  v1::ChangeResponse* response) override {
    return Change(*request, updated, response);
  }
  grpc::Status DeleteAssociations(grpc::ServerContext*,
                                  const v1::DeleteAssociationsRequest* request,
                                  v1::ChangeResponse* response) override {
    return Change(*request, deleted, response);
  }
  grpc::Status UpdateUsers(grpc::ServerContext*, const v1::UpdateUsersRequest* request,
                           v1::ChangeResponse* response) override {
    return Change(*request, updated_users, response);
  }
  grpc::Status CreateQos(grpc::ServerContext*, const v1::CreateQosRequest* request,
                         v1::ChangeResponse* response) override {
    return Change(*request, created_qos, response);
  }
  grpc::Status UpdateQos(grpc::ServerContext*, const v1::UpdateQosRequest* request,
                         v1::ChangeResponse* response) override {
    return Change(*request, updated_qos, response);
  }
  grpc::Status DeleteQos(grpc::ServerContext*, const v1::DeleteQosRequest* request,
                         v1::ChangeResponse* response) override {
    return Change(*request, deleted_qos, response);
  }
  grpc::Status UpdateCluster(grpc::ServerContext*, const v1::UpdateClusterRequest* request,
                             v1::Cluster* response) override {
    updated_clusters.push_back(*request);
    *response = request->cluster();
    return grpc::Status::OK;
  }
  grpc::Status DeleteCluster(grpc::ServerContext*, const v1::DeleteClusterRequest* request,
                             v1::DeleteClusterResponse* response) override {
    deleted_clusters.push_back(*request);
    response->set_associations(3);
    response->set_jobs(2);
    response->set_records(7);
    return grpc::Status::OK;
  }
  grpc::Status Export(grpc::ServerContext*, const v1::ExportRequest*,
                      v1::ExportResponse* response) override {
    *response = exported;
    return grpc::Status::OK;
  }
  grpc::Status Import(grpc::ServerContext*, const v1::ImportRequest* request,
                      v1::ImportResponse* response) override {
    imports.push_back(*request);
    *response = imported;
    return refusal;
  }

 private:
  template <typename Request>
  grpc::Status Change(const Request& request, std::vector<Request>& kept,
                      v1::ChangeResponse* response) {
    kept.push_back(request);
    *response = change;
    return refusal;
  }

  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

// The site `lab` of tests/slurm/captured as the service returns it: each value is what the real
// sacctmgr printed, under the word that `sacctmgr dump` has for it.
void TellLab(ScriptedAdmin& admin);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_SCRIPTED_ADMIN_H_
