// The scalar parameters, through ParseSlurmConf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/slurm/conf/slurm_conf.h"
#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(PolicyParametersTest, NoDecayWantsAResetPeriodToBeNamed) {
  EXPECT_EQ(ErrorOf("\nPriorityDecayHalfLife=0\n"),
            "slurm.conf line 2: PriorityDecayHalfLife: got \"0\" without "
            "PriorityUsageResetPeriod, want that too (NONE, if usage is to be kept for ever) or a "
            "half-life above 0");
  const auto with_none = ParseText("PriorityUsageResetPeriod=NONE\nPriorityDecayHalfLife=0-0\n");
  ASSERT_TRUE(with_none.ok()) << with_none.status();
  EXPECT_THAT(with_none->warnings, ElementsAre(HasSubstr("never decays and is never reset")));
  const auto infinite = ParseText("PriorityDecayHalfLife=INFINITE\n");
  ASSERT_TRUE(infinite.ok()) << infinite.status();
  EXPECT_FALSE(infinite->policy.decays());
  const auto reset = ParseText("PriorityUsageResetPeriod=DAILY\nPriorityDecayHalfLife=0\n");
  ASSERT_TRUE(reset.ok()) << reset.status();
  EXPECT_THAT(reset->warnings, IsEmpty());
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
  EXPECT_TRUE(policy.private_data.usage && policy.private_data.jobs);
  EXPECT_FALSE(policy.private_data.users);
  EXPECT_EQ(priority::PurgeAgeName(policy.purge_job_after), "30days");
  EXPECT_EQ(priority::PurgeAgeName(priority::Policy().purge_job_after), "INFINITE");
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
      {"PriorityCalcPeriod=UNLIMITED", "want at least 1 (minute)"},
      {"PriorityFavorSmall=maybe", "got \"maybe\", want YES or NO"},
      {"FairShareDampeningFactor=0", "got \"0\", want a number of at least 1"},
      {"FairShareAlgorithm=best", "want fair_tree, classic, depth_oblivious or linear"},
      {"FairTreeTies=flip", "got \"flip\", want merge or slurm"},
      {"PurgeJobAfter=0", "got \"0\", want a number of months or an age such as 48hours"},
      {"Clock=fast", "got \"fast\", want real or manual"},
      {"TimeZone=Mars/Base", "got \"Mars/Base\", want an IANA time zone such as Europe/Berlin"},
      {"TimeZone=../../../etc/passwd", "want an IANA time zone"},
      {"TimeZone=/etc/localtime", "want an IANA time zone"},
      {"PrioritySiteFactorPlugin=example", "want host:port of a SiteFactor service"},
      {"PriorityType=priority/multifactor2", "the ticket-based priorities of Slurm up to 14.11"},
      {"PrioritySiteFactorParameters=a,timeout=1h", "got \"timeout=1h\", want timeout= with"},
      {"PriorityWeigthAge=1000", "PriorityWeigthAge: got an unknown parameter"},
      {"FairShareDamping=1", "FairShareDamping: got an unknown parameter"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(ErrorOf(text), HasSubstr(message));
}

// slurmctld cannot be asked what a plugin of its own would have given.
TEST(PolicyParametersTest, APluginOfSlurmctldsHasNoEffect) {
  const auto conf = ParseText("PrioritySiteFactorPlugin=site_factor/example\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->policy.site_factor_plugin, "");
  ASSERT_EQ(conf->unused.size(), 1u);
  EXPECT_EQ(conf->unused[0].unused_class, UnusedClass::kNumbers);
  EXPECT_THAT(conf->unused[0].effect, HasSubstr("PrioritySiteFactorPlugin=host:port"));
}

TEST(PolicyParametersTest, NumbersAreReadAsSlurmctldReadsThem) {
  const auto conf = ParseText(
      "PriorityWeightAge=0x10\nPriorityWeightQOS=2k\nPriorityWeightAssoc=UNLIMITED\n"
      "PriorityFavorSmall=up\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->policy.weight_age, 16u);
  EXPECT_EQ(conf->policy.weight_qos, 2048u);
  EXPECT_EQ(conf->policy.weight_assoc, 4294967295u);
  EXPECT_TRUE(conf->policy.favor_small);
}

TEST(PolicyParametersTest, NullIsAsNoLineAtAll) {
  const auto conf = ParseText(
      "PriorityWeightTRES      = (null)\nPrioritySiteFactorPlugin = (null)\n"
      "PriorityParameters=(null)\nPriorityWeightFairShare = 100000\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->policy.weight_fair_share, 100000u);
  EXPECT_TRUE(conf->policy.weight_tres.empty());
  EXPECT_TRUE(conf->losses.empty() && conf->warnings.empty());
}

TEST(PolicyParametersTest, AnUnknownWordOfPrivateDataIsALoss) {
  const auto conf = ParseText("PrivateData=job,secrets,userlist\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_TRUE(conf->policy.private_data.jobs && conf->policy.private_data.users);
  EXPECT_THAT(conf->losses, testing::ElementsAre(HasSubstr("got \"secrets\", which slurmctld")));
}

TEST(PolicyParametersTest, OfAParameterGivenTwiceTheLastOneHolds) {
  const auto conf = ParseText("PriorityWeightAge=1\nPriorityWeightAge=2\n");
  ASSERT_TRUE(conf.ok()) << conf.status();
  EXPECT_EQ(conf->policy.weight_age, 2u);
  EXPECT_THAT(conf->warnings, ElementsAre("slurm.conf line 2: PriorityWeightAge is set again; "
                                          "this value is used, not slurm.conf line 1"));
}

}  // namespace
}  // namespace priorityd::slurm
