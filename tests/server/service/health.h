// The gRPC health service, whose messages are one field each; Debian packages no proto of it.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_HEALTH_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_HEALTH_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace priorityd {

// Of grpc.health.v1.HealthCheckResponse.
inline constexpr int kServing = 1;
inline constexpr int kNotServing = 2;

// Health/Check: the status of a service, "" being the whole server; less than 0: the error code.
int CheckHealth(std::shared_ptr<grpc::Channel> channel, const std::string& service);

// Health/Watch of the whole server.
class HealthWatch {
 public:
  explicit HealthWatch(std::shared_ptr<grpc::Channel> channel);
  // Ends the watch.
  ~HealthWatch();
  HealthWatch(const HealthWatch&) = delete;
  HealthWatch& operator=(const HealthWatch&) = delete;

  // Waits for the next status; -1 when there will be none.
  int Next();

 private:
  // Whether the step that was begun last came about.
  bool Await();

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_HEALTH_H_
