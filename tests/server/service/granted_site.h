// A small site whose accounts have grants.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_GRANTED_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_GRANTED_SITE_H_

#include <string>

#include "priority/v1/grant.pb.h"
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {

// Calls must succeed unless `status` is given.
class GrantedSite : public AdministeredSite {
 protected:
  v1::ChangeResponse Grant(const std::string& name, const Names& settings,
                           grpc::Status* status = nullptr) {
    v1::UpdateGrantsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    request.mutable_options()->set_comment("as agreed");
    AddSettings(settings, &request);
    return Changed(request, status);
  }
  v1::ChangeResponse Revoke(const std::string& name, grpc::Status* status = nullptr) {
    v1::RevokeGrantsRequest request;
    request.add_names(name);
    return Changed(request, status);
  }
  v1::ChangeResponse Transfer(const std::string& from, const std::string& to, double minutes,
                              grpc::Status* status = nullptr) {
    v1::TransferGrantRequest request;
    request.set_from(from);
    request.set_to(to);
    request.set_amount_minutes(minutes);
    return Changed(request, status);
  }

  v1::ListGrantsResponse Grants(const v1::ListGrantsRequest& request = {},
                                grpc::Status* status = nullptr) {
    return Called<v1::ListGrantsResponse>(request, status);
  }
  v1::GetGrantStatementResponse Statement(const std::string& name, grpc::Status* status = nullptr) {
    v1::GetGrantStatementRequest request;
    request.set_name(name);
    return Called<v1::GetGrantStatementResponse>(request, status);
  }
  v1::Grant OneGrant(const std::string& name) {
    v1::ListGrantsRequest request;
    request.add_names(name);
    const v1::ListGrantsResponse response = Grants(request);
    EXPECT_EQ(response.grants_size(), 1) << name;
    return response.grants_size() == 1 ? response.grants(0) : v1::Grant();
  }
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_GRANTED_SITE_H_
