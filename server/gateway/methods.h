// The RPCs by HTTP path.
#ifndef PRIORITYD_SERVER_GATEWAY_METHODS_H_
#define PRIORITYD_SERVER_GATEWAY_METHODS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <map>
#include <memory>
#include <string>

namespace priorityd::gateway {

using google::protobuf::Message;

struct Method {
  const google::protobuf::MethodDescriptor* descriptor;
  std::string name;  // gRPC's path: `/priority.v1.PriorityService/RankJobs`.
  // The RPC only reads: it can also be called by a GET with its fields as query parameters.
  bool is_read = false;
  bool only_reads = false;  // See authorization::OnlyReads.

  std::unique_ptr<Message> NewRequest() const;
  std::unique_ptr<Message> NewResponse() const;
};

// By path: `/v1/PriorityService/RankJobs`.
const std::map<std::string, Method>& Methods();

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_METHODS_H_
