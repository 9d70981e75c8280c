// gRPC's server reflection, for tools such as grpcurl.
#ifndef PRIORITYD_SERVER_TRANSPORT_REFLECTION_SERVICE_H_
#define PRIORITYD_SERVER_TRANSPORT_REFLECTION_SERVICE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/transport/raw_service.h"

namespace priorityd::rpc {

// grpc.reflection.v1alpha.ServerReflection. Open to unauthenticated clients, so requests are
// bounded and only names are parsed from them: gRPC's own service parses messages of any size. Does
// not support extensions, since the API has none. Thread-safe.
class ReflectionService : public RawService {
 public:
  static constexpr char kName[] = "grpc.reflection.v1alpha.ServerReflection";
  static constexpr size_t kMaxQuestionBytes = 16 << 10;

  // `services`: the names of all served services.
  explicit ReflectionService(std::vector<std::string> services);

  // The answer, a ServerReflectionResponse, to a ServerReflectionRequest: both as bytes.
  std::string Answer(absl::string_view question) const;

 private:
  const std::vector<std::string> services_;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_TRANSPORT_REFLECTION_SERVICE_H_
