#include "server/transport/call_report.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/server_context.h>

#include <algorithm>

#include "server/threads/clock.h"

namespace priorityd::rpc {
namespace {

bool IsHex(absl::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

bool IsZero(absl::string_view text) {
  return text.find_first_not_of('0') == absl::string_view::npos;
}

// `depth`: the nesting depth of messages to search.
int64_t LongestList(const google::protobuf::Message& message, int depth) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  const google::protobuf::Reflection& fields = *message.GetReflection();
  int64_t longest = 0;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
    if (field->is_repeated()) {
      longest = std::max<int64_t>(longest, fields.FieldSize(message, field));
    } else if (depth > 0 && fields.HasField(message, field)) {
      longest = std::max(longest, LongestList(fields.GetMessage(message, field), depth - 1));
    }
  }
  return longest;
}

}  // namespace

OngoingCall::OngoingCall(const CallObservers& observers, authorization::Rpc rpc,
                         const grpc::CallbackServerContext& context)
    : observers_(&observers), report_({.rpc = rpc}) {
  if (!is_observed()) return;
  begin_ = threads::RunningTime();
  const auto trace = context.client_metadata().find("traceparent");
  if (trace == context.client_metadata().end()) return;
  report_.trace_id = TraceIdOf({trace->second.data(), trace->second.size()});
}

void OngoingCall::SetCluster(std::string cluster) {
  report_.cluster = std::move(cluster);
  if (is_observed()) begin_ = threads::RunningTime();
}

void OngoingCall::SetPrincipal(const identity::Principal& principal) {
  if (is_observed())
    report_.principal = principal.is_user() ? principal.name : principal.qualified();
}

void OngoingCall::Ended(const absl::Status& status) {
  if (!is_observed()) return;
  report_.status = status;
  report_.duration = threads::RunningTime() - begin_;
  for (CallObserver* observer : *observers_) observer->CallEnded(report_);
}

// VERSION-TRACE-PARENT-FLAGS in 2, 32, 16 and 2 digits; later versions may append fields.
std::string TraceIdOf(absl::string_view traceparent) {
  constexpr size_t kLength = 55;
  if (traceparent.size() < kLength) return "";
  const absl::string_view version = traceparent.substr(0, 2);
  const absl::string_view trace = traceparent.substr(3, 32);
  const absl::string_view parent = traceparent.substr(36, 16);
  const bool ends =
      traceparent.size() == kLength || (version != "00" && traceparent[kLength] == '-');
  const bool dashes = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  const bool digits =
      IsHex(version) && IsHex(trace) && IsHex(parent) && IsHex(traceparent.substr(53, 2));
  const bool valid = version != "ff" && !IsZero(trace) && !IsZero(parent);
  return ends && dashes && digits && valid ? std::string(trace) : "";
}

int64_t RowsOf(const google::protobuf::Message& message) { return LongestList(message, 1); }

}  // namespace priorityd::rpc
