// What used up grants do to jobs, beforehand and then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/server/api/grants/grants_fixture.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two of the jobs are of account a.
class GrantEffectTest : public GrantsTest {
 protected:
  GrantEffectTest() {
    UpdateJobs(service_, Upserts({JobOf("1"), JobOf("2", "ben"), JobOf("3", "cat")}));
    Used(0, 1, 2);
    RecalculateAt(Hour(1));
  }

  std::vector<std::string> WarningsOf(const Names& settings, bool validate_only = false) {
    v1::UpdateGrantsRequest request;
    request.add_names("g");
    request.set_allow_missing(true);
    request.mutable_options()->set_validate_only(validate_only);
    AddSettings({"Accounts=a", "Begin=2026-01-05T00:00:00Z"}, &request);
    AddSettings(settings, &request);
    const v1::ChangeResponse response = Changed(request, nullptr);
    return {response.warnings().begin(), response.warnings().end()};
  }
};

TEST_F(GrantEffectTest, ANewGrantThatIsUsedUpAtOnceWarnsOfTheJobsThatItHolds) {
  for (const bool validate_only : {true, false}) {
    EXPECT_THAT(WarningsOf({"Amount=100", "Consequence=block"}, validate_only),
                ElementsAre(HasSubstr("grant g is used up at once: 120 billing minutes are used; 2 "
                                      "of the 3 pending jobs, of 2 of the ")));
  }
  EXPECT_EQ(OneGrant("g").attributes().at("Consequence"), "block");
}

TEST_F(GrantEffectTest, AGrantThatLeavesSomethingOrHasNoConsequenceDoesNotWarn) {
  EXPECT_THAT(WarningsOf({"Amount=121", "Consequence=block"}, true), IsEmpty());
  EXPECT_THAT(WarningsOf({"Amount=100"}, true), IsEmpty());
}

TEST_F(GrantEffectTest, ALowerAmountAndAnotherConsequenceWarnToo) {
  EXPECT_THAT(WarningsOf({"Amount=1000"}), IsEmpty());
  RecalculateAt(Hour(2));
  EXPECT_THAT(WarningsOf({"Amount=60", "Consequence=demote:FairShare=10%"}),
              ElementsAre(HasSubstr("are demoted by FairShare=10%")));
  Used(1, 2, 2, "cat", "b");
  EXPECT_THAT(WarningsOf({"Consequence=cap:cpu=2"}),
              ElementsAre(HasSubstr("wait while the running ones have cpu=2")));
}

TEST_F(GrantEffectTest, AWindowThatBeganLongAgoIsSaidToBeUnknown) {
  EXPECT_THAT(
      Grant("old", {"Accounts=b", "Begin=2025-01-01", "Amount=1", "Consequence=block"}).warnings(),
      ElementsAre(HasSubstr("is not known before the next recalculation")));
}

// 9:00 in Tokyo is 0:00 in UTC.
TEST_F(GrantEffectTest, AChangeShowsTimesInThePolicysZone) {
  Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=Asia/Tokyo\n");
  RecalculateAt(Hour(1));
  Grant("g", {"Accounts=a", "Amount=1", "Begin=2026-01-05T00:00:00Z"});
  const v1::ChangeResponse response = Grant("g", {"End=2026-03-01T08:00:00"});
  EXPECT_EQ(response.changes(0).after(), "End=2026-03-01T08:00:00");
  EXPECT_EQ(OneGrant("g").attributes().at("Begin"), "2026-01-05T00:00:00Z");
}

// --- Other consequences -------------------------------------------------------------------

class ConsequenceTest : public GrantsTest {
 protected:
  // Used up after this.
  void UseUp(const std::string& consequence) {
    Grant("g", {"Accounts=a", "Amount=60", "Begin=2026-01-05T00:00:00Z", "Window=month",
                "Consequence=" + consequence});
    Used(0, 1, 1);
    RecalculateAt(Hour(1));
  }
  uint32_t PriorityOf(const std::string& user) {
    return RankOne(service_, user, "double").ranked(0).priority();
  }
};

TEST_F(ConsequenceTest, APartOfAFactorAndABandLowerPrioritiesUntilTheNextWindow) {
  UseUp("demote:QOS=12.5%");
  EXPECT_EQ(OneGrant("g").attributes().at("Consequence"), "demote:QOS=12.5%");
  EXPECT_EQ(PriorityOf("amy"), 125u);
  EXPECT_EQ(PriorityOf("cat"), 1000u);
  Grant("g", {"Consequence=demote:band=70"});
  RecalculateAt(Hour(2));
  EXPECT_EQ(PriorityOf("amy"), 70u);
  RecalculateAt(Hour(27 * 24));
  EXPECT_EQ(PriorityOf("amy"), 1000u);
}

TEST_F(ConsequenceTest, ACapLetsALargerJobWait) {
  UseUp("cap:cpu=0");
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpCpuLimit");
  Grant("g", {"Consequence=cap:cpu=1"});
  RecalculateAt(Hour(2));
  EXPECT_EQ(ReasonOf("amy"), "");
}

TEST_F(ConsequenceTest, ARefusalIsForSubmissionsNotForAFullSync) {
  UseUp("refuse");
  const auto submit = [this](bool full_sync) {
    v1::Job job = JobOf("1");
    job.set_cpus(1);
    v1::UpdateJobsRequest request = Upserts({job});
    request.set_full_sync(full_sync);
    return UpdateJobs(service_, request);
  };
  const v1::JobUpdateResult refused = submit(false).upserts(0);
  EXPECT_EQ(refused.reason(), "AssocGrpBillingMinutes");
  EXPECT_THAT(refused.message(), HasSubstr("grant g of account a is used up until 2026-02-01"));
  EXPECT_EQ(submit(true).upserts(0).reason(), "");
}

}  // namespace
}  // namespace priorityd::rpc
