#include "server/rpc/admission.h"

#include <gmock/gmock.h>
#include <google/protobuf/arena.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/clock.h"
#include "priority/v1/usage.pb.h"
#include "server/errors/error_details.h"

namespace priorityd::rpc {
namespace {

using testing::HasSubstr;

TEST(AdmissionTest, RequestsAreAdmittedAsLongAsTheirBytesFitTogether) {
  Admission admission(100);
  auto first = admission.Admit(60);
  ASSERT_TRUE(first.ok());
  const auto refused = admission.Admit(41);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("got a request of 41 bytes beside 60, want at most 100 together"));
  EXPECT_EQ(errors::ReasonOf(refused.status()), "MEMORY_BUDGET");
  EXPECT_TRUE(errors::RetryDelayOf(refused.status()).has_value());
  const auto second = admission.Admit(40);
  EXPECT_TRUE(second.ok());
  *first = nullptr;
  EXPECT_EQ(admission.bytes(), 40u);
  EXPECT_EQ(admission.calls(), 1u);
  EXPECT_EQ(admission.most_bytes(), 100u);
}

TEST(AdmissionTest, OneThatIsLargerThanAllRoomIsAdmittedBesideLittle) {
  Admission admission(100);
  const auto little = admission.Admit(49);
  const auto large = admission.Admit(1000);
  EXPECT_TRUE(large.ok());
  EXPECT_FALSE(admission.Admit(1).ok());
}

TEST(AdmissionTest, ARequestWithoutAnythingTakesWhatACallTakes) {
  EXPECT_GE(Admission::BytesOf(::priority::v1::RecordUsageRequest()), kCallBytes);
}

// On an arena, where a text of the message is on the heap all the same.
TEST(AdmissionTest, ALongTextCountsWhereverTheMessageIs) {
  google::protobuf::Arena arena;
  ::priority::v1::RecordUsageRequest plain;
  auto* on_arena =
      google::protobuf::Arena::CreateMessage<::priority::v1::RecordUsageRequest>(&arena);
  for (auto* request : {&plain, on_arena}) {
    request->add_records()->set_source(std::string(1'000'000, 's'));
    EXPECT_GE(Admission::BytesOf(*request), 1'000'000u);
  }
}

TEST(AdmissionTest, WaitsUntilNoCallIsAtWork) {
  Admission admission(100);
  EXPECT_TRUE(admission.AwaitNone(absl::InfinitePast()));
  auto call = admission.Admit(0);
  EXPECT_FALSE(admission.AwaitNone(absl::InfinitePast()));
  *call = nullptr;
  EXPECT_TRUE(admission.AwaitNone(absl::InfiniteFuture()));
}

}  // namespace
}  // namespace priorityd::rpc
