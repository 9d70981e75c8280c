#include "engine/slurm/dump/engine_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

using priority::LimitKind;
using priority::LimitValue;
using testing::UnorderedElementsAre;

TEST(EngineValuesTest, AQosHasItsFlagsCountsAndLimits) {
  const auto table = ParseQosTable(
      {"qos.txt",
       "Name|Priority|Flags|GrpTRESMins|MaxTRESPU|LimitFactor|MinPrioThresh|MaxJobsAccruePU\n"
       "low|7|NoDecay,overpartqos,Relative|cpu=60|cpu=8|2.5|12|-1\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  const priority::Qos qos = ToEngine(table->rows[0]);
  EXPECT_EQ(qos.name, "low");
  EXPECT_EQ(qos.priority, 7u);
  EXPECT_TRUE(qos.no_decay);
  EXPECT_TRUE(qos.over_part_qos);
  EXPECT_FALSE(qos.no_reserve);
  EXPECT_EQ(qos.grp_tres_mins.at("cpu"), 60);
  EXPECT_EQ(qos.limit_factor, 2.5);
  EXPECT_EQ(qos.min_prio_thresh, 12u);
  EXPECT_FALSE(qos.max_jobs_accrue_per_user.has_value());
  EXPECT_THAT(qos.other_limits,
              UnorderedElementsAre(LimitValue{LimitKind::kMaxTresPerUser, "cpu", 8}));
}

TEST(EngineValuesTest, AnExemptTimeOfZeroIsOneAndNoTimeIsNone) {
  const auto exempt_of = [](absl::string_view value) {
    priority::Qos qos;
    SetQosLimit("PreemptExemptTime", value, &qos);
    return qos.preempt_exempt_time;
  };
  EXPECT_EQ(exempt_of("00:10:00"), absl::Minutes(10));
  EXPECT_EQ(exempt_of("00:00:00"), absl::ZeroDuration());
  for (const char* unset : {"", "-1"}) EXPECT_EQ(exempt_of(unset), std::nullopt);
}

TEST(EngineValuesTest, AQosHasItsModeAndGraceTimeOfPreemption) {
  priority::Qos qos;
  SetQosLimit("GraceTime", "00:02:00", &qos);
  SetQosLimit("PreemptMode", "requeue", &qos);
  EXPECT_EQ(qos.grace_time, absl::Minutes(2));
  EXPECT_EQ(qos.preempt_mode, "REQUEUE");
  for (const char* as_cluster : {"cluster", "OFF"}) {
    SetQosLimit("PreemptMode", as_cluster, &qos);
    EXPECT_EQ(qos.preempt_mode, "");
  }
}

TEST(EngineValuesTest, AnAssociationHasTheLimitsOfItsLine) {
  const auto dump = ParseSacctmgrDump({"dump",
                                       "Cluster - 'orc':Fairshare=1\nParent - 'root'\n"
                                       "Account - 'chem':Fairshare=60:MaxJobs=3\n"});
  ASSERT_TRUE(dump.ok()) << dump.status();
  const priority::Association chem = ToEngine(dump->associations[0]);
  EXPECT_EQ(chem.account, "chem");
  EXPECT_EQ(chem.raw_shares, 60u);
  EXPECT_THAT(chem.limits.others, UnorderedElementsAre(LimitValue{LimitKind::kMaxJobs, "", 3}));
}

}  // namespace
}  // namespace priorityd::slurm
