// gRPC's server reflection, for grpcurl and the like.
#ifndef PRIORITYD_SERVER_RPC_REFLECTION_SERVICE_H_
#define PRIORITYD_SERVER_RPC_REFLECTION_SERVICE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/rpc/raw_service.h"

namespace priorityd::rpc {

// grpc.reflection.v1alpha.ServerReflection. Anybody may ask who reaches the port, so a question has
// a bound, and nothing is built of it but names: gRPC's own service parses messages of any size.
// Knows no extensions, of which the API has none. Thread-safe.
class ReflectionService : public RawService {
 public:
  static constexpr char kName[] = "grpc.reflection.v1alpha.ServerReflection";
  static constexpr size_t kMaxQuestionBytes = 16 << 10;

  // `services`: the names of all that are served.
  explicit ReflectionService(std::vector<std::string> services);

  // The answer, a ServerReflectionResponse, to a ServerReflectionRequest: both as bytes.
  std::string Answer(absl::string_view question) const;

 private:
  const std::vector<std::string> services_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_RPC_REFLECTION_SERVICE_H_
