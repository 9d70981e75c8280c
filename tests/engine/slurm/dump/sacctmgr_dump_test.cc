#include "engine/slurm/dump/sacctmgr_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

SacctmgrDump Parsed(const std::string& text) {
  absl::StatusOr<SacctmgrDump> dump = ParseSacctmgrDump({"dump", text});
  EXPECT_TRUE(dump.ok()) << dump.status() << "\n" << text;
  return dump.ok() ? *std::move(dump) : SacctmgrDump();
}

TEST(SacctmgrDumpTest, ARealDumpIsRead) {
  const auto dump = ParseSacctmgrDump(SiteFile("sacctmgr.dump"));
  ASSERT_TRUE(dump.ok()) << dump.status();
  EXPECT_EQ(dump->cluster, "orc");
  EXPECT_THAT(*dump->root.association.qos, ElementsAre("fill", "normal", "q10", "q200", "q50"));
  EXPECT_THAT(dump->warnings, IsEmpty());
  ASSERT_EQ(dump->associations.size(), 17u);

  const DumpAssociation& root_user = dump->associations[0];
  EXPECT_EQ(root_user.association.account, "root");
  EXPECT_EQ(root_user.association.user, "root");
  EXPECT_EQ(root_user.admin_level, "Administrator");

  const DumpAssociation& biol = dump->associations[1];
  EXPECT_EQ(biol.association.account, "biol");
  EXPECT_EQ(biol.association.user, "");
  EXPECT_EQ(biol.parent_account, "root");
  EXPECT_EQ(biol.association.raw_shares, 20u);
  EXPECT_EQ(biol.association.priority, 0u);
  EXPECT_EQ(biol.organization, "biol");

  const DumpAssociation& joy = dump->associations[10];
  EXPECT_EQ(joy.association.user, "joy");
  EXPECT_EQ(joy.association.limits.max_jobs_accrue, 1u);
  EXPECT_FALSE(joy.association.priority.has_value());
  EXPECT_FALSE(joy.association.qos.has_value());

  const DumpAssociation& dan = dump->associations[16];
  EXPECT_EQ(dan.association.account, "phys2");
  EXPECT_EQ(dan.association.raw_shares, std::nullopt);
  EXPECT_EQ(DefaultAccounts(*dump).at("ann"), "phys1");
}

TEST(SacctmgrDumpTest, EveryOptionIsHeld) {
  const SacctmgrDump dump = Parsed(
      "Cluster - 'c':Fairshare=1:QOS='normal,high':DefaultQOS='normal':MaxTRESPerJob=node=50\n"
      "QOS - 'high':Priority=10:UsageFactor=0.5:Flags='NoDecay':GraceTime=60:Preempt='low'\n"
      "Account - 'hpcstaff':GrpTRESMins='billing=100,gres/gpu=5':GrpWall=90:GrpJobsAccrue=7:"
      "MaxSubmitJobs=3000:GrpTRES='node=4':Fairshare=parent\n"
      "Parent - 'hpcstaff'\n"
      "user - dan:Partition='gpu':WCKeys='a,b':Coordinator='hpcstaff':shares=7:MaxJobs=-1:"
      "Priority=-1\n");
  EXPECT_EQ(dump.root.association.default_qos, "normal");
  EXPECT_THAT(dump.root.other_options, ElementsAre(DumpOption{"MaxTRESPerJob", "node=50"}));
  ASSERT_EQ(dump.qos.size(), 1u);
  EXPECT_EQ(dump.qos[0].qos.usage_factor, 0.5);
  EXPECT_TRUE(dump.qos[0].qos.no_decay);
  EXPECT_THAT(dump.qos[0].others, ElementsAre(Pair("GraceTime", "60")));
  const priority::Association& account = dump.associations[0].association;
  EXPECT_FALSE(account.raw_shares.has_value());
  EXPECT_THAT(account.limits.grp_tres_mins, ElementsAre(Pair("billing", 100), Pair("gres/gpu", 5)));
  EXPECT_EQ(account.limits.grp_wall, absl::Minutes(90));
  EXPECT_EQ(account.limits.grp_jobs_accrue, 7u);
  EXPECT_EQ(account.limits.max_submit_jobs, 3000u);
  const DumpAssociation& user = dump.associations[1];
  EXPECT_EQ(user.association.account, "hpcstaff");
  EXPECT_EQ(user.association.partition, "gpu");
  EXPECT_EQ(user.association.raw_shares, 7u);
  EXPECT_FALSE(user.association.priority.has_value());
  EXPECT_THAT(user.other_options,
              ElementsAre(DumpOption{"WCKeys", "a,b"}, DumpOption{"Coordinator", "hpcstaff"},
                          DumpOption{"MaxJobs", "-1"}));
}

