#include "server/transport/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/clock.h"
#include "engine/errors/error_details.h"

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

TEST(AdmissionTest, OneThatIsLargerThanAllRoomIsRefusedWhateverElseIsThere) {
  Admission admission(100);
  EXPECT_FALSE(admission.Admit(101).ok());
  EXPECT_TRUE(admission.Admit(100).ok());
}

TEST(AdmissionTest, RoomIsTakenOfTheSameMemoryButIsNoCall) {
  Admission admission(100);
  auto room = admission.Reserve(70);
  ASSERT_TRUE(room.ok());
  EXPECT_EQ(admission.calls(), 0u);
  EXPECT_FALSE(admission.Admit(31).ok());
  EXPECT_FALSE(admission.Take(31));
  EXPECT_TRUE(admission.Take(30));
  admission.GiveBack(30);
  *room = nullptr;
  EXPECT_EQ(admission.bytes(), 0u);
}

TEST(AdmissionTest, WaitsUntilNoCallIsInProgress) {
  Admission admission(100);
  EXPECT_TRUE(admission.AwaitNone(absl::InfinitePast()));
  auto call = admission.Admit(0);
  EXPECT_FALSE(admission.AwaitNone(absl::InfinitePast()));
  *call = nullptr;
  EXPECT_TRUE(admission.AwaitNone(absl::InfiniteFuture()));
}

TEST(AdmissionTest, ACallerWithItsPartIsRefusedByNameAndOthersAndServicesAreServed) {
  Admission admission(100);
  auto call = admission.Admit(20, {"user:fay"});
  auto room = admission.Reserve(30, {"user:fay"});
  ASSERT_TRUE(call.ok());
  ASSERT_TRUE(room.ok());
  for (const absl::Status& refused :
       {admission.Admit(1, {"user:fay"}).status(), admission.Reserve(1, {"user:fay"}).status()}) {
    EXPECT_EQ(errors::ReasonOf(refused), "QUOTA_EXCEEDED");
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr("request_bytes: got 51 of user:fay, want at most 50 of one caller "
                          "(--quota=request_bytes=N)"));
    EXPECT_TRUE(errors::RetryDelayOf(refused).has_value());
  }
  EXPECT_FALSE(admission.Reserve(41, {"user:gus"}).ok()) << "a tenth is for services";
  const auto other = admission.Reserve(40, {"user:gus"});
  EXPECT_TRUE(other.ok());
  const auto service = admission.Reserve(10, {.name = "user:frontend", .is_service = true});
  EXPECT_TRUE(service.ok());
  EXPECT_EQ(admission.bytes(), 100u);
  EXPECT_EQ(admission.calls(), 1u);
  *call = nullptr;
  *room = nullptr;
  EXPECT_EQ(admission.bytes(), 50u);
  EXPECT_EQ(admission.calls(), 0u);
  EXPECT_TRUE(admission.Reserve(40, {"user:fay"}).ok());
}

TEST(AdmissionTest, WhatFindsNoMemoryTakesNothingOfItsCallersPart) {
  Admission admission(100);
  ASSERT_TRUE(admission.Take(60));
  EXPECT_EQ(errors::ReasonOf(admission.Reserve(45, {"user:fay"}).status()), "MEMORY_BUDGET");
  EXPECT_EQ(admission.usage().used, 0u);
  EXPECT_TRUE(admission.Reserve(40, {"user:fay"}).ok());
}

}  // namespace
}  // namespace priorityd::rpc
