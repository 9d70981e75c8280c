#include "storage/grants/budget_event_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

BudgetEvent Event(const std::string& account, int32_t percent) {
  return {.threshold = {.account = account, .tres = "billing", .percent = percent},
          .limit_seconds = 6000,
          .used_seconds = 60.5 * percent,
          .reached_at = Microseconds(percent)};
}

class BudgetEventStoreTest : public StoreTest {
 protected:
  absl::Status Append(const std::vector<BudgetEvent>& events) {
    return Write([&](Transaction& t) { return BudgetEventStore(t).Append(cluster_.id, events); });
  }
  std::vector<BudgetThreshold> Told() {
    return Read([&](Transaction& t) { return BudgetEventStore(t).ListReported(cluster_.id); })
        .value();
  }
  // Without their ids.
  std::vector<BudgetEvent> List(const BudgetEventFilter& filter) {
    auto events =
        Read([&](Transaction& t) { return BudgetEventStore(t).List(cluster_.id, filter); }).value();
    for (BudgetEvent& event : events) event.id = 0;
    return events;
  }
};

TEST_F(BudgetEventStoreTest, EventsAreListedInTheirOrderAndKnownFromThenOn) {
  ASSERT_OK(Append({Event("a", 80), Event("b", 50)}));
  EXPECT_EQ(List({.limit = 10}), (std::vector<BudgetEvent>{Event("a", 80), Event("b", 50)}));
  EXPECT_EQ(List({.accounts = {"b"}, .limit = 10}), std::vector<BudgetEvent>{Event("b", 50)});
  EXPECT_EQ(List({.limit = 1}), std::vector<BudgetEvent>{Event("a", 80)});
  EXPECT_EQ(Told().size(), 2u);
}

TEST_F(BudgetEventStoreTest, AnEventIsNotAppendedTwice) {
  ASSERT_OK(Append({Event("a", 80)}));
  EXPECT_FALSE(Append({Event("a", 80)}).ok());
  EXPECT_EQ(List({.limit = 10}).size(), 1u);
}

TEST_F(BudgetEventStoreTest, AForgottenEventCanBeAppendedAgain) {
  ASSERT_OK(Append({Event("a", 50), Event("a", 80)}));
  ASSERT_OK(Write([&](Transaction& t) {
    return BudgetEventStore(t).Forget(cluster_.id, {Event("a", 80).threshold});
  }));
  EXPECT_EQ(Told(), std::vector<BudgetThreshold>{Event("a", 50).threshold});
  ASSERT_OK(Append({Event("a", 80)}));
  EXPECT_EQ(List({.limit = 10}).size(), 3u);
}

TEST_F(BudgetEventStoreTest, OldEventsAreDeletedAndStillKnown) {
  ASSERT_OK(Append({Event("a", 50), Event("a", 80)}));
  ASSERT_OK(Write([&](Transaction& t) {
    return BudgetEventStore(t).DeleteBefore(cluster_.id, Microseconds(80));
  }));
  EXPECT_EQ(List({.limit = 10}), std::vector<BudgetEvent>{Event("a", 80)});
  EXPECT_EQ(Told().size(), 2u);
}

TEST_F(BudgetEventStoreTest, AReaderContinuesAfterTheLastEventThatItReceived) {
  ASSERT_OK(Append({Event("a", 50)}));
  const auto first =
      Read([&](Transaction& t) { return BudgetEventStore(t).List(cluster_.id, {.limit = 10}); });
  ASSERT_OK(Append({Event("a", 80)}));
  EXPECT_EQ(List({.after_id = first->back().id, .limit = 10}),
            std::vector<BudgetEvent>{Event("a", 80)});
}

}  // namespace
}  // namespace priorityd::storage
