// Grants of money under AccountingStorageEnforce=safe, on the small site.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/priority/site/job_prices.h"
#include "tests/engine/priority/ranking/grant_ranking_fixture.h"

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A CPU costs 1 for its time, under high 3, and what starts before kNow nothing.
class CpuPrices : public JobPrices {
 public:
  double CostOf(const std::string& book, const PricedJob& job) const override {
    if (book != "price/eur" || job.start < kNow) return 0;
    return job.count("cpu") * absl::ToDoubleSeconds(job.time) * (job.qos == "high" ? 3 : 1);
  }
  std::string CurrencyOf(const std::string&) const override { return "EUR"; }
};

class GrantMoneyTest : public GrantRankingTest {
 protected:
  GrantMoneyTest() {
    site_.source.policy.enforce.safe = true;
    site_.source.prices = std::make_shared<const CpuPrices>();
  }
};

// 80 used + 5 CPUs x 5 minutes = 105.
TEST_F(GrantMoneyTest, UnderSafeThePriceOfTheJobMustFit) {
  AddGrant({"physics"}, "price/eur", 100, 80);
  AddWanting("dan", 5, 5);
  AddWanting("fits", 5, 4);
  AddWanting("high", 5, 4).qos = {"high"};
  AddWanting("endless", 1, 1).time_limit = absl::InfiniteDuration();
  EXPECT_THAT(Ineligible(), ElementsAre("dan: AssocGrpBillingMinutes: 80 + 0 + 25 > 100",
                                        "high: AssocGrpBillingMinutes: 80 + 0 + 60 > 100",
                                        "endless: AssocGrpBillingMinutes: 80 + 0 + inf > 100"));
  EXPECT_THAT(JobIds(ranking_, jobs_), ElementsAre("fits"));
}

// The running job costs 2 x 30 minutes from the end of its recorded usage on, with UsageFactor=0 as
// well.
TEST_F(GrantMoneyTest, RunningJobsCountByTheirPricesWithoutUsageFactor) {
  site_.qos("high").usage_factor = 0;
  AddGrant({"root"}, "price/eur", 200, 0);
  Job& running = OfCat(AddWanting("0", 2, 40));
  running.state = JobState::kRunning;
  running.start_time = kNow - absl::Minutes(10);
  running.qos = {"high"};
  site_.source.recorded_until["0"] = kNow;
  AddWanting("1", 2, 10);
  AddWanting("2", 2, 11);
  EXPECT_THAT(Ineligible(), ElementsAre("2: AssocGrpBillingMinutes: 0 + 180 + 22 > 200"));
}

TEST_F(GrantMoneyTest, WhatCostsNothingDoesNotWait) {
  AddGrant({"physics"}, "price/usd", 100, 100);
  AddWanting("1", 5, 5);
  EXPECT_THAT(Ineligible(), IsEmpty());
}

// Of the domain's book of the same name the price of a job is not known.
TEST_F(GrantMoneyTest, OneOfADomainComparesUsageAloneBesideTheClustersOwn) {
  AddGrant({"physics"}, "price/eur", 100, 100).domain = "site";
  AddGrant({"chemistry"}, "price/eur", 100, 90);
  AddWanting("1", 0.5, 1);
  OfCat(AddWanting("2", 1, 10));
  OfCat(AddWanting("3", 1, 11));
  EXPECT_THAT(Ineligible(), ElementsAre("1: AssocGrpBillingMinutes: 100 + 0 + 1 > 100",
                                        "3: AssocGrpBillingMinutes: 90 + 0 + 11 > 100"));
}

TEST_F(GrantMoneyTest, WithoutSafeOrPricesUsageIsComparedAloneAlsoWithUsageFactor0) {
  site_.qos("high").usage_factor = 0;
  AddGrant({"physics"}, "price/eur", 100, 99);
  AddWanting("1", 5, 50).qos = {"high"};
  site_.source.prices = nullptr;
  EXPECT_THAT(Ineligible(), IsEmpty());
  site_.source.grants.Change(0).used = 100 * kPerMinute;
  EXPECT_EQ(Ineligible().size(), 1u);
  site_.source.prices = std::make_shared<const CpuPrices>();
  site_.source.policy.enforce.safe = false;
  EXPECT_EQ(Ineligible().size(), 1u);
}

}  // namespace
}  // namespace priorityd::priority
