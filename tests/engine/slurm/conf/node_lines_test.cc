// NodeName and NodeSet lines, through ParseSlurmConf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/slurm/conf/slurm_conf.h"
#include "tests/engine/slurm/parsing.h"
#include "tests/engine/slurm/slurm_conf_parsing.h"

namespace priorityd::slurm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

double Cpus(const std::string& text) {
  const SlurmConf conf = Parsed(text);
  return conf.cluster.has_value() ? conf.cluster->cpus : -1;
}

TEST(NodeLinesTest, CpusAreGivenOrMultiplied) {
  EXPECT_EQ(Cpus("NodeName=n1"), 1);
  EXPECT_EQ(Cpus("NodeName=n[1-3] CPUs=64"), 192);
  EXPECT_EQ(Cpus("nodename=n1 procs=16"), 16);
  EXPECT_EQ(Cpus("NodeName=n1 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2"), 64);
  EXPECT_EQ(Cpus("NodeName=n1 Boards=2 SocketsPerBoard=2 CoresPerSocket=8"), 32);
  EXPECT_EQ(Cpus("NodeName=n1 CPUs=32 CoresPerSocket=16"), 32);
}

TEST(NodeLinesTest, CpusMayCountSocketsOrCores) {
  EXPECT_EQ(Cpus("NodeName=n1 CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2"), 32);
  EXPECT_EQ(Cpus("NodeName=n1 CPUs=2 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2"), 2);
}

// slurmctld's effective CPUs: without the specialized cores, of one CPU each where the CPUs are
// cores.
TEST(NodeLinesTest, SpecializedCoresDoNotCount) {
  EXPECT_EQ(Cpus("NodeName=n[1-2] Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 CoreSpecCount=2"),
            120);
  EXPECT_EQ(
      Cpus("NodeName=n1 CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 CoreSpecCount=2"), 30);
  EXPECT_EQ(Cpus("NodeName=n1 CPUs=8 CoreSpecCount=0"), 8);
  EXPECT_THAT(ErrorTexts(Parse("NodeName=n1 CPUs=2 CoreSpecCount=2").status()),
              ElementsAre(HasSubstr("CoreSpecCount: got \"2\", want fewer cores")));
}

TEST(NodeLinesTest, CpusThatMatchNothingGiveWayWithAWarning) {
  const SlurmConf conf = Parsed("NodeName=n1 CPUs=40 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2");
  EXPECT_EQ(conf.cluster->cpus, 64);
  EXPECT_THAT(conf.warnings, ElementsAre("slurm.conf line 1: CPUs: got 40, but sockets x cores x "
                                         "threads is 64, which holds"));
}

TEST(NodeLinesTest, DefaultLinesHoldForLaterLinesAndAddUp) {
  const SlurmConf conf = Parsed(
      "NodeName=a CPUs=1 RealMemory=10\n"
      "NodeName=DEFAULT CPUs=8 RealMemory=1000\n"
      "NodeName=b[1-2]\n"
      "NodeName=DEFAULT Gres=gpu:a100:4(S:0)\n"
      "NodeName=c RealMemory=5\n");
  EXPECT_THAT(conf.cluster->tres,
              ElementsAre(Pair("cpu", 1 + 16 + 8), Pair("gres/gpu", 4), Pair("gres/gpu:a100", 4),
                          Pair("mem", 10 + 2000 + 5), Pair("node", 4)));
}

TEST(NodeLinesTest, DownNodesCountAndFutureOnesDoNot) {
  const SlurmConf conf = Parsed(
      "NodeName=a State=DOWN\nNodeName=b State=CLOUD\nNodeName=f State=FUTURE\n"
      "PartitionName=p Nodes=a,f\nPartitionName=all Nodes=ALL\n");
  EXPECT_EQ(conf.cluster->nodes, 2);
  EXPECT_EQ(conf.partitions[0].nodes, 1);
  EXPECT_EQ(conf.partitions[1].nodes, 2);
}

