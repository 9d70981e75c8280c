// The scalar parameters, through ParseSlurmConf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/slurm/slurm_conf.h"
#include "tests/server/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<SlurmConf> Parse(const std::string& text) {
  const SourceFile file{"slurm.conf", text};
  return ParseSlurmConf({file});
}

priority::Policy PolicyOf(const std::string& text) {
  absl::StatusOr<SlurmConf> conf = Parse(text);
  EXPECT_TRUE(conf.ok()) << conf.status() << "\n" << text;
  return conf.ok() ? conf->policy : priority::Policy();
}

// The one error of a text.
std::string ErrorOf(const std::string& text) {
  const std::vector<std::string> errors = ErrorTexts(Parse(text).status());
  EXPECT_EQ(errors.size(), 1u) << text;
  return errors.empty() ? "" : errors[0];
}

TEST(PolicyParametersTest, DefaultsAreSlurms) {
  const priority::Policy policy = PolicyOf("");
  EXPECT_EQ(policy.priority_type, priority::PriorityType::kMultifactor);
  EXPECT_EQ(policy.half_life, absl::Hours(7 * 24));
  EXPECT_EQ(policy.calc_period, absl::Minutes(5));
  EXPECT_EQ(policy.max_age, absl::Hours(7 * 24));
  EXPECT_EQ(policy.weight_age, 0u);
  EXPECT_EQ(policy.algorithm, priority::FairShareAlgorithm::kFairTree);
  EXPECT_EQ(policy.fair_tree_ties, priority::FairTreeTies::kMerge);
  EXPECT_EQ(policy.clock, priority::ClockMode::kReal);
  EXPECT_FALSE(policy.rate_limit);
}

// The two examples of Slurm 25.11's priority_multifactor document.
TEST(PolicyParametersTest, TheDocumentsExamplesAreRead) {
  const priority::Policy decay = PolicyOf(
      "PriorityType=priority/multifactor\n"
      "PriorityDecayHalfLife=14-0\n"
      "PriorityFavorSmall=NO\n"
      "PriorityMaxAge=14-0\n"
      "PriorityWeightAge=1000\n"
      "PriorityWeightFairshare=10000\n"
      "PriorityWeightJobSize=1000\n"
      "PriorityWeightPartition=1000\n"
      "PriorityWeightQOS=0 # don't use the qos factor\n");
  EXPECT_EQ(decay.half_life, absl::Hours(14 * 24));
  EXPECT_EQ(decay.max_age, absl::Hours(14 * 24));
  EXPECT_EQ(decay.weight_fair_share, 10000u);
  const priority::Policy reset =
      PolicyOf("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=MONTHLY\n");
  EXPECT_FALSE(reset.decays());
  EXPECT_EQ(reset.reset_period, priority::ResetPeriod::kMonthly);
}

// The interval of SLURM 2.0's document.
TEST(PolicyParametersTest, AResetPeriodIsAWordOrAnInterval) {
  const priority::Policy policy =
      PolicyOf("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=28-0\n");
  EXPECT_EQ(policy.reset_period, priority::ResetPeriod::kInterval);
  EXPECT_EQ(policy.reset_interval, absl::Hours(28 * 24));
  EXPECT_EQ(PolicyOf("PriorityUsageResetPeriod=now").reset_period, priority::ResetPeriod::kNow);
  EXPECT_EQ(PolicyOf("PriorityUsageResetPeriod=Quarterly").reset_period,
            priority::ResetPeriod::kQuarterly);
  for (const char* text : {"0", "UNLIMITED", "HOURLY", ""}) {
    EXPECT_EQ(ErrorOf(absl::StrCat("PriorityUsageResetPeriod=", text)),
              absl::StrCat("slurm.conf line 1: PriorityUsageResetPeriod: got \"", text,
                           "\", want NONE, NOW, DAILY, WEEKLY, MONTHLY, QUARTERLY, YEARLY or an "
                           "interval above 0 such as 28-0"));
  }
}

TEST(PolicyParametersTest, NoDecayWantsAResetPeriodToBeNamed) {
  EXPECT_EQ(ErrorOf("\nPriorityDecayHalfLife=0\n"),
            "slurm.conf line 2: PriorityDecayHalfLife: got \"0\" without "
            "PriorityUsageResetPeriod, want that too (NONE, if usage is to be kept for ever) or a "
            "half-life above 0");
  const auto with_none = Parse("PriorityUsageResetPeriod=NONE\nPriorityDecayHalfLife=0-0\n");
  ASSERT_TRUE(with_none.ok()) << with_none.status();
  EXPECT_THAT(with_none->warnings, ElementsAre(HasSubstr("neither decays nor is it ever reset")));
  const auto infinite = Parse("PriorityDecayHalfLife=INFINITE\n");
  ASSERT_TRUE(infinite.ok()) << infinite.status();
  EXPECT_FALSE(infinite->policy.decays());
  const auto reset = Parse("PriorityUsageResetPeriod=DAILY\nPriorityDecayHalfLife=0\n");
  ASSERT_TRUE(reset.ok()) << reset.status();
  EXPECT_THAT(reset->warnings, IsEmpty());
}

