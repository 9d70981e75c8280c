// Events of thresholds of grants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/api/grants/grants_fixture.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;

class GrantEventsTest : public GrantsTest {
 protected:
  // `grant percent of available minutes`, oldest first.
  std::vector<std::string> Events() {
    std::vector<std::string> events;
    const auto response =
        Called<v1::ListBudgetEventsResponse>(v1::ListBudgetEventsRequest(), nullptr);
    for (const v1::BudgetEvent& event : response.events()) {
      events.push_back(
          absl::StrCat(event.grant(), " ", event.percent(), " of ", event.limit_minutes()));
    }
    return events;
  }
};

// A change of the amount is a new chance to warn; so is a new window.
TEST_F(GrantEventsTest, EachWindowAndAmountReportsItsThresholds) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Window=month"});
  Used(0, 1, 1.5);  // 90
  RecalculateAt(Hour(1));
  EXPECT_THAT(Events(), ElementsAre("g 50 of 100", "g 80 of 100"));
  RecalculateAt(Hour(2));
  EXPECT_EQ(Events().size(), 2u);
  Grant("g", {"Amount=110"});
  RecalculateAt(Hour(2));
  EXPECT_THAT(Events(), ElementsAre("g 50 of 100", "g 80 of 100", "g 50 of 110", "g 80 of 110"));
}

// The window of two days has 90 of 100 minutes on two days, none on the third, then 60.
TEST_F(GrantEventsTest, ARollingWindowReportsAThresholdAgainOnlyAfterUsageFell) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Window=rolling:2"});
  Used(24, 25, 1.5);
  RecalculateAt(Hour(25));
  EXPECT_THAT(Events(), ElementsAre("g 50 of 100", "g 80 of 100"));
  RecalculateAt(Hour(49));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 90);
  EXPECT_EQ(Events().size(), 2u);
  RecalculateAt(Hour(73));
  EXPECT_EQ(OneGrant("g").balance().used_minutes(), 0);
  Used(73, 74, 1);
  RecalculateAt(Hour(74));
  EXPECT_THAT(Events(), ElementsAre("g 50 of 100", "g 80 of 100", "g 50 of 100"));
}

// Half of January is carried over, 50 minutes; after a late record of 30 minutes half of 70.
TEST_F(GrantEventsTest, ALateRecordOfAnEarlierWindowRepeatsNoThreshold) {
  Grant("g", {"Accounts=a", "Amount=100", "Begin=2026-01-05T00:00:00Z", "Window=month",
              "CarryOver=50%"});
  const double february = 24 * 27;
  Used(february, february + 1, 1.5);
  RecalculateAt(Hour(february + 2));
  EXPECT_THAT(Events(), ElementsAre("g 50 of 150"));
  Used(0, 1, .5);
  RecalculateAt(Hour(february + 3));
  EXPECT_EQ(OneGrant("g").balance().available_minutes(), 135);
  EXPECT_EQ(Events().size(), 1u);
}

}  // namespace
}  // namespace priorityd::rpc
