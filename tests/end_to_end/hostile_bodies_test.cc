// Messages that are small on their way and large in memory: the server's memory has a bound, and
// others are served.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "priority/v1/ranking.pb.h"
#include "tests/await.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/sanitizer.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using grpc::StatusCode;

constexpr char kRankJobs[] = "/priority.v1.PriorityService/RankJobs";
constexpr size_t kMib = 1 << 20;

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Delimited(int number, const std::string& content) {
  return Varint(static_cast<uint64_t>(number) << 3 | 2) + Varint(content.size()) + content;
}
std::string Repeated(const std::string& part, size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += part;
  return all;
}
// A RankJobsRequest of so many bytes of jobs without anything.
std::string EmptyJobs(size_t bytes) { return Delimited(2, Repeated(Delimited(1, ""), bytes)); }
std::string EmptyJobsAsJson(size_t bytes) {
  return "{\"jobs\":{\"jobs\":[{}" + Repeated(",{}", bytes) + "]}}";
}

// Every RPC there is.
std::vector<const MethodDescriptor*> Methods() {
  std::vector<const MethodDescriptor*> methods;
  // By the tables: of a file without messages nothing else makes the linker keep it.
  for (const auto* table : {&::descriptor_table_priority_2fv1_2fpriority_5fservice_2eproto,
                            &::descriptor_table_priority_2fv1_2fadmin_5fservice_2eproto}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()
                              ->FindFileByName(table->filename)
                              ->service(0);
    for (int i = 0; i < service->method_count(); ++i) methods.push_back(service->method(i));
  }
  return methods;
}

// Of each field of the request as many as there is room for, with as little as each may have.
std::vector<std::string> HostileBodies(const Descriptor& type, size_t bytes, int depth = 1) {
  std::vector<std::string> bodies = {Repeated(Delimited(9999, ""), bytes),
                                     Repeated(Varint(9999 << 3) + '\1', bytes)};
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const bool is_message = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool is_text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    if (is_message || is_text) bodies.push_back(Repeated(Delimited(field.number(), ""), bytes));
    if (field.is_packable()) bodies.push_back(Delimited(field.number(), std::string(bytes, '\1')));
    if (!is_message || depth == 0) continue;
    for (const std::string& inner : HostileBodies(*field.message_type(), bytes, depth - 1))
      bodies.push_back(Delimited(field.number(), inner));
  }
  return bodies;
}

grpc::Status Send(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                  const std::string& token, const std::string& body) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(60)));
  if (!token.empty()) context.AddMetadata("authorization", "Bearer " + token);
  const grpc::Slice slice(body);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  grpc::Status answer;
  absl::Notification done;
  stub.UnaryCall(&context, method, {}, &request, &response, [&](grpc::Status status) {
    answer = std::move(status);
    done.Notify();
  });
  done.WaitForNotification();
  return answer;
}

// A server with its page, and what it has in memory.
class HostileBodiesTest : public testing::Test {
 protected:
  void Start(std::vector<std::string> flags = {}) {
    flags.push_back("--http_listen=127.0.0.1:0");
    server_ = std::make_unique<SecuredPriorityd>("", std::move(flags));
    http_ = server_->process().AwaitLogged("page, JSON and metrics on ");
    channel_ = server_->process().Connect();
    token_ = server_->Token("root");
    ExpectServed();
    idle_ = Memory("VmRSS:");
  }

  void ExpectServed() {
    const absl::Status status = client::PriorityClient(server_->As("root")).ListShares({}).status();
    EXPECT_TRUE(status.ok()) << status;
  }

  // In bytes, of a line of /proc/PID/status.
  size_t Memory(const std::string& line) const {
    std::ifstream status(absl::StrCat("/proc/", server_->process().pid(), "/status"));
    for (std::string word; status >> word;) {
      size_t kib = 0;
      if (word == line && status >> kib) return kib << 10;
    }
    return 0;
  }
  size_t MostGrowth() const { return Memory("VmHWM:") - std::min(idle_, Memory("VmHWM:")); }

  httplib::Result Post(const std::string& path, const std::string& token,
                       const std::string& body) const {
    httplib::Client client(http_);
    client.set_read_timeout(60);
    client.set_write_timeout(60);
    httplib::Headers headers;
    if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
    return client.Post(path, headers, body, "application/json");
  }

  std::unique_ptr<SecuredPriorityd> server_;
  std::string http_;
  std::string token_;
  std::shared_ptr<grpc::Channel> channel_;
  size_t idle_ = 0;
};

// What is measured where nothing counts for more than it is.
constexpr size_t kNoise = kIsSanitized ? 1000 * kMib : 24 * kMib;

TEST_F(HostileBodiesTest, WhoProvesNothingTakesNoMemoryHoweverMuchIsSent) {
  Start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Send(channel_, kRankJobs, "", EmptyJobs(60 * kMib)).error_code(),
              StatusCode::UNAUTHENTICATED);
  }
  for (int i = 0; i < 3; ++i) {
    const auto answer = Post("/v1/PriorityService/RankJobs", "", EmptyJobsAsJson(30 * kMib));
    // The server closes the connection while the rest still comes.
    EXPECT_TRUE(!answer || answer->status == 401);
  }
  EXPECT_LT(MostGrowth(), kNoise);
  ExpectServed();
}