// As sacctmgr 22.05 dumps descriptions that end with a backslash.
TEST(SacctmgrDumpTest, ABackslashAtTheEndOfAValueEscapesNothing) {
  const SacctmgrDump dump = Parsed(
      "Account - 'a':Description='x\\':Organization='a\\\\b':Fairshare=3\n"
      "Account - 'b':Description='it\\':s':Organization='y\\'\n");
  EXPECT_EQ(dump.associations[0].description, "x\\");
  EXPECT_EQ(dump.associations[0].organization, "a\\b");
  EXPECT_EQ(dump.associations[0].association.raw_shares, 3u);
  EXPECT_EQ(dump.associations[1].description, "it':s");
  EXPECT_EQ(dump.associations[1].organization, "y\\");
}

TEST(SacctmgrDumpTest, QuotesHoldColonsEscapesAndApostrophes) {
  const SacctmgrDump dump = Parsed(
      "Account - 'a':Description='Computer: Science':Organization=\"x 'y' z\"\n"
      "Account - 'b':Description='Women's Health':Organization='it\\'s \\\\ here'\n"
      "Account - 'c':Description=plain text:Organization=''\n");
  EXPECT_EQ(dump.associations[0].description, "Computer: Science");
  EXPECT_EQ(dump.associations[0].organization, "x 'y' z");
  EXPECT_EQ(dump.associations[1].description, "Women's Health");
  EXPECT_EQ(dump.associations[1].organization, "it's \\ here");
  EXPECT_EQ(dump.associations[2].description, "plain text");
  EXPECT_EQ(dump.associations[2].organization, "");
}

TEST(SacctmgrDumpTest, ChangesOfAQosListApplyToTheParents) {
  const SacctmgrDump dump = Parsed(
      "Cluster - 'c':QOS='normal,low'\n"
      "Account - 'a':QOS='+high,-low'\n"
      "Parent - 'a'\n"
      "User - 'u':QOS='-normal'\n");
  EXPECT_THAT(*dump.associations[0].association.qos, ElementsAre("normal", "high"));
  EXPECT_THAT(*dump.associations[1].association.qos, ElementsAre("high"));
}

TEST(SacctmgrDumpTest, ChangesWithoutAListAboveAreOfAListOfNone) {
  const SacctmgrDump dump = Parsed("Account - 'a':QOS+=high,low\nUser - 'u':QOS='+x'\n");
  EXPECT_THAT(*dump.associations[0].association.qos, ElementsAre("high", "low"));
  EXPECT_THAT(*dump.associations[1].association.qos, ElementsAre("x"));
  EXPECT_THAT(
      dump.warnings,
      ElementsAre("dump line 1: QOS: got changes (+ or -), and no account above has a list: "
                  "they change an empty list",
                  "dump line 2: QOS: got changes (+ or -), and no account above has a list: "
                  "they change an empty list"));
}

// Shapes of public files that sacctmgr load takes and dump does not write.
TEST(SacctmgrDumpTest, WhatLoadTakesIsRead) {
  const SacctmgrDump dump = Parsed(
      "Cluster - 'hpc01':QOS+=normal,high:Fairshare=1\n\n"
      "Parent - 'root'\n"
      "Account - 'root':Fairshare=3:QOS+=low\n"
      "Parent - 'root'\n"
      "Project - "
      "'lab':Desc='lab':Org='l':Fair=10:GrpTRESM=cpu=1000:MaxJ=3:MaxS=9:MaxW=60:GrpJob=20\n"
      "Parent - 'lab'\n"
      "User - 'ann':DefaultA='lab':Share=2:Admin=None:Coord='lab':Part=gpu:QOS-=normal\n");
  EXPECT_EQ(dump.root.association.raw_shares, 3u);
  EXPECT_THAT(*dump.root.association.qos, ElementsAre("normal", "high", "low"));
  EXPECT_THAT(dump.warnings, testing::SizeIs(1)) << "of the Cluster line's list";
  const DumpAssociation& lab = dump.associations[0];
  EXPECT_EQ(lab.description, "lab");
  EXPECT_EQ(lab.organization, "l");
  EXPECT_EQ(lab.association.raw_shares, 10u);
  EXPECT_THAT(lab.association.limits.grp_tres_mins, ElementsAre(Pair("cpu", 1000)));
  EXPECT_EQ(lab.association.limits.max_submit_jobs, 9u);
  EXPECT_THAT(lab.other_options,
              ElementsAre(DumpOption{"MaxJobs", "3"}, DumpOption{"MaxWallDurationPerJob", "60"},
                          DumpOption{"GrpJobs", "20"}));
  const DumpAssociation& ann = dump.associations[1];
  EXPECT_EQ(ann.default_account, "lab");
  EXPECT_EQ(ann.association.partition, "gpu");
  EXPECT_EQ(ann.association.raw_shares, 2u);
  EXPECT_THAT(*ann.association.qos, ElementsAre("high", "low"));
}

