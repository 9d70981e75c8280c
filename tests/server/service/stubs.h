// The stubs of a TestService, for streams and for calls with a context; others use CallUnary.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_

#include <grpcpp/grpcpp.h>

#include <memory>

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

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_STUBS_H_
