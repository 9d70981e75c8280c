// The stubs of a TestService, and calls of them: for those that test_service.h has no function for.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {

struct TestService::Stubs {
  std::unique_ptr<v1::PriorityService::Stub> priority;
  std::unique_ptr<v1::AdminService::Stub> admin;
};

inline v1::PriorityService::Stub& PriorityStub(TestService& service) {
  return *service.stubs().priority;
}
inline v1::AdminService::Stub& AdminStub(TestService& service) { return *service.stubs().admin; }

// The answer of a unary method. Without `status` the test fails unless the call is OK.
template <typename Response, typename Stub, typename Request>
Response CallStub(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, grpc::Status* status = nullptr) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(2)));
  Response response;
  const grpc::Status done = (stub.*method)(&context, request, &response);
  if (status != nullptr) {
    *status = done;
  } else {
    EXPECT_TRUE(done.ok()) << done.error_message() << "\n" << request.ShortDebugString();
  }
  return response;
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_
