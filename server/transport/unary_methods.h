// The table of a service's unary RPCs.
#ifndef PRIORITYD_SERVER_TRANSPORT_UNARY_METHODS_H_
#define PRIORITYD_SERVER_TRANSPORT_UNARY_METHODS_H_

#include <google/protobuf/message.h>

#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "server/authorization/rights_table.h"
#include "server/transport/boundary.h"
#include "server/transport/call.h"
#include "server/transport/caller.h"
#include "server/transport/message_bytes.h"
#include "server/transport/raw_service.h"
#include "server/transport/request_limits.h"

namespace priorityd::rpc {

// A service that registers each unary RPC by a line in its constructor:
//   Unary(Rpc::kRankJobs, On(pool), this, &PriorityService::Rank);
class UnaryMethods : public RawService {
 protected:
  // `boundary` must outlive the service.
  UnaryMethods(Boundary& boundary, const RequestLimits& limits)
      : boundary_(boundary), limits_(limits) {}

  // Registers the member function `work` of `service` as the RPC.
  template <typename Service, typename Request, typename Response>
  void Unary(authorization::Rpc rpc, Schedule schedule, const Service* service,
             absl::Status (Service::*work)(const Caller&, const Request&, Response*) const) {
    Unary<Request, Response>(
        rpc, std::move(schedule),
        [service, work](const Caller& caller, const Request& request, Response* response) {
          return (service->*work)(caller, request, response);
        });
  }
  template <typename Request, typename Response, typename Function>
  void Unary(authorization::Rpc rpc, Schedule schedule, Function work) {
    methods_.push_back(
        {{rpc, ScanOf(*Request::descriptor(), limits_)},
         &Request::default_instance(),
         &Response::default_instance(),
         std::move(schedule),
         [work = std::move(work)](const Caller& caller, const google::protobuf::Message& request,
                                  google::protobuf::Message* response) {
           return work(caller, static_cast<const Request&>(request),
                       static_cast<Response*>(response));
         }});
    Add(rpc, [this, method = &methods_.back()](grpc::CallbackServerContext* context) {
      auto* call = new Call(*method, boundary_, context);
      call->Begin();
      return call;
    });
  }

  const RequestLimits& limits() const { return limits_; }

 private:
  Boundary& boundary_;
  const RequestLimits limits_;
  std::deque<UnaryMethod> methods_;  // Calls keep pointers to them.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_UNARY_METHODS_H_
