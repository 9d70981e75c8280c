#include "engine/slurm/conf/service_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

TEST(ServiceParametersTest, SiteFactorNoneIsNone) {
  EXPECT_EQ(PolicyOf("PrioritySiteFactorPlugin=site_factor/none").site_factor_plugin, "");
}

}  // namespace
}  // namespace priorityd::slurm
