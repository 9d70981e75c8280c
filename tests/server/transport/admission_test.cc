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
