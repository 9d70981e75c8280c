// The factors of docs/semantics.md, section 6, through Rank().
#include "engine/priority/jobs/factors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/priority/ranking/ranking.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::priority {
namespace {

class FactorsTest : public testing::Test {
 protected:
  // The factors, contributions and priority of the only job.
  const JobRow& Row() {
    snapshot_ = site_.Build();
    ranking_ = Rank(*snapshot_, {&job_, 1}, Now());
    if (!ranking_.ranked.empty()) return ranking_.ranked.front();
    return ranking_.ineligible.at(0);
  }
  PriorityFactors Factors() { return *Row().factors; }
  PriorityFactors Contributions() { return *Row().contributions; }
  uint32_t Priority() { return Row().priority.value(); }

  SmallSite site_;
  Policy& policy_ = site_.source.policy;
  Job job_ = JobOf("1");
  std::unique_ptr<const Snapshot> snapshot_;
  Ranking ranking_;
};

// --- The partition factor of Slurm 25.11's document ------------------------------

class DocumentedPartitions : public FactorsTest {
 protected:
  DocumentedPartitions() {
    site_.partition("main").priority_job_factor = 20;  // PartitionA
    site_.partition("fast").priority_job_factor = 10;  // PartitionB
    policy_.weight_partition = 5000;
  }
};

TEST_F(DocumentedPartitions, TheLargestFactorGivesTheWholeWeight) {
  job_.partitions = {"main"};
  EXPECT_EQ(Contributions().partition, 5000);
}

TEST_F(DocumentedPartitions, HalfTheLargestGivesHalfTheWeight) {
  job_.partitions = {"fast"};
  EXPECT_EQ(Contributions().partition, 2500);
}

TEST_F(DocumentedPartitions, WithoutNormalisationTheRawFactorsCount) {
  policy_.no_normal_part = true;
  job_.partitions = {"main"};
  EXPECT_EQ(Priority(), 100000u);
  job_.partitions = {"fast"};
  EXPECT_EQ(Priority(), 50000u);
}

TEST_F(FactorsTest, NoPartitionFactorsAtAllGiveZero) {
  policy_.weight_partition = 5000;
  for (Partition& partition : site_.source.partitions) partition.priority_job_factor = 0;
  EXPECT_EQ(Factors().partition, 0);
}

// --- Age ---------------------------------------------------------------------------

TEST_F(FactorsTest, AgeIsTheTimeWaitedOverMaxAge) {
  policy_.max_age = absl::Hours(4);
  EXPECT_DOUBLE_EQ(Factors().age, 0.25);
}

TEST_F(FactorsTest, AgeIsAtMostOneAndAtLeastZero) {
  policy_.max_age = absl::Minutes(10);
  EXPECT_EQ(Factors().age, 1);
  job_.submit_time = kNow + absl::Hours(1);
  EXPECT_EQ(Factors().age, 0);
}

TEST_F(FactorsTest, AgeCountsFromAccrueTimeElseEligibleElseSubmit) {
  policy_.max_age = absl::Hours(10);
  job_.submit_time = kNow - absl::Hours(3);
  EXPECT_DOUBLE_EQ(Factors().age, 0.3);
  job_.eligible_time = kNow - absl::Hours(2);
  EXPECT_DOUBLE_EQ(Factors().age, 0.2);
  job_.accrue_time = kNow - absl::Hours(1);
  EXPECT_DOUBLE_EQ(Factors().age, 0.1);
}

TEST_F(FactorsTest, AJobWithoutTimesHasWaitedNothing) {
  job_.submit_time.reset();
  EXPECT_EQ(Factors().age, 0);
}

TEST_F(FactorsTest, WithMaxAgeZeroAJobThatAccruesHasOne) {
  policy_.max_age = absl::ZeroDuration();
  EXPECT_EQ(Factors().age, 1);
  job_.submit_time = kNow;
  EXPECT_EQ(Factors().age, 1);
  job_.dependency_unmet = true;
  EXPECT_EQ(Factors().age, 0);
}

TEST_F(FactorsTest, AJobThatCannotStartDoesNotAge) {
  policy_.max_age = absl::Hours(2);
  job_.accrue_time = kNow - absl::Hours(1);
  EXPECT_GT(Factors().age, 0);
  Job held = job_;
  job_.hold = Hold::kUser;
  EXPECT_EQ(Factors().age, 0);
  job_ = held;
  job_.dependency_unmet = true;
  EXPECT_EQ(Factors().age, 0);
  job_ = held;
  job_.eligible_time = kNow + absl::Hours(1);
  EXPECT_EQ(Factors().age, 0);
  job_ = held;
  job_.nodes = 9;
  EXPECT_EQ(Factors().age, 0);
}

TEST_F(FactorsTest, AJobInADownPartitionAges) {
  policy_.max_age = absl::Hours(2);
  site_.partition("main").up = false;
  EXPECT_DOUBLE_EQ(Factors().age, 0.5);
}

TEST_F(FactorsTest, AJobThatFitsOneOfItsPartitionsAgesInAll) {
  policy_.max_age = absl::Hours(2);
  job_.partitions = {"fast", "main"};
  job_.nodes = 5;
  EXPECT_DOUBLE_EQ(Factors().age, 0.5);
}

TEST_F(FactorsTest, AccrueAlwaysCountsFromSubmitTimeWhateverTheState) {
  policy_.accrue_always = true;
  policy_.max_age = absl::Hours(2);
  job_.accrue_time = kNow;
  job_.hold = Hold::kUser;
  EXPECT_DOUBLE_EQ(Factors().age, 0.5);
  job_.hold = Hold::kNone;
  job_.eligible_time = kNow + absl::Hours(1);
  EXPECT_DOUBLE_EQ(Factors().age, 0.5);
}

// --- Association, fair-share, QOS -----------------------------------------------------

TEST_F(FactorsTest, AssociationPriorityIsInheritedAndOverTheLargest) {
  site_.association("physics").priority = 30;
  site_.association("chemistry", "cat").priority = 120;
  EXPECT_DOUBLE_EQ(Factors().assoc, 0.25);
  policy_.no_normal_assoc = true;
  EXPECT_EQ(Factors().assoc, 30);
}

TEST_F(FactorsTest, WithoutAssociationPrioritiesTheFactorIsZero) { EXPECT_EQ(Factors().assoc, 0); }

TEST_F(FactorsTest, FairShareIsThatOfTheAssociation) {
  site_.usage = {{"physics/ann", 100}, {"chemistry/cat", 10}};
  policy_.weight_fair_share = 1000;
  // Best to worst: cat, bob, ann.
  EXPECT_DOUBLE_EQ(Factors().fair_share, 1.0 / 3);
}

TEST_F(FactorsTest, QosPriorityIsOverTheLargest) {
  site_.qos("normal").priority = 20;
  job_.qos = {"normal"};
  EXPECT_DOUBLE_EQ(Factors().qos, 0.2);
  policy_.no_normal_qos = true;
  EXPECT_EQ(Factors().qos, 20);
}

TEST_F(FactorsTest, AJobWithoutQosHasNone) { EXPECT_EQ(Factors().qos, 0); }

// --- Job size -----------------------------------------------------------------------

TEST_F(FactorsTest, CpusDefaultToTheTresAndNodesToOne) {
  job_.tres = {{"cpu", 32}};
  EXPECT_DOUBLE_EQ(Factors().job_size, (1.0 / 8 + 32.0 / 64) / 2);
}

TEST_F(FactorsTest, WithoutTimeLimitTheLargestMaxTimeOfItsPartitionsCounts) {
  policy_.small_relative_to_time = true;
  site_.partition("main").max_time = absl::Minutes(2);
  site_.partition("fast").max_time = absl::Minutes(1);
  job_.nodes = 4;
  job_.partitions = {"fast", "main"};
  EXPECT_DOUBLE_EQ(Factors().job_size, 0.25);
  job_.time_limit = absl::Seconds(59);
  EXPECT_DOUBLE_EQ(Factors().job_size, 0.5);
}

// --- TRES -----------------------------------------------------------------------------

TEST_F(FactorsTest, TresAreOverThePartitionsTotals) {
  policy_.weight_tres = {{"cpu", 100}, {"mem", 1000}, {"node", 10}};
  job_.partitions = {"fast"};
  job_.cpus = 8;
  job_.nodes = 2;
  job_.tres = {{"Mem", 16000}};
  EXPECT_EQ(Factors().tres, (std::vector<double>{0.25, 0.25, 0.5}));
  EXPECT_EQ(Contributions().tres, (std::vector<double>{25, 250, 5}));
  EXPECT_EQ(Priority(), 280u);
}

TEST_F(FactorsTest, GlobalTresAreOverTheClustersTotals) {
  policy_.weight_tres = {{"license/matlab", 100}};
  job_.tres = {{"license/matlab", 4}};
  EXPECT_DOUBLE_EQ(Factors().tres[0], 0.4);
}

TEST_F(FactorsTest, ATresThatThePartitionDoesNotHaveGivesZero) {
  policy_.weight_tres = {{"gres/gpu", 100}};
  job_.tres = {{"gres/gpu", 4}};
  EXPECT_EQ(Factors().tres[0], 0);
  policy_.no_normal_tres = true;
  EXPECT_EQ(Factors().tres[0], 4);
}

TEST_F(FactorsTest, NegativeTresWeightsTakeOff) {
  policy_.weight_partition = 1000;
  policy_.weight_tres = {{"cpu", -400}};
  job_.cpus = 16;
  EXPECT_EQ(Priority(), 900u);
}

TEST_F(FactorsTest, BillingIsPricedPerPairAndTruncatedOverTheTruncatedTotal) {
  policy_.weight_tres = {{"billing", 1}};
  // main: 64 CPUs at 0.33 = 21.12, so 21; the job: 10 at 0.33 = 3.3, so 3.
  site_.partition("main").billing_weights = {{"cpu", 0.33}};
  job_.cpus = 10;
  job_.partitions = {"main"};
  EXPECT_DOUBLE_EQ(Factors().tres[0], 3.0 / 21);
  // fast has no weights: its 32 CPUs.
  job_.partitions = {"fast"};
  EXPECT_DOUBLE_EQ(Factors().tres[0], 10.0 / 32);
}

TEST_F(FactorsTest, ABillingCountThatTheJobBringsIsTakenAsItIs) {
  policy_.weight_tres = {{"billing", 1}};
  job_.cpus = 10;
  job_.tres = {{"billing", 16}};
  EXPECT_DOUBLE_EQ(Factors().tres[0], 16.0 / 64);
}

TEST_F(FactorsTest, WithoutPartitionsTresAreOverTheClusters) {
  site_.source.partitions.clear();
  policy_.weight_tres = {{"cpu", 100}, {"node", 100}};
  job_.cpus = 16;
  job_.nodes = 2;
  EXPECT_EQ(Factors().tres, (std::vector<double>{0.25, 0.25}));
  EXPECT_EQ(Factors().partition, 0);
}

// --- Site, nice, administrator -----------------------------------------------------------

TEST_F(FactorsTest, SiteIsAddedAndNiceSubtracted) {
  job_.site_factor = 500;
  job_.nice = 100;
  EXPECT_EQ(Priority(), 400u);
  EXPECT_EQ(Factors().nice, 100);
  EXPECT_EQ(Contributions().nice, -100);
}

TEST_F(FactorsTest, ExtremesOfNiceAreClamped) {
  job_.nice = 2147483645;
  EXPECT_EQ(Priority(), 1u);
  job_.nice = -2147483645;
  EXPECT_EQ(Priority(), 2147483645u);
  job_.site_factor = 4294967295;
  EXPECT_EQ(Priority(), 4294967295u);
  job_.site_factor = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(Priority(), 1u);
}

TEST_F(FactorsTest, AJobWithoutAnyPointsHasOne) { EXPECT_EQ(Priority(), 1u); }

TEST_F(FactorsTest, TheSumIsTruncatedNotRounded) {
  policy_.weight_age = 999;
  policy_.max_age = absl::Hours(2);
  EXPECT_EQ(Priority(), 499u);
}

TEST_F(FactorsTest, AnAdministratorsPriorityReplacesTheSumAndAllFactors) {
  policy_.weight_age = 1000;
  policy_.weight_tres = {{"cpu", 100}};
  job_.cpus = 4;
  job_.site_factor = 5;
  job_.nice = 7;
  job_.admin_priority = 12345;
  EXPECT_EQ(Priority(), 12345u);
  const PriorityFactors factors = Factors();
  EXPECT_EQ(factors.age, 0);
  EXPECT_EQ(factors.tres, std::vector<double>{0});
  EXPECT_EQ(factors.site, 0);
  EXPECT_EQ(factors.nice, 0);
  EXPECT_EQ(SumOf(Contributions()), 0);
}

TEST_F(FactorsTest, HeldJobsHavePriorityZeroAndTheirFactors) {
  policy_.weight_partition = 1000;
  job_.hold = Hold::kAdmin;
  EXPECT_EQ(Priority(), 0u);
  EXPECT_EQ(Contributions().partition, 1000);
}

TEST_F(FactorsTest, IncrOnlyKeepsThePriorityFromFalling) {
  job_.site_factor = 100;
  job_.previous_priority = 300;
  EXPECT_EQ(Priority(), 100u);
  policy_.incr_only = true;
  EXPECT_EQ(Priority(), 300u);
  EXPECT_EQ(Contributions().site, 100);
  job_.previous_priority = 50;
  EXPECT_EQ(Priority(), 100u);
  job_.hold = Hold::kUser;
  EXPECT_EQ(Priority(), 0u);
}

TEST_F(FactorsTest, UnderBasicThereIsNoPriority) {
  policy_.priority_type = PriorityType::kBasic;
  EXPECT_FALSE(Row().priority.has_value());
  EXPECT_EQ(Row().factors, nullptr);
  EXPECT_EQ(Row().contributions, nullptr);
}

TEST_F(FactorsTest, NothingInfiniteEverComesOut) {
  policy_.no_normal_tres = true;
  policy_.weight_age = policy_.weight_job_size = policy_.weight_fair_share = 4294967295;
  policy_.weight_tres = {{"cpu", 1e300}, {"mem", 1e300}, {"node", -1e300}, {"billing", 1e300}};
  job_.cpus = 1e308;
  job_.tres = {{"mem", 1e308}, {"node", 1e308}, {"gres/gpu", 1e308}};
  site_.partition("main").billing_weights = {{"cpu", 1e10}, {"gres/gpu", 1e10}};
  job_.submit_time = absl::InfinitePast();
  policy_.max_age = absl::InfiniteDuration();
  EXPECT_TRUE(std::isfinite(SumOf(Contributions())));
  for (const double tres : Contributions().tres) EXPECT_TRUE(std::isfinite(tres));
  for (const double tres : Factors().tres) EXPECT_TRUE(std::isfinite(tres));
  EXPECT_TRUE(std::isfinite(Factors().age));
  EXPECT_GE(Priority(), 1u);
}

TEST_F(FactorsTest, FactorsAreLeftOutUnlessAskedFor) {
  snapshot_ = site_.Build();
  RankOptions options = Now();
  options.with_factors = false;
  ranking_ = Rank(*snapshot_, {&job_, 1}, options);
  EXPECT_EQ(ranking_.ranked.at(0).factors, nullptr);
  EXPECT_EQ(ranking_.ranked.at(0).contributions, nullptr);
  EXPECT_TRUE(ranking_.ranked.at(0).priority.has_value());
}

}  // namespace
}  // namespace priorityd::priority