TEST_F(HostileBodiesTest, ACallerWhoIsKnownIsRefusedWhatWouldBecomeTooMuch) {
  Start();
  const grpc::Status refused = Send(channel_, kRankJobs, token_, EmptyJobs(40 * kMib));
  EXPECT_EQ(refused.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.error_message(), testing::HasSubstr("want at most 200000 a call"));
  const grpc::Status hollow = Send(channel_, "/priority.v1.AdminService/Import", token_,
                                   Repeated(Delimited(2, ""), 40 * kMib));
  EXPECT_EQ(hollow.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_LT(MostGrowth(), 8 * 41 * kMib);
  ExpectServed();
}

TEST_F(HostileBodiesTest, NoRequestOfAnyRpcGrowsTheServerByMoreThanEightTimesItsBytes) {
  // With an eighth of which each message may be larger.
  constexpr size_t kBudgetMib = 64;
  constexpr size_t kConstant = kBudgetMib * kMib / 2;
  constexpr size_t kBytes = kMib / 2;
  Start({absl::StrCat("--memory_budget=", kBudgetMib)});
  ASSERT_GT(Methods().size(), 40u);
  for (const MethodDescriptor* method : Methods()) {
    const std::string path = absl::StrCat("/", method->service()->full_name(), "/", method->name());
    for (const std::string& body : HostileBodies(*method->input_type(), kBytes))
      Send(channel_, path, token_, body);
    ASSERT_LT(MostGrowth(), 8 * kBytes + kConstant + kNoise) << path;
  }
  for (const MethodDescriptor* method : Methods()) {
    const std::string path = absl::StrCat("/v1/", method->service()->name(), "/", method->name());
    for (int i = 0; i < method->input_type()->field_count(); ++i) {
      const FieldDescriptor& field = *method->input_type()->field(i);
      if (!field.is_repeated()) continue;
      Post(path, token_,
           absl::StrCat("{\"", field.name(), "\":[{}", Repeated(",{}", kBytes), "]}"));
    }
    Post(path, token_, Repeated("[", kBytes));
    Post(path, token_, EmptyJobsAsJson(kBytes));
    ASSERT_LT(MostGrowth(), 8 * kBytes + kConstant + kNoise) << path;
  }
  std::printf("grew by %zu MiB at most\n", MostGrowth() / kMib);
  ExpectServed();
}

// A call with what it sends.
struct HostileCall {
  std::string path;
  std::string body;
};

// Some of each RPC, of up to 4 MiB.
std::vector<HostileCall> SomeHostileCalls() {
  std::mt19937 random(32);
  std::vector<HostileCall> calls;
  for (const MethodDescriptor* method : Methods()) {
    const size_t times = size_t{1} << random() % 7;
    for (const std::string& body : HostileBodies(*method->input_type(), kMib / 16)) {
      if (random() % 8 > 0) continue;
      // Parts of a message may come one after another.
      std::string all;
      for (size_t i = 0; i < times; ++i) all += body;
      calls.push_back(
          {absl::StrCat("/", method->service()->full_name(), "/", method->name()), std::move(all)});
    }
  }
  return calls;
}

TEST_F(HostileBodiesTest, UnderAHostileMixTheProcessStaysWithinItsBudget) {
  constexpr size_t kBudgetMib = 128;
  const std::vector<HostileCall> calls = SomeHostileCalls();
  const std::string json = EmptyJobsAsJson(2 * kMib);
  Start({absl::StrCat("--memory_budget=", kBudgetMib)});
  std::vector<std::thread> callers;
  std::atomic<int> sent{0};
  for (unsigned caller = 0; caller < 12; ++caller) {
    callers.emplace_back([&, caller] {
      std::mt19937 random(caller);
      const auto channel = server_->process().Connect();
      for (const absl::Time end = absl::Now() + absl::Seconds(8); absl::Now() < end; ++sent) {
        const HostileCall& call = calls[random() % calls.size()];
        if (random() % 4 == 0) {
          Post("/v1/PriorityService/RankJobs", token_, json);
        } else {
          Send(channel, call.path, random() % 3 == 0 ? "" : token_, call.body);
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  std::printf("%d hostile requests: grew by %zu MiB at most, of a budget of %zu\n", sent.load(),
              MostGrowth() / kMib, kBudgetMib);
  EXPECT_TRUE(kIsSanitized || MostGrowth() <= kBudgetMib * kMib * 5 / 4);
  ExpectServed();
}

TEST_F(HostileBodiesTest, WhatALargeRequestTookIsReturnedWithinAMinute) {
  Start();
  v1::RankJobsRequest request;
  for (int i = 0; i < 100'000; ++i) {
    v1::Job* job = request.mutable_jobs()->add_jobs();
    job->set_job_id(absl::StrCat(i));
    job->set_user("amy");
    job->set_account("a");
    job->mutable_submit_time()->set_seconds(1'700'000'000 + i);
  }
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      Send(server_->process().Connect(), kRankJobs, token_, request.SerializeAsString());
    });
  }
  for (std::thread& caller : callers) caller.join();
  const size_t most = Memory("VmHWM:");
  EXPECT_GT(most, idle_ + 64 * kMib) << "it took too little to be seen";
  const absl::Time start = absl::Now();
  const bool returned =
      Await([&] { return Memory("VmRSS:") <= idle_ + 64 * kMib; }, absl::Minutes(1));
  std::printf("%zu MiB at most, %zu MiB after %s\n", most / kMib, Memory("VmRSS:") / kMib,
              absl::FormatDuration(absl::Now() - start).c_str());
  EXPECT_TRUE(returned || kIsSanitized);
}

}  // namespace
}  // namespace priorityd
