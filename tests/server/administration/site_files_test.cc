#include "server/administration/site_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/errors/error_details.h"

namespace priorityd::administration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<SiteFile> LossyConf() {
  return {{{"slurm.conf",
            "ClusterName=c\nPriorityFlags=TICKET_BASED\nPriorityWeightAge=10\n"
            "PartitionName=DEFAULT DefaultTime=2:00:00\nPartitionName=p MaxTime=1:00:00\n"},
           FileKind::kSlurmConf}};
}

TEST(SiteFilesTest, ALossIsNamedAndTheFileIsRead) {
  const auto site = ReadSiteFiles(LossyConf(), false);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->slurm_conf->policy.weight_age, 10u);
  EXPECT_THAT(site->losses,
              ElementsAre(HasSubstr("slurm.conf line 2: PriorityFlags: got \"TICKET_BASED\"")));
  EXPECT_THAT(site->warnings, ElementsAre(HasSubstr("for partition p")));
}

TEST(SiteFilesTest, UnderStrictALossIsAViolationAndAWarningIsNone) {
  const auto site = ReadSiteFiles(LossyConf(), false, /*strict=*/true);
  ASSERT_FALSE(site.ok());
  const auto violations = errors::ViolationsOf(site.status());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "slurm.conf line 2");
  EXPECT_THAT(violations[0].description, HasSubstr("PriorityFlags: got \"TICKET_BASED\""));
}

}  // namespace
}  // namespace priorityd::administration
