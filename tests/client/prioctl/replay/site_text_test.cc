#include "client/prioctl/replay/site_text.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::replay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

laboratory::HistoryJob JobOf(const std::string& user, const std::string& account) {
  laboratory::HistoryJob job;
  job.user = user;
  job.account = account;
  return job;
}

slurm::SourceFile Example(const std::string& name) {
  std::ifstream file("deploy/example/" + name);
  return {name, {std::istreambuf_iterator<char>(file), {}}};
}

SiteTexts ExampleTexts() {
  SiteTexts texts;
  texts.slurm_conf = {Example("slurm.conf")};
  texts.dump = Example("sacctmgr.dump");
  texts.qos = Example("qos.txt");
  return texts;
}

TEST(SiteTextTest, TheExampleSiteIsReadWhole) {
  History history;
  history.jobs = {JobOf("ann", "phys1")};
  history.jobs[0].partitions = {"fast"};
  history.jobs[0].qos = "normal";
  std::vector<std::string> notes;
  const auto site = MakeSite(ExampleTexts(), &history, &notes);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->cluster.name, "orc");
  EXPECT_EQ(site->cluster.nodes, 8);
  EXPECT_EQ(site->cluster.cpus, 384);
  EXPECT_THAT(site->partitions, SizeIs(4));
  EXPECT_THAT(site->qos, SizeIs(5));
  EXPECT_EQ(site->tree->size(), 1 + 17);  // Root, and the accounts and users of the dump.
  int nodes = 0;
  for (const laboratory::NodeShape& shape : site->nodes) nodes += shape.names.size();
  EXPECT_EQ(nodes, 8);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SiteTextTest, AUserMissingInTheDumpIsAddedAndReported) {
  History history;
  history.jobs = {JobOf("zoe", "chem"), JobOf("zoe", "chem"), JobOf("ann", "gone")};
  std::vector<std::string> notes;
  const auto site = MakeSite(ExampleTexts(), &history, &notes);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->tree->size(), 18 + 3);  // With zoe, ann and ann's account.
  const auto zoe = site->tree->FindUser("chem", "zoe", "");
  ASSERT_GE(zoe, 0);
  EXPECT_EQ(site->tree->raw_shares()[zoe], 1u);
  EXPECT_THAT(notes, ElementsAre("2 users of accounts that the dump does not name: added with "
                                 "Fairshare=1"));
}

TEST(SiteTextTest, NamesThatTheSiteDoesNotHaveAreTakenFromJobs) {
  History history;
  history.jobs = {JobOf("ann", "phys1"), JobOf("ann", "phys1")};
  history.jobs[0].partitions = {"gone", "main"};
  history.jobs[1].partitions = {"gone"};
  history.jobs[1].qos = "lost";
  std::vector<std::string> notes;
  ASSERT_TRUE(MakeSite(ExampleTexts(), &history, &notes).ok());
  EXPECT_THAT(history.jobs[0].partitions, ElementsAre("main"));
  EXPECT_THAT(history.jobs[1].partitions, IsEmpty());
  EXPECT_EQ(history.jobs[1].qos, "");
  EXPECT_THAT(notes,
              ElementsAre("1 job of partitions that are not there: played in the default one",
                          "1 job of QOS that are not there: played under the default one"));
}

TEST(SiteTextTest, ATraceAloneMakesASiteOfItsOwn) {
  History history;
  history.nodes = 16;
  history.cpus = 64;
  history.jobs = {JobOf("u1", "g1"), JobOf("u2", "g1")};
  std::vector<std::string> notes;
  const auto site = MakeSite({}, &history, &notes);
  ASSERT_TRUE(site.ok()) << site.status();
  EXPECT_EQ(site->cluster.cpus, 64);
  EXPECT_EQ(site->nodes[0].tres.at("cpu"), 4);
  EXPECT_THAT(site->nodes[0].names, SizeIs(16));
  EXPECT_EQ(site->tree->size(), 4);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SiteTextTest, WithoutNodesThereIsNoSite) {
  History history;
  history.name = "sacct.txt";
  std::vector<std::string> notes;
  EXPECT_THAT(MakeSite({}, &history, &notes).status().message(),
              HasSubstr("sacct.txt: got no description of nodes"));
  SiteTexts texts;
  texts.slurm_conf = {{"slurm.conf", "PriorityWeightAge=1\n"}};
  EXPECT_THAT(MakeSite(texts, &history, &notes).status().message(),
              HasSubstr("slurm.conf: got no NodeName lines"));
}

TEST(SiteTextTest, FaultsOfFilesNameTheirLines) {
  History history;
  std::vector<std::string> notes;
  SiteTexts texts = ExampleTexts();
  texts.dump->content += "Nonsense - 'x'\n";
  EXPECT_THAT(MakeSite(texts, &history, &notes).status().message(), HasSubstr("sacctmgr.dump"));
}

}  // namespace
}  // namespace priorityd::replay