TEST(NodeLinesTest, NodeSetsStandForTheirNodes) {
  const SlurmConf conf = Parsed(
      "NodeSet=gpus Feature=a100\nNodeSet=some Nodes=n[1-2]\n"
      "NodeName=n[1-4] CPUs=2\nNodeName=g[1-3] CPUs=4 Feature=ib,a100\n"
      "PartitionName=gpu Nodes=gpus,n1\nPartitionName=few Nodes=some,n[2-3]\n");
  EXPECT_EQ(conf.partitions[0].tres.at("cpu"), 3 * 4 + 2);
  EXPECT_EQ(conf.partitions[1].nodes, 3);
}

TEST(NodeLinesTest, ANodeTwiceInAPartitionCountsOnce) {
  EXPECT_EQ(Parsed("NodeName=n[1-4]\nPartitionName=p Nodes=n[1-3],n[2-4]\n").partitions[0].nodes,
            4);
}

TEST(NodeLinesTest, FaultsAreNamedByLine) {
  EXPECT_THAT(
      ErrorTexts(Parse("NodeName=n[1-\n"
                       "NodeName=a CPUs=0\n"
                       "NodeName=b RealMemory=64G\n"
                       "NodeName=c Gres=:4\n"
                       "NodeName=a,d\n"
                       "PartitionName=p Nodes=a,zz\n"
                       "PartitionName=q Nodes=[\n")
                     .status()),
      ElementsAre(
          "slurm.conf line 1: NodeName: got \"n[1-\", want a hostlist: a ] after every [",
          "slurm.conf line 2: CPUs: got \"0\", want a whole number from 1 to 1000000",
          "slurm.conf line 3: RealMemory: got \"64G\", want a whole number from 1 to 1000000000000",
          "slurm.conf line 4: Gres: got \":4\", want NAME, NAME:COUNT or NAME:TYPE:COUNT",
          "slurm.conf line 5: NodeName: got node \"a\" twice, want it in one line",
          "slurm.conf line 6: Nodes: got node \"zz\", want nodes with a NodeName line",
          "slurm.conf line 7: Nodes: got \"[\", want a hostlist: a ] after every ["));
}

TEST(NodeLinesTest, HugeClustersAreRefused) {
  EXPECT_THAT(ErrorTexts(Parse("NodeName=a[1-600000]\nNodeName=b[1-600000]\n").status()),
              ElementsAre("slurm.conf line 2: NodeName: got 1200000 nodes so far, want at most "
                          "1000000"));
  std::string text;
  for (int i = 0; i < 5; ++i) absl::StrAppend(&text, "PartitionName=p", i, " Nodes=n[1-900000]\n");
  EXPECT_THAT(ErrorTexts(Parse(text).status()),
              ElementsAre(HasSubstr("got more than 4000000 hosts in all partitions, want fewer")));
}

TEST(NodeLinesTest, NodesThatAreNamedTwiceCountAgainstTheBoundToo) {
  EXPECT_THAT(ErrorTexts(Parse("NodeName=a[1-400000]\n"
                               "NodeName=a[1-20],b[1-500000]\n"
                               "NodeName=c[1-99990]\n")
                             .status()),
              Contains("slurm.conf line 3: NodeName: got 1000010 nodes so far, want at most "
                       "1000000"));
}

TEST(NodeLinesTest, SettingsOfDefaultLinesCountInEachLine) {
  std::string text = absl::StrCat("NodeName=DEFAULT Feature=", std::string(1 << 20, 'f'), "\n");
  for (int i = 0; i < 32; ++i) absl::StrAppend(&text, "NodeName=a", i, "\n");
  EXPECT_TRUE(Parse(text).ok());
  EXPECT_THAT(ErrorTexts(Parse(absl::StrCat(text, "NodeName=b\n")).status()),
              ElementsAre("slurm.conf line 34: NodeName: got more than 33554432 bytes of settings "
                          "of all lines with those of DEFAULT lines, want fewer lines or shorter "
                          "settings"));
}

TEST(NodeLinesTest, TheLinesHaveNoMoreGresThanAClusterHasTres) {
  std::string text;
  for (int i = 0; i < 1001; ++i) absl::StrAppend(&text, "NodeName=a", i, " Gres=g", i, ":1\n");
  EXPECT_THAT(ErrorTexts(Parse(text).status()),
              ElementsAre("slurm.conf line 1001: Gres: got more than 1000 names in all lines, "
                          "want at most as many"));
}

}  // namespace
}  // namespace priorityd::slurm
