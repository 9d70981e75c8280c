#include "engine/priority/site/limit_kind.h"

#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

TEST(LimitKindTest, EachRuleStandsAtItsKind) {
  for (size_t i = 0; i < kLimitKinds; ++i) {
    EXPECT_EQ(static_cast<size_t>(RuleOf(static_cast<LimitKind>(i)).kind), i);
  }
}

// The words of tests/oracle/limits, one of each pattern and each exception; a sum of TRES by
// weights, which only grants have, has the word of billing.
TEST(LimitKindTest, WordsAreSlurms) {
  const struct {
    LimitKind kind;
    bool of_qos;
    const char* tres;
    const char* word;
  } kCases[] = {
      {LimitKind::kGrpJobs, false, "", "AssocGrpJobsLimit"},
      {LimitKind::kGrpSubmitJobs, true, "", "QOSGrpSubmitJobsLimit"},
      {LimitKind::kMaxJobs, true, "", "QOSMaxJobsPerUserLimit"},
      {LimitKind::kMaxJobsPerAccount, true, "", "MaxJobsPerAccount"},
      {LimitKind::kMaxSubmitJobsPerAccount, true, "", "MaxSubmitJobsPerAccount"},
      {LimitKind::kMaxWall, false, "", "AssocMaxWallDurationPerJobLimit"},
      {LimitKind::kGrpTres, false, "cpu", "AssocGrpCpuLimit"},
      {LimitKind::kGrpTres, true, "mem", "QOSGrpMemLimit"},
      {LimitKind::kGrpTres, false, "gres/gpu", "AssocGrpGRES"},
      {LimitKind::kGrpTres, true, "billing", "QOSGrpBilling"},
      {LimitKind::kGrpTres, false, "license/foo", "AssocGrpLicense"},
      {LimitKind::kGrpTresMins, false, "cpu", "AssocGrpCPUMinutesLimit"},
      {LimitKind::kGrpTresMins, true, "gres/gpu", "QOSGrpGRESMinutes"},
      {LimitKind::kGrpTresMins, false, "gres/gpu=20,mem=1", "AssocGrpBillingMinutes"},
      {LimitKind::kGrpTresRunMins, false, "cpu", "AssocGrpCPURunMinutesLimit"},
      {LimitKind::kMaxTres, false, "mem", "AssocMaxMemPerJob"},
      {LimitKind::kMaxTres, true, "mem", "QOSMaxMemoryPerJob"},
      {LimitKind::kMaxTres, true, "node", "QOSMaxNodePerJobLimit"},
      {LimitKind::kMaxTresPerNode, false, "cpu", "AssocMaxCpuPerNode"},
      {LimitKind::kMaxTresMins, false, "cpu", "AssocMaxCpuMinutesPerJobLimit"},
      {LimitKind::kMaxTresPerUser, true, "cpu", "QOSMaxCpuPerUserLimit"},
      {LimitKind::kMaxTresPerUser, true, "gres/gpu", "QOSMaxGRESPerUser"},
      {LimitKind::kMaxTresPerAccount, true, "mem", "MaxMemoryPerAccount"},
      {LimitKind::kMinTres, true, "cpu", "QOSMinCpuNotSatisfied"},
      {LimitKind::kMinTres, true, "gres/gpu", "QOSMinGRES"},
  };
  for (const auto& c : kCases) EXPECT_EQ(LimitWord(c.kind, c.of_qos, c.tres), c.word);
}

TEST(LimitKindTest, TresAreReportedInTheOrderOfSlurmsIds) {
  EXPECT_TRUE(TresBefore("cpu", "mem"));
  EXPECT_TRUE(TresBefore("mem", "billing"));
  EXPECT_TRUE(TresBefore("billing", "bb/datawarp"));
  EXPECT_TRUE(TresBefore("gres/gpu", "license/foo"));
  EXPECT_FALSE(TresBefore("cpu", "cpu"));
}

}  // namespace
}  // namespace priorityd::priority
