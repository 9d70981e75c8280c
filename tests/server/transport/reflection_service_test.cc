// What grpcurl asks, answered without building messages of what it sends.
#include "server/transport/reflection_service.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// A text field of a message.
std::string Text(char tag, const std::string& text) {
  return absl::StrCat(std::string(1, tag), std::string(1, static_cast<char>(text.size())), text);
}
const char kFileByName = 0x1a, kFileOfSymbol = 0x22, kList = 0x3a;

TEST(ReflectionServiceTest, ListsWhatIsServed) {
  const ReflectionService service({"a.A", "b.B"});
  EXPECT_THAT(service.Answer(Text(kList, "*")), testing::AllOf(HasSubstr("a.A"), HasSubstr("b.B")));
}

TEST(ReflectionServiceTest, AFileComesWithThoseThatItNeeds) {
  const ReflectionService service({});
  const auto* file = v1::RankJobsRequest::descriptor()->file();
  google::protobuf::FileDescriptorProto proto;
  file->CopyTo(&proto);
  const std::string content = proto.SerializeAsString();
  for (const std::string& question :
       {Text(kFileByName, file->name()), Text(kFileOfSymbol, "priority.v1.RankJobsRequest")}) {
    EXPECT_THAT(service.Answer(question),
                testing::AllOf(HasSubstr(content), HasSubstr("priority/v1/job.proto"),
                               HasSubstr("google/protobuf/timestamp.proto")));
  }
}

TEST(ReflectionServiceTest, WhatIsNotThereOrNoQuestionIsAnError) {
  const ReflectionService service({});
  EXPECT_THAT(service.Answer(Text(kFileByName, "no.proto")), HasSubstr("not there"));
  for (const std::string& question :
       {std::string(), std::string("\xff\xff"), std::string("\x1a\x7f"), std::string("\x0b"),
        std::string("\0", 1)}) {
    EXPECT_THAT(service.Answer(question), HasSubstr("got no question"));
  }
}

grpc::Status Ask(TestService& service, const std::string& question, std::string* answer) {
  grpc::GenericStub stub(service.channel());
  grpc::ClientContext context;
  const grpc::Slice slice(question);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status ended;
  absl::Notification done;
  stub.UnaryCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {},
                 &request, &response, [&](grpc::Status status) {
                   ended = std::move(status);
                   done.Notify();
                 });
  done.WaitForNotification();
  grpc::Slice bytes;
  if (ended.ok() && response.DumpToSingleSlice(&bytes).ok())
    answer->assign(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  return ended;
}

TEST(ReflectionServiceTest, AServerAnswersItAndBoundsTheQuestion) {
  TestService service;
  std::string answer;
  EXPECT_TRUE(Ask(service, Text(kList, "*"), &answer).ok());
  EXPECT_THAT(answer, testing::AllOf(HasSubstr("priority.v1.PriorityService"),
                                     HasSubstr("grpc.health.v1.Health"),
                                     HasSubstr(ReflectionService::kName)));
  const std::string large(ReflectionService::kMaxQuestionBytes + 1, '\n');
  EXPECT_EQ(Ask(service, large, &answer).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace priorityd::rpc
