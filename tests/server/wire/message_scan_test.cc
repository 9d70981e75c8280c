// What is counted in bytes, against what protobuf makes of them.
#include "server/wire/message_scan.h"

#include <gmock/gmock.h>
#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "priority/v1/ranking.pb.h"
#include "priority/v1/usage.pb.h"
#include "tests/sanitizer.h"

namespace priorityd::wire {
namespace {

namespace v1 = ::priority::v1;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;

using Random = std::mt19937_64;

// Every type of request.
std::vector<const Descriptor*> RequestTypes() {
  std::vector<const Descriptor*> types;
  for (const auto* table : {&::descriptor_table_priority_2fv1_2fpriority_5fservice_2eproto,
                            &::descriptor_table_priority_2fv1_2fadmin_5fservice_2eproto}) {
    const auto* service = google::protobuf::DescriptorPool::generated_pool()
                              ->FindFileByName(table->filename)
                              ->service(0);
    for (int i = 0; i < service->method_count(); ++i)
      types.push_back(service->method(i)->input_type());
  }
  return types;
}

const Message& PrototypeOf(const Descriptor& type) {
  return *google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
}

size_t HeapInUse() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// What the heap grows by while the message is there; 0 = it is none.
size_t GrowthBy(const Descriptor& type, const std::string& bytes) {
  const size_t before = HeapInUse();
  google::protobuf::ArenaOptions options;
  options.max_block_size = 1 << 20;
  google::protobuf::Arena arena(options);
  Message* message = PrototypeOf(type).New(&arena);
  if (!message->ParseFromString(bytes)) return 0;
  const size_t after = HeapInUse();
  return after > before ? after - before : 1;
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string Tag(int number, int type) {
  return Varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type));
}
std::string Delimited(int number, const std::string& content) {
  return Tag(number, 2) + Varint(content.size()) + content;
}
std::string Repeat(const std::string& part, size_t bytes) {
  std::string all;
  while (!part.empty() && all.size() < bytes) all += part;
  return all;
}

// One element of a field with as little as it may have, which costs most for its bytes.
std::string LeastElement(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Delimited(field.number(), "");
    case FieldDescriptor::CPPTYPE_STRING:
      return Delimited(field.number(), std::string(16, 'a'));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Tag(field.number(), 1) + std::string(8, 'a');
    default:
      return Tag(field.number(), 0) + Varint(1);
  }
}

// Many of each field of a type, of the fields of those, and of fields that it does not have.
std::vector<std::string> HostileBodies(const Descriptor& type, size_t bytes, int depth) {
  std::vector<std::string> bodies = {Repeat(Tag(9999, 0) + Varint(1), bytes),
                                     Repeat(Delimited(9999, ""), bytes),
                                     Repeat(Delimited(9999, std::string(17, 'x')), bytes),
                                     Repeat(Tag(9999, 3) + Tag(9999, 4), bytes)};
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    bodies.push_back(Repeat(LeastElement(field), bytes));
    if (field.is_packable()) bodies.push_back(Delimited(field.number(), std::string(bytes, '\1')));
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || depth == 0) continue;
    for (const std::string& inner : HostileBodies(*field.message_type(), 64, depth - 1)) {
      bodies.push_back(Repeat(Delimited(field.number(), inner), bytes));
    }
    for (const std::string& inner : HostileBodies(*field.message_type(), bytes, 0)) {
      bodies.push_back(Delimited(field.number(), inner));
    }
  }
  return bodies;
}

absl::StatusOr<Scanned> ScanOf(const Descriptor& type, const std::string& bytes) {
  return MessageScan(type).Scan({absl::string_view(bytes)});
}

