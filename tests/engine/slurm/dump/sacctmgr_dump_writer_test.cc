#include "engine/slurm/dump/sacctmgr_dump_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/engine/slurm/parsing.h"

namespace priorityd::slurm {
namespace {

SacctmgrDump DumpOf(const std::string& text) {
  absl::StatusOr<SacctmgrDump> dump = ParseSacctmgrDump({"dump", text});
  EXPECT_TRUE(dump.ok()) << dump.status() << "\n" << text;
  return dump.ok() ? *std::move(dump) : SacctmgrDump();
}

void ExpectEqual(const DumpAssociation& a, const DumpAssociation& b) {
  EXPECT_EQ(a.association.account, b.association.account);
  EXPECT_EQ(a.association.user, b.association.user);
  EXPECT_EQ(a.association.partition, b.association.partition);
  EXPECT_EQ(a.association.raw_shares, b.association.raw_shares);
  EXPECT_EQ(a.association.priority, b.association.priority);
  EXPECT_EQ(a.association.default_qos, b.association.default_qos);
  EXPECT_EQ(a.association.qos, b.association.qos);
  EXPECT_EQ(a.association.limits, b.association.limits);
  EXPECT_EQ(a.parent_account, b.parent_account);
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.organization, b.organization);
  EXPECT_EQ(a.default_account, b.default_account);
  EXPECT_EQ(a.admin_level, b.admin_level);
  EXPECT_EQ(a.other_options, b.other_options);
}

void ExpectEqual(const QosRow& a, const QosRow& b) {
  EXPECT_EQ(a.qos.name, b.qos.name);
  EXPECT_EQ(a.qos.priority, b.qos.priority);
  EXPECT_EQ(a.qos.usage_factor, b.qos.usage_factor);
  EXPECT_EQ(a.qos.usage_threshold, b.qos.usage_threshold);
  EXPECT_EQ(a.qos.no_decay, b.qos.no_decay);
  EXPECT_EQ(a.qos.preempt, b.qos.preempt);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.grp_tres_mins, b.grp_tres_mins);
  EXPECT_EQ(a.grp_wall, b.grp_wall);
  EXPECT_EQ(a.max_submit_jobs_per_user, b.max_submit_jobs_per_user);
  EXPECT_EQ(a.others, b.others);
}

// Writes, reads, and expects the same.
void ExpectRoundTrip(const SacctmgrDump& dump) {
  const SacctmgrDump again = DumpOf(WriteSacctmgrDump(dump));
  EXPECT_EQ(again.cluster, dump.cluster);
  ExpectEqual(again.root, dump.root);
  ASSERT_EQ(again.associations.size(), dump.associations.size());
  for (size_t i = 0; i < dump.associations.size(); ++i) {
    ExpectEqual(again.associations[i], dump.associations[i]);
  }
  ASSERT_EQ(again.qos.size(), dump.qos.size());
  for (size_t i = 0; i < dump.qos.size(); ++i) ExpectEqual(again.qos[i], dump.qos[i]);
}

TEST(SacctmgrDumpWriterTest, RealDumpsSurviveTheRoundTrip) {
  for (const SourceFile& file :
       {SiteFile("sacctmgr.dump"), TestFile("limits", "every_limit.dump")}) {
    ExpectRoundTrip(DumpOf(file.content));
  }
}

TEST(SacctmgrDumpWriterTest, EachOptionSurvivesTheRoundTrip) {
  ExpectRoundTrip(DumpOf(
      "Cluster - 'c':Fairshare=1:QOS='normal,high':DefaultQOS='normal':MaxTRESPerJob=node=50\n"
      "QOS - 'high':Priority=10:UsageFactor=0.5:Flags='NoDecay':GraceTime=60:Preempt='low'\n"
      "Account - 'hpcstaff':GrpTRESMins='billing=100,gres/gpu=5':GrpWall=90:GrpJobsAccrue=7:"
      "MaxSubmitJobs=3000:GrpTRES='node=4':Fairshare=parent\n"
      "Parent - 'hpcstaff'\n"
      "user - dan:Partition='gpu':WCKeys='a,b':Coordinator='hpcstaff':shares=7:MaxJobs=-1:"
      "Priority=-1\n"));
}

TEST(SacctmgrDumpWriterTest, AnOptionInTwoLinesSurvivesTheRoundTrip) {
  ExpectRoundTrip(
      DumpOf("Cluster - 'c':Fairshare=1:MaxJobs=3\n"
             "Account - 'root':Description='r':MaxJ=5\n"
             "Account - 'a':MaxJob=1:MaxJ=2\n"));
}

TEST(SacctmgrDumpWriterTest, QuotesSurviveTheRoundTrip) {
  ExpectRoundTrip(
      DumpOf("Account - 'a':Description='Computer: Science':Organization=\"x 'y' z\"\n"
             "Account - 'b':Description='Women's Health':Organization='it\\'s \\\\ here'\n"
             "Account - 'c':Description=plain text:Organization=''\n"));
}

TEST(SacctmgrDumpWriterTest, ADescriptionSetsNoOption) {
  SacctmgrDump dump;
  DumpAssociation account;
  account.association.account = "a";
  account.parent_account = "root";
  account.description = "it's':Fairshare=9";
  dump.associations.push_back(account);
  const SacctmgrDump again = DumpOf(WriteSacctmgrDump(dump));
  EXPECT_EQ(again.associations[0].description, "it's`:Fairshare=9");
  EXPECT_EQ(again.associations[0].association.raw_shares, account.association.raw_shares);
}

TEST(SacctmgrDumpWriterTest, AnyDescriptionSurvivesTheRoundTrip) {
  std::mt19937 random(7);
  const std::string alphabet = "ab'\":\\ =,|#ä";
  for (int i = 0; i < 2000; ++i) {
    SacctmgrDump dump;
    DumpAssociation account;
    account.association.account = "a";
    account.parent_account = "root";
    const int length = random() % 12;
    for (int k = 0; k < length; ++k) {
      const size_t at = random() % alphabet.size();
      account.description += at >= alphabet.size() - 2 ? "ä" : alphabet.substr(at, 1);
    }
    dump.associations.push_back(account);
    const SacctmgrDump again = DumpOf(WriteSacctmgrDump(dump));
    ASSERT_EQ(again.associations.size(), 1u);
    ASSERT_EQ(again.associations[0].description, account.description);
  }
}

TEST(SacctmgrDumpWriterTest, LineBreaksInValuesBecomeSpaces) {
  SacctmgrDump dump;
  DumpAssociation account;
  account.association.account = "a";
  account.parent_account = "root";
  account.description = "two\nlines";
  dump.associations.push_back(account);
  EXPECT_EQ(DumpOf(WriteSacctmgrDump(dump)).associations[0].description, "two lines");
}

}  // namespace
}  // namespace priorityd::slurm