TEST(PolicyParametersTest, EveryFlagSetsItsField) {
  const priority::Policy policy = PolicyOf(
      "PriorityFlags=\"accrue_always,CALCULATE_RUNNING, INCR_ONLY ,MAX_TRES,MAX_TRES_GRES,"
      "NO_NORMAL_ASSOC,NO_NORMAL_PART,SMALL_RELATIVE_TO_TIME\"\n");
  EXPECT_TRUE(policy.accrue_always);
  EXPECT_TRUE(policy.calculate_running);
  EXPECT_TRUE(policy.incr_only);
  EXPECT_TRUE(policy.max_tres);
  EXPECT_TRUE(policy.max_tres_gres);
  EXPECT_TRUE(policy.no_normal_assoc);
  EXPECT_TRUE(policy.no_normal_part);
  EXPECT_FALSE(policy.no_normal_qos);
  EXPECT_FALSE(policy.no_normal_tres);
  EXPECT_TRUE(policy.small_relative_to_time);
  const priority::Policy all = PolicyOf("PriorityFlags=NO_NORMAL_ALL\n");
  EXPECT_TRUE(all.no_normal_assoc && all.no_normal_part && all.no_normal_qos && all.no_normal_tres);
  EXPECT_FALSE(all.max_tres);
  EXPECT_FALSE(PolicyOf("PriorityFlags=\n").incr_only);
}

TEST(PolicyParametersTest, AnUnknownFlagIsNamedWithItsLineAndTheKnownOnes) {
  EXPECT_EQ(ErrorOf("\nPriorityFlags=MAX_TRES,FOO\n"),
            "slurm.conf line 2: PriorityFlags: got \"FOO\", want one of ACCRUE_ALWAYS, "
            "CALCULATE_RUNNING, DEPTH_OBLIVIOUS, INCR_ONLY, MAX_TRES, MAX_TRES_GRES, "
            "NO_FAIR_TREE, NO_NORMAL_ALL, NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS, "
            "NO_NORMAL_TRES, SMALL_RELATIVE_TO_TIME");
}

TEST(PolicyParametersTest, TheAlgorithmComesFromTheFlagsOrByName) {
  using enum priority::FairShareAlgorithm;
  EXPECT_EQ(PolicyOf("PriorityFlags=NO_FAIR_TREE").algorithm, kClassic);
  EXPECT_EQ(PolicyOf("PriorityFlags=DEPTH_OBLIVIOUS").algorithm, kDepthOblivious);
  EXPECT_EQ(PolicyOf("PriorityFlags=NO_FAIR_TREE,DEPTH_OBLIVIOUS").algorithm, kDepthOblivious);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=linear").algorithm, kLinear);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=Classic").algorithm, kClassic);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=linear\nPriorityFlags=NO_FAIR_TREE").algorithm, kLinear);
  EXPECT_EQ(PolicyOf("FairShareAlgorithm=depth_oblivious\nPriorityFlags=NO_FAIR_TREE").algorithm,
            kDepthOblivious);
}

TEST(PolicyParametersTest, AnAlgorithmAgainstTheFlagsIsAnError) {
  EXPECT_EQ(ErrorOf("PriorityFlags=NO_FAIR_TREE\nFairShareAlgorithm=fair_tree\n"),
            "slurm.conf line 2: FairShareAlgorithm: got \"fair_tree\" against "
            "PriorityFlags=\"NO_FAIR_TREE\" at slurm.conf line 1, want the two to agree");
  for (const char* algorithm : {"fair_tree", "classic", "linear"}) {
    EXPECT_THAT(ErrorOf(absl::StrCat("FairShareAlgorithm=", algorithm,
                                     "\nPriorityFlags=DEPTH_OBLIVIOUS\n")),
                HasSubstr("want the two to agree"));
  }
}

TEST(PolicyParametersTest, OurOwnParametersAreRead) {
  const priority::Policy policy = PolicyOf(
      "FairTreeTies=slurm\nTimeZone=America/New_York\nClock=manual\n"
      "FairShareDampeningFactor=5\nPriorityFavorSmall=yes\nPriorityType=priority/basic\n"
      "PrioritySiteFactorPlugin=site:50051\nPrivateData=jobs,Usage\nPurgeJobAfter=30days\n");
  EXPECT_EQ(policy.fair_tree_ties, priority::FairTreeTies::kSlurm);
  EXPECT_EQ(policy.time_zone.name(), "America/New_York");
  EXPECT_EQ(policy.clock, priority::ClockMode::kManual);
  EXPECT_EQ(policy.dampening_factor, 5);
  EXPECT_TRUE(policy.favor_small);
  EXPECT_EQ(policy.priority_type, priority::PriorityType::kBasic);
  EXPECT_EQ(policy.site_factor_plugin, "site:50051");
  EXPECT_TRUE(policy.private_usage);
  EXPECT_EQ(priority::PurgeAgeName(policy.purge_job_after), "30days");
  EXPECT_EQ(priority::PurgeAgeName(priority::Policy().purge_job_after), "INFINITE");
}