TEST(MessageScanTest, NoRequestTakesMoreThanWasCountedWhateverItsBytes) {
  // The last block of an arena, and what is left of blocks before lists that outgrew them.
  constexpr size_t kArenaSlack = 3 << 20;
  constexpr size_t kBytes = 100'000;
  size_t bodies = 0;
  for (const Descriptor* type : RequestTypes()) {
    const MessageScan scan(*type);
    for (const std::string& body : HostileBodies(*type, kBytes, 1)) {
      const auto scanned = scan.Scan({absl::string_view(body)});
      const size_t grown = GrowthBy(*type, body);
      if (grown == 0) continue;
      ASSERT_TRUE(scanned.ok()) << type->name() << " " << scanned.status();
      ASSERT_LE(grown, scanned->parsed_bytes + kArenaSlack)
          << type->name() << " begins with " << testing::PrintToString(body.substr(0, 40));
      ++bodies;
    }
  }
  EXPECT_GT(bodies, 1000u);
}

TEST(MessageScanTest, RandomBytesAreTakenOrRefusedAsTheParserDoes) {
  Random random(7);
  int taken = 0;
  for (const Descriptor* type : RequestTypes()) {
    const MessageScan scan(*type);
    for (int i = 0; i < 300; ++i) {
      std::string bytes;
      for (int parts = static_cast<int>(random() % 4); parts >= 0; --parts) {
        const int number = static_cast<int>(random() % 14);
        bytes += random() % 3 > 0 ? Delimited(number, std::string(random() % 5, '\2'))
                                  : Tag(number, static_cast<int>(random() % 8));
        if (random() % 4 == 0) bytes += static_cast<char>(random());
      }
      const std::unique_ptr<Message> message(PrototypeOf(*type).New());
      const bool parses = message->ParseFromString(bytes);
      taken += parses;
      EXPECT_TRUE(!parses || scan.Scan({absl::string_view(bytes)}).ok()) << type->name();
    }
  }
  EXPECT_GT(taken, 1000);
}

