// Makes every call of PriorityClient: chooses the server, and adds cluster, proof and retries.
#ifndef PRIORITYD_CLIENT_STUBS_H_
#define PRIORITYD_CLIENT_STUBS_H_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/cluster_metadata.h"
#include "client/priority_client.h"
#include "client/retry.h"
#include "client/rpc_error.h"
#include "client/servers.h"
#include "grpcpp/client_context.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {

inline constexpr int kRowsPageSize = 100000;  // For rows of a few numbers.
inline constexpr int kPageSize = 10000;

using Priority = v1::PriorityService::Stub;
using Admin = v1::AdminService::Stub;

// `options`, whose on_rate_limited is called once.
ConnectOptions ReportingOnce(ConnectOptions options);

// Thread-safe.
class PriorityClient::Stubs {
 public:
  // `options` must outlive it.
  explicit Stubs(const ConnectOptions& options);

  // Sets the cluster and calls; retries after a transient error.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                            Response*),
                               Request request) const {
    return Call(method, std::move(request), options_.retry);
  }

  // The same without retries, for calls that are not idempotent.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Do(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                           Response*),
                              Request request) const {
    return Call(method, std::move(request), {.max_attempts = 1});
  }

  // The parts of other calls. Live returns Priority or Admin.
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

  // The cluster that the request names; the client's where it names none.
  template <typename Request>
  std::string ClusterOf(const Request& request) const {
    std::string cluster;
    if constexpr (std::is_same_v<Request, v1::UpdateClusterRequest>) {
      cluster = request.cluster().name();
    } else if constexpr (std::is_same_v<Request, v1::DeleteClusterRequest>) {
      cluster = request.name();
    } else if constexpr (requires { std::string(request.cluster()); }) {
      cluster = request.cluster();
    }
    return cluster.empty() ? options_.cluster : cluster;
  }

  // For calls without a stub of the API.
  std::shared_ptr<grpc::Channel> LiveChannel() const { return priority_->LiveServer().channel; }

  // Adds the proof of the caller's identity to the call.
  absl::Status Prove(grpc::ClientContext* context) const;

 private:
  // One attempt, with its deadline.
  using Attempt = absl::FunctionRef<absl::Status(grpc::ClientContext*)>;

  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                Request request, const RetryPolicy& retry) const {
    FillCluster(&request);
    Response response;
    const absl::Status status = Try(retry, [&](grpc::ClientContext* context) {
      response.Clear();
      AddCluster(ClusterOf(request), context);
      return FromGrpc((Live<Stub>().*method)(context, request, &response));
    });
    if (!status.ok()) return status;
    return response;
  }

  // Attempts until success or the end of the retries.
  absl::Status Try(const RetryPolicy& retry, Attempt attempt) const;
  absl::Status TryOnce(absl::Time deadline, Attempt attempt) const;

  const ConnectOptions& options_;
  const std::unique_ptr<const Servers<Priority>> priority_;
  const std::unique_ptr<const Servers<Admin>> admin_;
};

}  // namespace priorityd::client

#endif  // PRIORITYD_CLIENT_STUBS_H_
