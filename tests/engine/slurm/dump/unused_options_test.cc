#include "engine/slurm/dump/unused_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<UnusedSetting>& unused) {
  std::vector<std::string> texts;
  for (const UnusedSetting& setting : unused) {
    const bool limits = setting.unused_class == UnusedClass::kLimits;
    texts.push_back(absl::StrCat(setting.place, ": ", setting.name, "=", setting.value,
                                 limits ? " limits" : ""));
  }
  return texts;
}

std::vector<std::string> UnusedOfQos(const std::string& table) {
  const auto read = ParseQosTable({"qos.txt", table});
  EXPECT_TRUE(read.ok()) << read.status();
  return read.ok() ? Texts(UnusedOf(read->rows[0])) : std::vector<std::string>();
}

TEST(UnusedOptionsTest, FlagsAndColumnsOfQosWithoutEffect) {
  EXPECT_THAT(
      UnusedOfQos("Name|Flags|GraceTime|PreemptMode\n"
                  "a|DenyOnLimit,Relative,requiresreservation,UsageFactorSafe|00:02:00|requeue\n"),
      ElementsAre("QOS a: Flags=RequiresReservation=requiresreservation limits",
                  "QOS a: Flags=UsageFactorSafe=UsageFactorSafe limits"));
}

TEST(UnusedOptionsTest, WhatSlurmPrintsForUnsetColumnsIsNotListed) {
  EXPECT_THAT(UnusedOfQos("Name|GraceTime|PreemptMode|MaxWall|LimitFactor|Descr|MinPrioThresh|"
                          "MaxJobsAccruePU|GrpJobs|MaxTRESPU\n"
                          "a|00:00:00|cluster|1-0|2|the usual|100|5|7|cpu=4\n"),
              IsEmpty());
}

TEST(UnusedOptionsTest, AFlagThatNoSlurmHasIsALossWithItsLine) {
  const auto table = ParseQosTable({"qos.txt", "Name|Flags\na|\nb|NoDecay,Nonsense\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->losses,
              ElementsAre("qos.txt line 3: Flags: got \"Nonsense\", which no Slurm from 14.11 to "
                          "25.11 has; ignored"));
  EXPECT_THAT(table->rows[1].flags, ElementsAre("NoDecay"));
  const auto dump = ParseSacctmgrDump(
      {"dump", "Cluster - 'c'\nQOS - 'b':Flags='NoReserve,Nonsense'\nParent - 'root'\n"});
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->losses.size(), 1u);
  EXPECT_THAT(dump->qos[0].flags, ElementsAre("NoReserve"));
}

TEST(UnusedOptionsTest, OptionsOfAssociationsWithoutEffect) {
  const auto dump =
      ParseSacctmgrDump({"dump",
                         "Cluster - 'c':Fairshare=1:MaxJobs=-1\nParent - 'root'\n"
                         "Account - 'chem':GrpTRES='cpu=4':MinPrioThresh=50\nParent - 'chem'\n"
                         "User - 'ann':DefaultWCKey='x':Coordinator='chem':MaxJobs=3\n"});
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(Texts(UnusedOf(dump->root)), IsEmpty());
  EXPECT_THAT(Texts(UnusedOf(dump->associations[0])),
              ElementsAre("account chem: MinPrioThreshold=50 limits"));
  EXPECT_THAT(Texts(UnusedOf(dump->associations[1])),
              ElementsAre("user ann of chem: DefaultWCKey=x"));
}

}  // namespace
}  // namespace priorityd::slurm