TEST(MessageScanTest, ATextThatGrowsWhenItIsReadIsCountedBesideTheMessage) {
  v1::SimulateRequest request;
  request.set_cluster("c");
  request.set_policy_text(std::string(1000, 'x'));
  const std::string bytes = request.SerializeAsString();
  const MessageScan scan(*v1::SimulateRequest::descriptor(), {},
                         {{"policy_text", 72}, {"policy_file_name", 9}, {"no_such_field", 9}});
  const auto scanned = scan.Scan({absl::string_view(bytes)});
  ASSERT_TRUE(scanned.ok()) << scanned.status();
  EXPECT_EQ(scanned->text_bytes, 72'000u);
  EXPECT_EQ(scanned->parsed_bytes, ScanOf(*v1::SimulateRequest::descriptor(), bytes)->parsed_bytes);
}

v1::RankJobsRequest HonestRequest(int jobs) {
  v1::RankJobsRequest request;
  request.set_cluster("palmetto");
  for (int i = 0; i < jobs; ++i) {
    v1::Job* job = request.mutable_jobs()->add_jobs();
    job->set_job_id(absl::StrCat(1'000'000 + i));
    job->set_user(absl::StrCat("user", i % 1000));
    job->set_account(absl::StrCat("account", i % 100));
    job->add_partitions("standard");
    job->add_qos("normal");
    job->set_cpus(16);
    job->set_nodes(1);
    job->mutable_submit_time()->set_seconds(1'700'000'000 + i);
    job->mutable_time_limit()->set_seconds(3600);
  }
  return request;
}

TEST(MessageScanTest, AnHonestRequestIsCountedAsNoMoreThanThreeTimesWhatItTakes) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const v1::RankJobsRequest request = HonestRequest(20'000);
  const std::string bytes = request.SerializeAsString();
  const auto scanned = ScanOf(*v1::RankJobsRequest::descriptor(), bytes);
  ASSERT_TRUE(scanned.ok());
  const size_t grown = GrowthBy(*v1::RankJobsRequest::descriptor(), bytes);
  EXPECT_LE(scanned->parsed_bytes, 3 * grown);
  EXPECT_EQ(scanned->cluster, "palmetto");
  EXPECT_TRUE(scanned->Has(v1::RankJobsRequest::kJobsFieldNumber));
  EXPECT_FALSE(scanned->Has(v1::RankJobsRequest::kTrackedFieldNumber));
  std::printf("20,000 jobs: %zu bytes, %zu counted, %zu taken\n", bytes.size(),
              scanned->parsed_bytes, grown);
}

// What this thread alone has computed.
absl::Duration CpuTime() {
  timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

// The least time of ten runs.
absl::Duration LeastTimeOf(absl::FunctionRef<void()> work) {
  absl::Duration least = absl::InfiniteDuration();
  for (int i = 0; i < 10; ++i) {
    const absl::Duration before = CpuTime();
    work();
    least = std::min(least, CpuTime() - before);
  }
  return least;
}

TEST(MessageScanTest, AHundredThousandJobsAreCountedInHalfTheTimeOfParsing) {
  if (kIsSanitized) GTEST_SKIP() << "the parser is not instrumented";
  const std::string bytes = HonestRequest(100'000).SerializeAsString();
  const MessageScan scan(*v1::RankJobsRequest::descriptor());
  const absl::Duration counted =
      LeastTimeOf([&] { EXPECT_TRUE(scan.Scan({absl::string_view(bytes)}).ok()); });
  const absl::Duration parsed = LeastTimeOf([&] {
    v1::RankJobsRequest request;
    EXPECT_TRUE(request.ParseFromString(bytes));
  });
  std::printf("100,000 jobs, %zu bytes: counted in %s, parsed in %s\n", bytes.size(),
              absl::FormatDuration(counted).c_str(), absl::FormatDuration(parsed).c_str());
  EXPECT_LT(counted, parsed / 2);
}

TEST(MessageScanTest, CountsTheSameHoweverTheBytesAreCut) {
  const std::string bytes = HonestRequest(50).SerializeAsString();
  const MessageScan scan(*v1::RankJobsRequest::descriptor());
  const size_t whole = scan.Scan({absl::string_view(bytes)})->parsed_bytes;
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{1000}}) {
    std::vector<absl::string_view> chunks = {""};
    for (size_t at = 0; at < bytes.size(); at += piece)
      chunks.push_back(absl::string_view(bytes).substr(at, piece));
    const auto scanned = scan.Scan(chunks);
    ASSERT_TRUE(scanned.ok()) << piece;
    EXPECT_EQ(scanned->parsed_bytes, whole) << piece;
    EXPECT_EQ(scanned->cluster, "palmetto");
  }
}

TEST(MessageScanTest, AFieldThatComesTooOftenIsNamedWithGotAndWant) {
  const MessageScan scan(*v1::RankJobsRequest::descriptor(),
                         {{"jobs.jobs", 10}, {"no.such.path", 1}});
  EXPECT_TRUE(scan.Scan({absl::string_view(HonestRequest(10).SerializeAsString())}).ok());
  const std::string bytes = HonestRequest(11).SerializeAsString();
  const absl::Status refused = scan.Scan({absl::string_view(bytes)}).status();
  EXPECT_EQ(errors::ReasonOf(refused), "INVALID_FIELD");
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("jobs.jobs: got 11, want at most 10 a call"));
}

TEST(MessageScanTest, TheClusterIsThatOfTheRequestAlsoWhereItIsAMessage) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("orc");
  EXPECT_EQ(ScanOf(*v1::UpdateClusterRequest::descriptor(), request.SerializeAsString())->cluster,
            "orc");
}

TEST(MessageScanTest, MessagesWithinEachOtherHaveADepth) {
  std::string groups;
  for (int i = 0; i < 200; ++i) groups = Tag(99, 3) + groups + Tag(99, 4);
  EXPECT_EQ(errors::ReasonOf(ScanOf(*v1::RankJobsRequest::descriptor(), groups).status()),
            "INVALID_MESSAGE");
}

TEST(MessageScanTest, WhatIsCutOffIsNoMessage) {
  const std::string whole = HonestRequest(1).SerializeAsString();
  for (const std::string& bytes :
       {whole.substr(0, whole.size() - 1), Tag(1, 2), Tag(1, 2) + "\x7f", std::string("\xff"),
        Tag(5, 4), Tag(5, 3), std::string("\0", 1), Tag(1, 7)}) {
    EXPECT_EQ(errors::ReasonOf(ScanOf(*v1::RankJobsRequest::descriptor(), bytes).status()),
              "INVALID_MESSAGE")
        << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace priorityd::wire
