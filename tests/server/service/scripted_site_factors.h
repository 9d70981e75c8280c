// A site's SiteFactorService that does what a test says.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_SCRIPTED_SITE_FACTORS_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_SCRIPTED_SITE_FACTORS_H_

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "priority/v1/site_factor_service.grpc.pb.h"

namespace priorityd::rpc {

// Listens on a free port of the loopback interface. Thread-safe.
class ScriptedSiteFactors : public ::priority::v1::SiteFactorService::CallbackService {
 public:
  using Request = ::priority::v1::GetSiteFactorsRequest;
  using Response = ::priority::v1::GetSiteFactorsResponse;
  using Script = std::function<grpc::Status(const Request&, Response*)>;

  // Gives every job this factor until another script is set.
  explicit ScriptedSiteFactors(
      int64_t factor = 0,
      std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials());
  ~ScriptedSiteFactors() override;

  void SetScript(Script script);
  // Calls wait until Release, or until Stop.
  void Hang();
  void Release();

  // What was asked so far.
  std::vector<Request> requests();
  // Waits for that many requests; false if they do not come within a minute.
  bool AwaitRequests(size_t count);

  // Stops listening; Start listens on the same port again.
  void Stop();
  void Start();
  const std::string& address() const { return address_; }

  grpc::ServerUnaryReactor* GetSiteFactors(grpc::CallbackServerContext* context,
                                           const Request* request, Response* response) override;

 private:
  const std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::string address_ = "127.0.0.1:0";
  std::unique_ptr<grpc::Server> server_;

  absl::Mutex mutex_;
  absl::CondVar changed_;
  Script script_ ABSL_GUARDED_BY(mutex_);
  bool hangs_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Request> requests_ ABSL_GUARDED_BY(mutex_);
  std::vector<grpc::ServerUnaryReactor*> waiting_ ABSL_GUARDED_BY(mutex_);
};

// Adds a factor to the response.
void AddFactor(const std::string& job_id, int64_t factor, ScriptedSiteFactors::Response* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_SCRIPTED_SITE_FACTORS_H_