TEST(SacctmgrDumpTest, OfAnOptionInTwoLinesOrUnderTwoNamesTheLastHolds) {
  const SacctmgrDump dump = Parsed(
      "Cluster - 'c':Fairshare=1:MaxJobs=3\n"
      "Account - 'root':Description='r':MaxJ=5\n"
      "Account - 'a':MaxJob=1:MaxJ=2\n");
  EXPECT_THAT(dump.root.other_options,
              ElementsAre(DumpOption{"Description", "r"}, DumpOption{"MaxJobs", "5"}));
  EXPECT_THAT(dump.associations[0].other_options, ElementsAre(DumpOption{"MaxJobs", "2"}));
}

TEST(SacctmgrDumpTest, HalvesOfUnitsHold) {
  const SacctmgrDump dump = Parsed("Account - 'lab':GrpTRESMins=mem=1.50T:GrpTRES=mem=62.50G\n");
  EXPECT_THAT(dump.associations[0].association.limits.grp_tres_mins,
              ElementsAre(Pair("mem", 1'572'864)));
}

TEST(SacctmgrDumpTest, FaultsAreNamedByLine) {
  const auto dump = ParseSacctmgrDump(
      {"orc.dump",
       "Cluster - 'orc':Fairshare=-2\n"
       "Cluster - 'orc2'\n"
       "Parent - 'nobody'\n"
       "Parent - 'root'\n"
       "Account - 'a':FooBar=1\n"
       "Account - 'a'\n"
       "User - 'q':Fairshare+=1\n"
       "Team - 'x'\n"
       "just text\n"
       "User - 'u':Description='open\n"
       "User - 'v':Fairshare=1:FairShare=2\n"
       "User - 'w':Fairshare\n"
       "User - ''\n"
       "User - 'x':Priority=a:GrpWall=soon:GrpTRESMins='gpu=1':MaxSubmitJobs=1.5\n"
       "User - 'y'\n"
       "User - 'y'\n"
       "User - 'z':GrpTRES=mem=1.5:MaxJobs=few\n"
       "QOS - 'q':Nonsense=1\n"});
  EXPECT_THAT(
      ErrorTexts(dump.status()),
      ElementsAre(
          "orc.dump line 1: Fairshare: got \"-2\", want a whole number from 0 to 2147483646, or "
          "parent (2147483647)",
          "orc.dump line 2: Cluster: got \"orc2\", want only one Cluster line",
          "orc.dump line 3: Parent: got \"nobody\", want root or an account of a line before",
          "orc.dump line 5: FooBar: got an unknown option, want one of those that sacctmgr dump "
          "writes, such as Fairshare, Priority, QOS, DefaultQOS, GrpTRESMins, MaxSubmitJobs",
          "orc.dump line 6: Account: got \"a\" again, want it only at line 5",
          "orc.dump line 7: got \"Fairshare+=\", want Fairshare=, as only QOS takes += and -=",
          "orc.dump line 8: got \"Team\", want Cluster, Parent, Account, User or QOS",
          "orc.dump line 9: got \"just text\", want Cluster, Parent, Account, User or QOS, then - "
          "'name'",
          "orc.dump line 10: Description: got \"'open\", want a closing quote before : or the "
          "line's end",
          "orc.dump line 11: got \"FairShare\", want each option once",
          "orc.dump line 12: got \"Fairshare\", want Option=value",
          "orc.dump line 13: got \"User - ''\", want User - 'name'",
          "orc.dump line 14: Priority: got \"a\", want a whole number from 0 to 4294967294, or -1 "
          "for none",
          "orc.dump line 14: GrpWall: got \"soon\", want a time (min, min:sec, h:m:s, d-h, d-h:m, "
          "d-h:m:s or UNLIMITED)",
          "orc.dump line 14: GrpTRESMins: got \"gpu=1\", want cpu, mem, node, energy, billing, "
          "vmem, pages, gres/NAME, license/NAME, bb/NAME, fs/NAME or ic/NAME before the =",
          "orc.dump line 14: MaxSubmitJobs: got \"1.5\", want a whole number from 0 to 4294967294, "
          "or -1 for none",
          "orc.dump line 16: User: got \"y\" in account \"root\" again, want it only at line 15",
          "orc.dump line 17: GrpTRES: got \"mem=1.5\", want mem=a whole number of at most "
          "9007199254740992, also such as 1.50T with a suffix K, M, G, T or P, or -1",
          "orc.dump line 17: MaxJobs: got \"few\", want a whole number or -1",
          "orc.dump line 18: Nonsense: got an unknown option of a QOS"));
}

