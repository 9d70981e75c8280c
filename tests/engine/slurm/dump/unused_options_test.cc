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

TEST(UnusedOptionsTest, AMistypedColumnOfQosIsALossThatNamesTheWord) {
  const auto table = ParseQosTable({"qos.txt",
                                    "Name|MaxTRSPU|GrpTRESMin|Prority|MaxWal|MaxCPUsPU|MaxPonies|"
                                    "UsageFctor|GrpJob|ID|Site|MaxPink\n"
                                    "a|cpu=4|cpu=9|7|||-1||3|5|x|\n"
                                    "b|cpu=4|||1-0|8|2|2||||\n"});
  ASSERT_TRUE(table.ok()) << table.status();
  std::vector<std::string> losses;
  for (const char* text : {"MaxTRSPU: got an unknown word of a QOS, want MaxTRESPU",
                           "GrpTRESMin: got an unknown word of a QOS, want GrpTRESMins",
                           "Prority: got an unknown word of a QOS, want Priority",
                           "GrpJob: got an unknown word of a QOS, want GrpJobs",
                           "MaxCPUsPU: got an unknown word of a QOS, want MaxTRESPU",
                           "MaxPonies: got an unknown word of a QOS",
                           "UsageFctor: got an unknown word of a QOS, want UsageFactor"}) {
    losses.push_back(absl::StrCat("qos.txt line 1: ", text, "; ignored"));
  }
  EXPECT_EQ(table->losses, losses);
  EXPECT_THAT(Texts(UnusedOf(table->rows[0])), ElementsAre("QOS a: ID=5", "QOS a: Site=x"));
  EXPECT_THAT(table->rows[1].others, ElementsAre(testing::Pair("MaxWal", "1-0")))
      << "it abbreviates MaxWall alone";
  const auto dump = ParseSacctmgrDump(
      {"dump", "Cluster - 'c'\nQOS - 'b':MaxTRSPU='cpu=4':MaxWall=9\nParent - 'root'\n"});
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_THAT(dump->losses, ElementsAre("dump line 2: MaxTRSPU: got an unknown word of a QOS, want "
                                        "MaxTRESPU; ignored"));
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
