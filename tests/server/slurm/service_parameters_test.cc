#include "server/slurm/service_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

// Palmetto: a bucket of 1000, refilled by 2 a second.
TEST(ServiceParametersTest, TheRateLimitIsSlurmctlds) {
  const priority::Policy policy = PolicyOf(
      "SlurmctldParameters=enable_configless,rl_enable,rl_bucket_size=1000,rl_refill_rate=2\n");
  EXPECT_TRUE(policy.rate_limit);
  EXPECT_EQ(policy.rate_limit_bucket_size, 1000u);
  EXPECT_EQ(policy.rate_limit_refill_rate, 2u);
  EXPECT_EQ(ErrorOf("SlurmctldParameters=rl_bucket_size=0"),
            "slurm.conf line 1: SlurmctldParameters: got \"rl_bucket_size=0\", want a whole number "
            "of at least 1");
}

TEST(ServiceParametersTest, SiteFactorNoneIsNone) {
  EXPECT_EQ(PolicyOf("PrioritySiteFactorPlugin=site_factor/none").site_factor_plugin, "");
}

// The words that have nothing to do with the service are not kept, sizes without a limit are.
TEST(ServiceParametersTest, ARateLimitIsWrittenByItsWords) {
  const auto text = [](const std::string& line) {
    return WriteSlurmctldParameters(PolicyOf("SlurmctldParameters=" + line));
  };
  EXPECT_EQ(text("enable_configless,rl_enable"), "rl_enable,rl_bucket_size=30,rl_refill_rate=2");
  EXPECT_EQ(text("enable_configless"), "");
  EXPECT_EQ(text("rl_refill_rate=5"), "rl_refill_rate=5");
}

}  // namespace
}  // namespace priorityd::slurm
