// A cluster whose users are not shown everything of each other.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_PRIVATE_SITE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_PRIVATE_SITE_H_

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "priority/v1/lease.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "tests/server/service/secured_replica.h"

namespace priorityd::rpc {

// SecuredReplica's cluster on a manual clock, with usage of everybody and the tracked jobs job-amy,
// job-ben and job-cat, in that order. amy and ben are in account a, which coo coordinates; cat is
// in b. A fourth, job-held, is ben's and has a user hold.
class PrivateSite {
 public:
  // `words`: the PrivateData to begin with. `clock`: by which tokens expire; null = it stands
  // still.
  explicit PrivateSite(const std::string& words = "",
                       identity::Authenticator::Clock clock = nullptr);

  // Applies another PrivateData, and has it take effect.
  void SetPrivateData(const std::string& words);
  void Recalculate();

  // The roles that can be asked as: a user name, or frontend or dashboard.
  std::string ProofOf(const std::string& who) const;

  template <typename Response>
  Response Call(const std::string& who, const std::string& method,
                const google::protobuf::Message& request, grpc::Status* status = nullptr) {
    Response response;
    const grpc::Status done =
        replica_.Call("priority.v1." + method, ProofOf(who), &request, &response);
    if (status != nullptr) {
      *status = done;
    } else {
      EXPECT_TRUE(done.ok()) << who << " " << method << ": " << done.error_message();
    }
    return response;
  }

  template <typename Response>
  grpc::Status StatusOf(const std::string& who, const std::string& method,
                        const google::protobuf::Message& request) {
    grpc::Status status;
    Call<Response>(who, method, request, &status);
    return status;
  }

  ::priority::v1::ListLeasesResponse LeasesOf(const std::string& who);
  grpc::Status EndLease(const std::string& who, int64_t id);

  // The names of the reservations that this caller is shown, of three that the first call makes:
  // for user amy, for account b, and for all users but cat.
  std::set<std::string> ReservationsOf(const std::string& who);

  SecuredReplica& replica() { return replica_; }

 private:
  SecuredReplica replica_;
  int recalculations_ = 0;
  bool has_reservations_ = false;
};

// Every text in a message, however deep.
std::set<std::string> TextsOf(const google::protobuf::Message& message);
// Whether one of them has `part` in it.
bool Tells(const google::protobuf::Message& message, const std::string& part);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_PRIVATE_SITE_H_
