#include "server/administration/imports/site_files.h"

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
  const auto site = ReadSiteFiles(LossyConf(), false, {.strict = true});
  ASSERT_FALSE(site.ok());
  const auto violations = errors::ViolationsOf(site.status());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "slurm.conf line 2");
  EXPECT_THAT(violations[0].description, HasSubstr("PriorityFlags: got \"TICKET_BASED\""));
}

std::vector<SiteFile> UnusedConf() {
  return {{{"slurm.conf",
            "ClusterName=c\nMaxMemPerNode=4096\nPriorityWeightTRES=Mem=1\n"
            "NodeName=n1 CPUs=4 CPUSpecList=0,1\n"
            "SlurmctldPort=6817\n"},
           FileKind::kSlurmConf}};
}

TEST(SiteFilesTest, WhatChangesNumbersIsAnErrorUnlessAccepted) {
  const auto site = ReadSiteFiles(UnusedConf(), false);
  const auto violations = errors::ViolationsOf(site.status());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "slurm.conf line 4");
  EXPECT_THAT(violations[0].description, HasSubstr("--accept CPUSpecList"));
  EXPECT_FALSE(ReadSiteFiles(UnusedConf(), false, {.accept = {"MaxMemPerNode"}}).ok());
  for (const char* word : {"cpuspeclist", "*"}) {
    const auto accepted = ReadSiteFiles(UnusedConf(), false, {.accept = {word}});
    ASSERT_TRUE(accepted.ok()) << accepted.status();
    EXPECT_EQ(accepted->unused.size(), 3u);
    EXPECT_THAT(accepted->warnings,
                ElementsAre("limit or refuse jobs in Slurm and not here: MaxMemPerNode",
                            "change numbers in Slurm and not here: CPUSpecList"));
  }
}

TEST(SiteFilesTest, UnderStrictWhatLimitsJobsIsAnErrorAndWhatHasNoConsequenceIsNot) {
  const auto site = ReadSiteFiles(UnusedConf(), false, {.strict = true, .accept = {"*"}});
  const auto violations = errors::ViolationsOf(site.status());
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, "slurm.conf line 2");
  EXPECT_THAT(violations[0].description, HasSubstr("MaxMemPerNode: got \"4096\", which has no"));
}

TEST(SiteFilesTest, UnknownFlagsOfQosAreLosses) {
  const std::vector<SiteFile> files = {
      {{"qos.txt", "Name|Flags\nfast|Nonsense,NoDecay\n"}, FileKind::kQos}};
  const auto site = ReadSiteFiles(files, false);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_THAT(site->losses, ElementsAre(HasSubstr("qos.txt line 2: Flags: got \"Nonsense\"")));
  EXPECT_FALSE(ReadSiteFiles(files, false, {.strict = true}).ok());
}

}  // namespace
}  // namespace priorityd::administration
