// A gRPC service whose messages come and go as bytes.
#ifndef PRIORITYD_SERVER_RPC_RAW_SERVICE_H_
#define PRIORITYD_SERVER_RPC_RAW_SERVICE_H_

#include <grpcpp/impl/service_type.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <functional>
#include <string>

#include "server/authorization/rights_table.h"

namespace priorityd::rpc {

using RawReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

// Every RPC, of whatever kind its descriptor has it, is served as one that reads nothing by itself:
// gRPC would read the message of a unary call before anybody has seen who calls. Until the first
// StartRead a peer can send no more than a window of HTTP/2.
class RawService : public grpc::Service {
 public:
  // The call that begins; it deletes itself at its end.
  using Open = std::function<RawReactor*(grpc::CallbackServerContext* context)>;

 protected:
  // To be called before the service is registered, once for each RPC.
  void Add(authorization::Rpc rpc, Open open);
  // The path of one that is not in the rights table: `/SERVICE/METHOD`.
  void Add(std::string path, Open open);

 private:
  std::deque<std::string> paths_;  // gRPC keeps pointers to them.
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_RAW_SERVICE_H_
