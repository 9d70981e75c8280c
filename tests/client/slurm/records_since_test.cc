#include "client/slurm/records_since.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace priorityd::slurm_frontend {
namespace {

// The time since the first reading.
absl::Time At(int hours, int minutes = 0) {
  return absl::FromUnixSeconds(1'790'000'000) + absl::Hours(hours) + absl::Minutes(minutes);
}

class RecordsSinceTest : public ::testing::Test {
 protected:
  RecordsSinceTest() { since_.Recorded(At(0)); }

  RecordsSince since_{absl::Hours(48)};
};

TEST_F(RecordsSinceTest, AReadingBeginsTwoHoursBeforeTheLastOne) {
  EXPECT_EQ(RecordsSince(absl::Hours(48)).Begin(At(0)), At(-48));
  EXPECT_EQ(since_.Begin(At(0, 30)), At(-2));
  since_.Recorded(At(0, 30));
  EXPECT_EQ(since_.Begin(At(1)), At(-1, -30));
}

TEST_F(RecordsSinceTest, AReadingAfterAnOutageBeginsBeforeItHoweverLongItWas) {
  EXPECT_EQ(since_.Begin(At(72)), At(-2));
}

TEST_F(RecordsSinceTest, ReadingsOfAnHourAfterAnOutageBeginBeforeIt) {
  since_.Recorded(At(72));
  EXPECT_EQ(since_.Begin(At(72, 6)), At(-2));
  since_.Recorded(At(72, 30));
  EXPECT_EQ(since_.Begin(At(72, 54)), At(-2));
  since_.Recorded(At(72, 54));
  EXPECT_EQ(since_.Begin(At(73)), At(70, 54));
}

TEST_F(RecordsSinceTest, ReadingsAfterTheNextOutageBeginBeforeThatOne) {
  since_.Recorded(At(72));
  EXPECT_EQ(since_.Begin(At(75)), At(70));
  since_.Recorded(At(75));
  EXPECT_EQ(since_.Begin(At(75, 30)), At(70));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
