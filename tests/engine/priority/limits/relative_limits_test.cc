#include "engine/priority/limits/relative_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// 1,000 CPUs, 4,000,001 MB, 16 nodes, 7 GPUs, 10 licenses; `part` has 333 CPUs on 5 nodes.
struct Site {
  Site() {
    cluster.cpus = 1000;
    cluster.nodes = 16;
    cluster.tres = {
        {"cpu", 1000}, {"mem", 4000001}, {"node", 16}, {"gres/gpu", 7}, {"license/matlab", 10}};
    part.name = "part";
    part.nodes = 5;
    part.tres = {{"cpu", 333}, {"mem", 999}, {"node", 5}};
    part.billing_weights = {{"cpu", 2}};
  }

  Qos Absolute(Qos qos) const {
    return WithAbsoluteLimits({&qos, 1}, policy, cluster, {&part, 1})[0];
  }

  Policy policy;
  Cluster cluster;
  Partition part;
};

Qos Relative(std::vector<LimitValue> limits) {
  Qos qos;
  qos.name = "rel";
  qos.relative = true;
  qos.other_limits = std::move(limits);
  return qos;
}

// qos.html, "Relative QOS": cpu=50 is 50 % of all CPUs in the cluster, values above 100 are 100 %,
// of memory 1M is 1 %. By hand: 1000 * 50 / 100 = 500; 7 * 50 / 100 = 3.5, rounded down 3;
// 4000001 * 1 / 100 = 40000.01, rounded down 40000; 16 * 100 / 100 = 16; 10 * 25 / 100 = 2.5,
// rounded down 2.
TEST(RelativeLimitsTest, LimitsArePercentOfTheCluster) {
  const Qos qos = Site().Absolute(Relative({{LimitKind::kGrpTres, "cpu", 50},
                                            {LimitKind::kMaxTresPerUser, "gres/gpu", 50},
                                            {LimitKind::kMaxTres, "mem", 1},
                                            {LimitKind::kMaxTresPerAccount, "node", 300},
                                            {LimitKind::kGrpTres, "license/matlab", 25},
                                            {LimitKind::kMinTres, "cpu", 0}}));
  EXPECT_THAT(qos.other_limits, ElementsAre(LimitValue{LimitKind::kGrpTres, "cpu", 500},
                                            LimitValue{LimitKind::kMaxTresPerUser, "gres/gpu", 3},
                                            LimitValue{LimitKind::kMaxTres, "mem", 40000},
                                            LimitValue{LimitKind::kMaxTresPerAccount, "node", 16},
                                            LimitValue{LimitKind::kGrpTres, "license/matlab", 2},
                                            LimitValue{LimitKind::kMinTres, "cpu", 0}));
}

// slurmctld converts every list of TRES of the QOS, those in minutes too, and no count of jobs and
// no time: 1000 * 20 / 100 = 200 TRES-minutes.
TEST(RelativeLimitsTest, MinutesArePercentTooAndJobsAndTimesAreNot) {
  Qos given = Relative({{LimitKind::kGrpJobs, "", 50},
                        {LimitKind::kMaxWall, "", 3600},
                        {LimitKind::kMaxTresMins, "cpu", 20}});
  given.grp_tres_mins = {{"cpu", 20}};
  given.max_submit_jobs_per_user = 7;
  const Qos qos = Site().Absolute(given);
  EXPECT_THAT(qos.other_limits, ElementsAre(LimitValue{LimitKind::kGrpJobs, "", 50},
                                            LimitValue{LimitKind::kMaxWall, "", 3600},
                                            LimitValue{LimitKind::kMaxTresMins, "cpu", 200}));
  EXPECT_EQ(qos.grp_tres_mins.at("cpu"), 200);
  EXPECT_EQ(qos.max_submit_jobs_per_user, 7u);
}

// 333 * 10 / 100 = 33.3, rounded down 33; 5 * 50 / 100 = 2.5, rounded down 2; billing of the
// partition is 333 * 2 = 666, of which 10 % are 66; licenses are the cluster's.
TEST(RelativeLimitsTest, LimitsOfThePartitionsQosArePercentOfThePartition) {
  Site site;
  site.part.qos = "rel";
  const Qos qos = site.Absolute(Relative({{LimitKind::kGrpTres, "cpu", 10},
                                          {LimitKind::kGrpTres, "node", 50},
                                          {LimitKind::kGrpTres, "billing", 10},
                                          {LimitKind::kGrpTres, "license/matlab", 50}}));
  EXPECT_THAT(qos.other_limits, ElementsAre(LimitValue{LimitKind::kGrpTres, "cpu", 33},
                                            LimitValue{LimitKind::kGrpTres, "node", 2},
                                            LimitValue{LimitKind::kGrpTres, "billing", 66},
                                            LimitValue{LimitKind::kGrpTres, "license/matlab", 5}));
}

TEST(RelativeLimitsTest, ALimitOfWhatHasNoTotalIsLeftOut) {
  const Site site;
  EXPECT_THAT(site.Absolute(Relative({{LimitKind::kGrpTres, "gres/fpga", 50}})).other_limits,
              IsEmpty());
  const Site none;
  Qos qos = Relative({{LimitKind::kGrpTres, "cpu", 50}});
  EXPECT_THAT(WithAbsoluteLimits({&qos, 1}, none.policy, Cluster(), {})[0].other_limits, IsEmpty());
}

TEST(RelativeLimitsTest, OtherQosStayAsTheyAre) {
  Qos qos = Relative({{LimitKind::kGrpTres, "cpu", 50}});
  qos.relative = false;
  EXPECT_EQ(Site().Absolute(qos), qos);
}

TEST(RelativeLimitsTest, APartitionsRelativeQosIsForThePartitionOnly) {
  Site site;
  Qos qos = Relative({});
  EXPECT_FALSE(IsForPartitionOnly(qos, {&site.part, 1}));
  site.part.qos = "rel";
  EXPECT_TRUE(IsForPartitionOnly(qos, {&site.part, 1}));
  qos.relative = false;
  EXPECT_FALSE(IsForPartitionOnly(qos, {&site.part, 1}));
}

}  // namespace
}  // namespace priorityd::priority
