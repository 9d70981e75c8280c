// A gRPC service with unparsed messages.
#ifndef PRIORITYD_SERVER_TRANSPORT_RAW_SERVICE_H_
#define PRIORITYD_SERVER_TRANSPORT_RAW_SERVICE_H_

#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <functional>
#include <string>

#include "server/authorization/rights_table.h"

namespace priorityd::rpc {

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// Every RPC, of any kind, is served as a bidirectional stream that reads nothing by itself: gRPC
// would read the message of a unary call before the caller is authenticated. Until the first
// StartRead, a peer can send at most one window of HTTP/2.
class RawService : public grpc::Service {
 public:
  // Creates the reactor of a new call; it deletes itself at its end.
  using Open = std::function<RawReactor*(grpc::CallbackServerContext* context)>;

 protected:
  // Call once for each RPC, before the service is registered.
  void Add(authorization::Rpc rpc, Open open);
  // The same for an RPC that is not in the rights table, by its path `/SERVICE/METHOD`.
  void Add(std::string path, Open open);

 private:
  std::deque<std::string> paths_;  // gRPC keeps pointers to them.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_RAW_SERVICE_H_