// Palmetto: a bucket of 1000, refilled by 2 a second.
TEST(PolicyParametersTest, TheRateLimitIsSlurmctlds) {
  const priority::Policy policy = PolicyOf(
      "SlurmctldParameters=enable_configless,rl_enable,rl_bucket_size=1000,rl_refill_rate=2\n");
  EXPECT_TRUE(policy.rate_limit);
  EXPECT_EQ(policy.rate_limit_bucket_size, 1000u);
  EXPECT_EQ(policy.rate_limit_refill_rate, 2u);
  EXPECT_EQ(ErrorOf("SlurmctldParameters=rl_bucket_size=0"),
            "slurm.conf line 1: SlurmctldParameters: got \"rl_bucket_size=0\", want a whole number "
            "of at least 1");
}

TEST(PolicyParametersTest, PreemptionIsByQosOrByPartition) {
  EXPECT_TRUE(PolicyOf("PreemptType=preempt/qos").preempt_by_qos);
  EXPECT_TRUE(PolicyOf("PreemptType=preempt/partition_prio").preempt_by_partition);
  EXPECT_FALSE(PolicyOf("PreemptType=preempt/none").preempt_by_qos);
  EXPECT_EQ(ErrorOf("PreemptType=preempt/luck"),
            "slurm.conf line 1: PreemptType: got \"preempt/luck\", want preempt/none, preempt/qos "
            "or preempt/partition_prio");
}

TEST(PolicyParametersTest, ImpossibleValuesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"PriorityType=priority/luck", "want priority/multifactor or priority/basic"},
      {"PriorityWeightAge=-1", "got \"-1\", want a whole number from 0 to 4294967295"},
      {"PriorityWeightAge=4294967296", "want a whole number from 0 to 4294967295"},
      {"PriorityWeightQOS=", "got \"\", want a whole number"},
      {"PriorityWeightTRES=gpu=1", "got \"gpu=1\", want cpu, mem"},
      {"PriorityDecayHalfLife=soon", "got \"soon\", want a time"},
      {"PriorityCalcPeriod=0", "got \"0\", want at least 1 (minute)"},
      {"PriorityCalcPeriod=0:59", "want at least 1 (minute)"},
      {"PriorityCalcPeriod=UNLIMITED", "want at least 1 (minute)"},
      {"PriorityMaxAge=INFINITE", "want a limited time"},
      {"PriorityFavorSmall=maybe", "got \"maybe\", want YES or NO"},
      {"FairShareDampeningFactor=0", "got \"0\", want a number of at least 1"},
      {"FairShareAlgorithm=best", "want fair_tree, classic, depth_oblivious or linear"},
      {"FairTreeTies=flip", "got \"flip\", want merge or slurm"},
      {"PurgeJobAfter=0", "got \"0\", want a number of months or an age such as 48hours"},
      {"Clock=fast", "got \"fast\", want real or manual"},
      {"TimeZone=Mars/Base", "got \"Mars/Base\", want an IANA time zone such as Europe/Berlin"},
      {"TimeZone=../../../etc/passwd", "want an IANA time zone"},
      {"TimeZone=/etc/localtime", "want an IANA time zone"},
      {"PrioritySiteFactorPlugin=site_factor/example", "want host:port of a SiteFactor service"},
      {"PrioritySiteFactorParameters=a,timeout=1h", "got \"timeout=1h\", want timeout= with"},
      {"PriorityWeigthAge=1000", "PriorityWeigthAge: got an unknown parameter"},
      {"FairShareDamping=1", "FairShareDamping: got an unknown parameter"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(ErrorOf(text), HasSubstr(message));
}

TEST(PolicyParametersTest, OfAParameterGivenTwiceTheLastOneHolds) {
  const auto conf = Parse("PriorityWeightAge=1\nPriorityWeightAge=2\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->policy.weight_age, 2u);
  EXPECT_THAT(conf->warnings, ElementsAre("slurm.conf line 2: PriorityWeightAge is given again; "
                                          "this one holds, not slurm.conf line 1"));
}

TEST(PolicyParametersTest, SiteFactorNoneIsNone) {
  EXPECT_EQ(PolicyOf("PrioritySiteFactorPlugin=site_factor/none").site_factor_plugin, "");
}

}  // namespace
}  // namespace priorityd::slurm
