// How every call of PriorityClient is made: to whom, for which cluster, with what proof, how often.
#ifndef PRIORITYD_CLIENT_STUBS_H_
#define PRIORITYD_CLIENT_STUBS_H_

#include <memory>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/retry.h"
#include "client/rpc_error.h"
#include "client/servers.h"
#include "grpcpp/client_context.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {

inline constexpr int kRowsPageSize = 100000;  // Of rows of a few numbers.
inline constexpr int kPageSize = 10000;

using Priority = v1::PriorityService::Stub;
using Admin = v1::AdminService::Stub;

// `options`, which tell of a rate limit once.
ConnectOptions TellingOnce(ConnectOptions options);

// Thread-safe.
class PriorityClient::Stubs {
 public:
  // `options` must outlive it.
  explicit Stubs(const ConnectOptions& options);

  // Fills in the cluster and calls; again after a passing error.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                            Response*),
                               Request request) const {
    return Call(method, std::move(request), options_.retry);
  }

  // The same of what may not be repeated.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Do(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              Request request) const {
    return Call(method, std::move(request), {.max_attempts = 1});
  }

  // The parts of a call that is no such method. Live answers Priority or Admin.
  template <typename Stub>
  Stub& Live() const {
    if constexpr (std::is_same_v<Stub, Priority>) {
      return priority_->Live();
    } else {
      return admin_->Live();
    }
  }

  template <typename Request>
  void FillCluster(Request* request) const {
    if (options_.cluster.empty()) return;
    if constexpr (std::is_same_v<Request, v1::UpdateClusterRequest>) {
      if (request->cluster().name().empty()) request->mutable_cluster()->set_name(options_.cluster);
    } else if constexpr (requires { request->set_cluster(options_.cluster); }) {
      if (request->cluster().empty()) request->set_cluster(options_.cluster);
    }
  }

  // For calls that no stub of ours has.
  std::shared_ptr<grpc::Channel> LiveChannel() const { return priority_->LiveServer().channel; }

  // Puts the proof of who calls into the call.
  absl::Status Prove(grpc::ClientContext* context) const;

 private:
  // One attempt, with the time until which it may take.
  using Attempt = absl::FunctionRef<absl::Status(grpc::ClientContext*)>;

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                Request request, const RetryPolicy& retry) const {
    FillCluster(&request);
    Response response;
    const absl::Status status = Try(retry, [&](grpc::ClientContext* context) {
      response.Clear();
      return FromGrpc((Live<Stub>().*method)(context, request, &response));
    });
    if (!status.ok()) return status;
    return response;
  }

  // Until the attempt succeeds, or trying again is of no use.
  absl::Status Try(const RetryPolicy& retry, Attempt attempt) const;
  absl::Status TryOnce(absl::Time deadline, Attempt attempt) const;

  const ConnectOptions& options_;
  const std::unique_ptr<const Servers<Priority>> priority_;
  const std::unique_ptr<const Servers<Admin>> admin_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_STUBS_H_