// The GrpTRESMins of an account.
priority::TresMap BudgetOf(const SacctmgrDump& dump, const std::string& account) {
  for (const DumpAssociation& line : dump.associations) {
    if (line.association.account == account && line.association.user.empty()) {
      return line.association.limits.grp_tres_mins;
    }
  }
  ADD_FAILURE() << "no account " << account;
  return {};
}

// The two were set as mem=100000 and mem=2000, in MB.
std::string Chain(int depth) {
  std::string text = "Cluster - 'c':Fairshare=1\nParent - 'root'\n";
  for (int i = 1; i <= depth; ++i) {
    absl::StrAppend(&text, "Account - 'a", i, "':Fairshare=1\nParent - 'a", i, "'\n");
  }
  return text + "User - 'ann':DefaultAccount='a1'\n";
}

TEST(SacctmgrDumpTest, ATreeHasABoundOfDepthAndTheFirstLineBeyondItIsNamed) {
  EXPECT_EQ(Parsed(Chain(kMaxAccountDepth)).associations.size(), kMaxAccountDepth + 1);
  const auto deep = ParseSacctmgrDump({"dump", Chain(20'000)});
  const std::string fault(deep.status().message());
  EXPECT_THAT(fault, HasSubstr("dump line 131: Account: got \"a65\" below 64 others"));
  EXPECT_EQ(fault.find("line 133"), std::string::npos) << fault;
}

TEST(SacctmgrDumpTest, UsersWhoDifferInCaseOnlyAreTakenAndWarnedOf) {
  const SacctmgrDump dump = Parsed(
      "Cluster - 'c':Fairshare=1\nParent - 'root'\nUser - 'Ann':DefaultAccount='root'\n"
      "User - 'ann':DefaultAccount='root'\nUser - 'ben':DefaultAccount='root'\n");
  EXPECT_EQ(dump.associations.size(), 3);
  EXPECT_THAT(dump.warnings,
              ElementsAre("dump: users Ann and ann differ in case only, and are two users"));
}

TEST(SacctmgrDumpTest, ANameThatTurnsTextAroundIsRefusedByItsLine) {
  const auto dump =
      ParseSacctmgrDump({"dump",
                         "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a\xe2\x80\xae"
                         "b'\n"});
  EXPECT_THAT(std::string(dump.status().message()),
              HasSubstr("dump line 3: Account: got a name with the character U+202E"));
}

TEST(SacctmgrDumpTest, LimitsThatSacctmgrWritesWithUnitsAreRead) {
  const auto budget = ParseSacctmgrDump(TestFile("limits", "budget.dump"));
  ASSERT_TRUE(budget.ok()) << budget.status();
  EXPECT_THAT(BudgetOf(*budget, "bmem"), ElementsAre(Pair("mem", 100000)));
  const auto every_limit = ParseSacctmgrDump(TestFile("limits", "every_limit.dump"));
  ASSERT_TRUE(every_limit.ok()) << every_limit.status();
  EXPECT_THAT(BudgetOf(*every_limit, "full"),
              ElementsAre(Pair("billing", 44), Pair("cpu", 1000), Pair("gres/gpu", 300),
                          Pair("mem", 2000)));
}

TEST(SacctmgrDumpTest, ADefaultAccountWithoutAnAssociationIsListed) {
  const SacctmgrDump dump = Parsed("User - 'u':DefaultAccount='gone'\n");
  EXPECT_THAT(dump.warnings, ElementsAre());
  ASSERT_EQ(dump.lacking_defaults.size(), 1);
  const LackingDefault& lacking = dump.lacking_defaults.front();
  EXPECT_EQ(lacking.user, "u");
  EXPECT_EQ(lacking.account, "gone");
  EXPECT_EQ(lacking.warning, "dump: user u has DefaultAccount gone, but no association there");
}

}  // namespace
}  // namespace priorityd::slurm
