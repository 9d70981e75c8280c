#include "engine/slurm/conf/limit_parameters.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using priority::Enforcement;
using priority::PartLimits;

Enforcement Read(absl::string_view value) {
  PolicyDraft draft;
  EXPECT_TRUE(ReadEnforcement(value, "words", draft).ok()) << value;
  return draft.policy.enforce;
}

TEST(LimitParametersTest, WithoutEnforcementLimitsBiteAndNobodyIsRefused) {
  const priority::Policy policy;
  EXPECT_FALSE(policy.enforce.given);
  EXPECT_TRUE(policy.enforce.limits);
  EXPECT_FALSE(policy.enforce.safe);
  EXPECT_FALSE(policy.enforce.associations);
  EXPECT_EQ(WriteEnforcement(policy), "");
}

// slurm.conf(5): limits implies associations, safe implies limits, all is all of them.
TEST(LimitParametersTest, WordsImplyOthers) {
  EXPECT_EQ(Read("limits"),
            (Enforcement{
                .given = true, .associations = true, .limits = true, .qos = false, .safe = false}));
  EXPECT_EQ(Read("Safe, qos"),
            (Enforcement{
                .given = true, .associations = true, .limits = true, .qos = true, .safe = true}));
  EXPECT_EQ(Read("all"), Read("associations,limits,qos,safe"));
  EXPECT_EQ(Read("none"), (Enforcement{.given = true, .limits = false, .safe = false}));
  EXPECT_EQ(Read("nojobs,limits"), Read("limits"));
}

TEST(LimitParametersTest, WhatIsWrittenReadsTheSame) {
  for (const char* value : {"none", "associations", "limits", "qos", "limits,qos,safe"}) {
    PolicyDraft draft;
    ASSERT_TRUE(ReadEnforcement(value, "words", draft).ok());
    EXPECT_EQ(Read(WriteEnforcement(draft.policy)), draft.policy.enforce) << value;
  }
}

TEST(LimitParametersTest, AnUnknownWordIsNamed) {
  PolicyDraft draft;
  EXPECT_EQ(ReadEnforcement("limits,sometimes", "words", draft).message(),
            "got \"sometimes\", want words");
  EXPECT_FALSE(ReadPartLimits("MAYBE", "NO, ANY or ALL", draft).ok());
}

TEST(LimitParametersTest, PartLimitsAreUnsetUntilTheyAreGiven) {
  PolicyDraft draft;
  EXPECT_FALSE(draft.policy.enforce_part_limits.has_value());
  ASSERT_TRUE(ReadPartLimits("any", "words", draft).ok());
  EXPECT_EQ(draft.policy.enforce_part_limits, PartLimits::kAny);
  EXPECT_EQ(WritePartLimits(draft.policy), "ANY");
  // As every slurmctld from 16.05 on has it.
  for (const char* yes : {"YES", "up", "true", "1"}) {
    ASSERT_TRUE(ReadPartLimits(yes, "words", draft).ok());
    EXPECT_EQ(WritePartLimits(draft.policy), "ANY") << yes;
  }
  ASSERT_TRUE(ReadPartLimits("ALL", "words", draft).ok());
  EXPECT_EQ(WritePartLimits(draft.policy), "ALL");
  ASSERT_TRUE(ReadPartLimits("Down", "words", draft).ok());
  EXPECT_EQ(WritePartLimits(draft.policy), "NO");
}

TEST(LimitParametersTest, TheLastDefaultMemoryHolds) {
  const std::string both = "DefMemPerCPU=100\nDefMemPerNode=2000\n";
  EXPECT_EQ(PolicyOf(both).job_defaults.memory, (priority::DefaultMemory{.per_node = 2000}));
  EXPECT_EQ(PolicyOf(both + "DefMemPerCPU=7\n").job_defaults.memory,
            (priority::DefaultMemory{.per_cpu = 7}));
  EXPECT_FALSE(PolicyOf(both + "DefMemPerCPU=UNLIMITED\n").job_defaults.memory.given());
}

TEST(LimitParametersTest, NoHeadroomIsNoBound) {
  PolicyDraft draft;
  EXPECT_EQ(WriteUsageHeadroom(draft.policy), "10");
  for (const char* value : {"0", "unlimited"}) {
    ASSERT_TRUE(ReadUsageHeadroom(value, "a number", draft).ok());
    EXPECT_EQ(WriteUsageHeadroom(draft.policy), "UNLIMITED") << value;
  }
  ASSERT_TRUE(ReadUsageHeadroom("1.5", "a number", draft).ok());
  EXPECT_EQ(draft.policy.usage_headroom, 1.5);
  for (const char* value : {"-1", "nan", "inf", "", "much"}) {
    EXPECT_FALSE(ReadUsageHeadroom(value, "a number", draft).ok()) << value;
  }
}

}  // namespace
}  // namespace priorityd::slurm
