#include "server/transport/raw_service.h"

#include <grpcpp/impl/codegen/callback_common.h>
#include <grpcpp/impl/codegen/server_callback_handlers.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/impl/rpc_service_method.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::rpc {

void RawService::Add(authorization::Rpc rpc, Open open) {
  Add(absl::StrCat("/", authorization::RightOf(rpc).method), std::move(open));
}

void RawService::Add(std::string path, Open open) {
  using grpc::internal::RpcMethod;
  using Handler = grpc::internal::CallbackBidiHandler<grpc::ByteBuffer, grpc::ByteBuffer>;
  const auto index = static_cast<int>(paths_.size());
  paths_.push_back(std::move(path));
  // gRPC takes ownership of both.
  AddMethod(new grpc::internal::RpcServiceMethod(paths_.back().c_str(), RpcMethod::BIDI_STREAMING,
                                                 nullptr));
  MarkMethodRawCallback(index, new Handler(std::move(open)));
}

}  // namespace priorityd::rpc
