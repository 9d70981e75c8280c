#include "storage/jobs/forecast_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

ForecastEventRow Submission(int64_t number) {
  return {.number = number,
          .kind = 1,
          .at = 1'767'571'200 + number,
          .job_id = "j{1},\"é",
          .cpus = 0.1 + 0.2,
          .time_limit = 3600,
          .user = "amy",
          .account = "a",
          .partition = "main",
          .qos = "",
          .jobs_ahead = 12,
          .fair_share = 1.0 / 3,
          .held_by_limit = 0,
          .planned_wait = 1.0 / 7,
          .earliest_wait = 0};
}

class ForecastStoreTest : public StoreTest {
 protected:
  absl::Status Append(const std::vector<ForecastEventRow>& events) {
    return Write([&](Transaction& t) { return ForecastStore(t).Append(cluster_.id, events); });
  }
  std::vector<ForecastEventRow> List(int64_t after, int64_t limit = 100) {
    return Read([&](Transaction& t) { return ForecastStore(t).List(cluster_.id, after, limit); })
        .value();
  }
  int64_t Last() {
    return Read([&](Transaction& t) { return ForecastStore(t).Last(cluster_.id); }).value();
  }
};

TEST_F(ForecastStoreTest, EventsAreListedByNumberToTheBit) {
  EXPECT_EQ(Last(), 0);
  ASSERT_OK(Append({Submission(1), Submission(2)}));
  ASSERT_OK(Append({Submission(3)}));
  EXPECT_EQ(List(0), (std::vector<ForecastEventRow>{Submission(1), Submission(2), Submission(3)}));
  EXPECT_EQ(List(1, 1), std::vector<ForecastEventRow>{Submission(2)});
  EXPECT_EQ(Last(), 3);
}

TEST_F(ForecastStoreTest, OfTwoReplicasThatAppendOneMustReadAgain) {
  ASSERT_OK(Append({Submission(1), Submission(2)}));
  const absl::Status second = Append({Submission(2), Submission(3)});
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists) << second;
  EXPECT_EQ(Last(), 2) << "none of its events is stored";
}

TEST_F(ForecastStoreTest, OldEventsAreDeleted) {
  ASSERT_OK(Append({Submission(1), Submission(2), Submission(3)}));
  ASSERT_OK(Write([&](Transaction& t) { return ForecastStore(t).DeleteUntil(cluster_.id, 2); }));
  EXPECT_EQ(List(0), std::vector<ForecastEventRow>{Submission(3)});
  EXPECT_EQ(Last(), 3);
}

}  // namespace
}  // namespace priorityd::storage
