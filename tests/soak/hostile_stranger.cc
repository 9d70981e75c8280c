#include "tests/soak/hostile_stranger.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

using ::google::protobuf::io::CodedOutputStream;
using ::google::protobuf::io::StringOutputStream;

constexpr absl::Duration kPauseOfStrangers = absl::Milliseconds(500);
constexpr size_t kHollowBytes = 4 << 20;
constexpr size_t kMostSilent = 300;
constexpr int kSilentAtOnce = 20;
constexpr absl::Duration kPatienceOfStrangers = absl::Seconds(10);
constexpr uint32_t kLengthDelimited = 2;

// Empty sub-messages of that field, so many bytes of them.
std::string Hollow(int field) {
  const std::string one = {static_cast<char>(field << 3 | kLengthDelimited), '\0'};
  std::string message;
  while (message.size() < kHollowBytes) message += one;
  return message;
}

// A message of one field, which is another message.
std::string Wrapped(int field, const std::string& inner) {
  std::string message;
  StringOutputStream stream(&message);
  CodedOutputStream out(&stream);
  out.WriteTag(static_cast<uint32_t>(field) << 3 | kLengthDelimited);
  out.WriteVarint32(static_cast<uint32_t>(inner.size()));
  out.WriteString(inner);
  out.Trim();
  return message;
}

struct Message {
  const char* method;
  std::string bytes;
};

const std::vector<Message>& Messages() {
  static const auto& messages = *new std::vector<Message>{
      {"/priority.v1.PriorityService/RankJobs",
       Wrapped(v1::RankJobsRequest::kJobsFieldNumber, Hollow(v1::InlineJobs::kJobsFieldNumber))},
      {"/priority.v1.PriorityService/UpdateJobs",
       Hollow(v1::UpdateJobsRequest::kUpsertsFieldNumber)},
      {"/priority.v1.PriorityService/RecordUsage",
       Hollow(v1::RecordUsageRequest::kRecordsFieldNumber)},
  };
  return messages;
}

std::string HollowJson(const std::string& field) {
  std::string body = absl::StrCat("{\"", field, "\":[{}");
  while (body.size() < kHollowBytes) body += ",{}";
  return body + "]}";
}

const std::vector<Message>& Bodies() {
  static const auto& bodies = *new std::vector<Message>{
      {"/v1/PriorityService/UpdateJobs", HollowJson("upserts")},
      {"/v1/PriorityService/RecordUsage", HollowJson("records")},
  };
  return bodies;
}

absl::Status Call(const std::shared_ptr<grpc::Channel>& channel, const Message& message) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatienceOfStrangers));
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  const grpc::Slice slice(message.bytes);
  const auto call =
      stub.PrepareUnaryCall(&context, message.method, grpc::ByteBuffer(&slice, 1), &queue);
  call->StartCall();
  grpc::ByteBuffer answer;
  grpc::Status status;
  call->Finish(&answer, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return client::FromGrpc(status);
}

}  // namespace

HostileStranger::HostileStranger(const LoadOptions& options)
    : HostileLoad("stranger", options, kPauseOfStrangers) {
  for (const auto& replica : replicas()) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    channels_.push_back(grpc::CreateCustomChannel(replica->hostile_address(),
                                                  grpc::InsecureChannelCredentials(), arguments));
  }
}

void HostileStranger::Step() {
  static constexpr void (HostileStranger::*kWays[])() = {&HostileStranger::SendMessages,
                                                         &HostileStranger::SendBodies,
                                                         &HostileStranger::OpenConnections};
  (this->*kWays[Below(std::size(kWays))])();
}

void HostileStranger::SendMessages() {
  const Message& message = Messages()[Below(Messages().size())];
  const absl::Status status = Call(channels_[AnyReplica()], message);
  if (absl::IsUnauthenticated(status)) {
    CountRefused();
    return;
  }
  CountLost();
  EXPECT_TRUE(MayPass(status)) << message.method << " by a stranger: " << status;
}

void HostileStranger::SendBodies() {
  const Message& body = Bodies()[Below(Bodies().size())];
  const HostileSocket socket(replicas()[AnyReplica()]->http_port());
  // It may be answered, and closed, before all is sent.
  socket.Send(PostOf(body.method, "", body.bytes));
  const int status = HttpStatusOf(socket.ReadSome());
  if (status == kUnauthorized) {
    CountRefused();
    return;
  }
  CountLost();
  EXPECT_TRUE(status == kNoAnswer || status == kTooManyRequests || status == kUnavailable)
      << body.method << " by a stranger: " << status;
}

void HostileStranger::OpenConnections() {
  const Replica& replica = *replicas()[AnyReplica()];
  for (int i = 0; i < kSilentAtOnce; ++i) {
    if (silent_.size() >= kMostSilent) silent_.pop_front();
    silent_.emplace_back(Below(2) == 0 ? replica.hostile_port() : replica.http_port());
  }
}

}  // namespace priorityd::soak
