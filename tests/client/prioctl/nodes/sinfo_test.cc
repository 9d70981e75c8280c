// sinfo's tables against what a real sinfo 22.05.8 printed of the same nodes and jobs.
#include "client/prioctl/nodes/sinfo.h"

#include <set>
#include <sstream>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"
#include "tests/client/prioctl/nodes/captured_nodes.h"

namespace priorityd::nodes {
namespace {

namespace v1 = ::priority::v1;
using jobs::CapturedLines;
using jobs::Lines;
using ::testing::HasSubstr;

Lines Print(const SinfoOptions& options, const ClusterNodes& cluster) {
  std::ostringstream out;
  EXPECT_TRUE(PrintSinfo(cluster, options, "REQUEUE", absl::UnixEpoch(), out).ok());
  return absl::StrSplit(absl::StripSuffix(out.str(), "\n"), '\n');
}

// The time above a long table is that of its printing.
Lines WithoutTime(Lines lines) {
  if (!lines.empty() && (absl::EndsWith(lines[0], "2026") || absl::EndsWith(lines[0], "1970"))) {
    lines.erase(lines.begin());
  }
  return lines;
}

class CapturedSinfoTest : public ::testing::Test {
 protected:
  void ExpectAsCaptured(const std::string& options_text, const SinfoOptions& options) {
    SCOPED_TRACE(options_text);
    EXPECT_EQ(WithoutTime(Print(options, cluster_)),
              WithoutTime(CapturedLines("nodes.txt", "sinfo" + options_text)));
  }
  // Slurm leaves the order of a node's lines open.
  void ExpectInAnyOrder(const std::string& options_text, const SinfoOptions& options) {
    SCOPED_TRACE(options_text);
    const Lines got = WithoutTime(Print(options, cluster_));
    const Lines want = WithoutTime(CapturedLines("nodes.txt", "sinfo" + options_text));
    EXPECT_EQ(std::multiset<std::string>(got.begin(), got.end()),
              std::multiset<std::string>(want.begin(), want.end()));
  }

  const ClusterNodes cluster_ = CapturedNodes(CapturedRunningJobs());
};

TEST(ReservedNodesTest, TablesAreSlurmsByteForByte) {
  const ClusterNodes cluster = CapturedReservedNodes();
  const auto expect_as_captured = [&](const std::string& options_text,
                                      const SinfoOptions& options) {
    EXPECT_EQ(WithoutTime(Print(options, cluster)),
              WithoutTime(CapturedLines("reserved_nodes.txt", "sinfo" + options_text)))
        << options_text;
  };
  expect_as_captured("", {});
  expect_as_captured(" -s", {.summary = true});
  expect_as_captured(" -t resv", {.states = "resv"});
  expect_as_captured(" -t maint", {.states = "maint"});
  expect_as_captured(" -t idle", {.states = "idle"});
  expect_as_captured(" -o \"%P|%F|%A|%C|%t|%T|%N\"", {.format = "%P|%F|%A|%C|%t|%T|%N"});
  expect_as_captured(" -S t -o \"%t|%N\"", {.format = "%t|%N", .sort = "t"});
  EXPECT_EQ(CheckSinfo({.states = "reserved,maintenance"}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ReservedNodesTest, AReservationOfAllNodesHasThoseOfItsPartition) {
  const std::string conf = CapturedNodesConf();
  google::protobuf::RepeatedPtrField<v1::Reservation> reservations;
  auto& attributes = *reservations.Add()->mutable_attributes();
  attributes["Nodes"] = "ALL";
  attributes["PartitionName"] = "gpu";
  attributes["State"] = "ACTIVE";
  const ClusterNodes cluster =
      BuildClusterNodes(LinesOf(conf), PartitionsOf(conf).partitions(), {}, false, reservations);
  std::set<std::string> reserved;
  for (const Node& node : cluster.nodes) {
    if (node.reserved == Reserved::kReserved) reserved.insert(node.name);
  }
  EXPECT_EQ(reserved, std::set<std::string>{"n2"});
}

TEST_F(CapturedSinfoTest, TablesAreSlurmsByteForByte) {
  ExpectAsCaptured("", {});
  ExpectAsCaptured(" -h", {.header = false});
  ExpectAsCaptured(" -s -l", {.summary = true, .long_listing = true});
  ExpectAsCaptured(" -e", {.exact = true});
  ExpectAsCaptured(" -p gpu", {.partitions = {"gpu"}});
  ExpectAsCaptured(" -p main,debug", {.partitions = {"main", "debug"}});
  ExpectAsCaptured(" -p nowhere", {.partitions = {"nowhere"}});
  ExpectAsCaptured(" -n n1", {.nodes = "n1"});
  ExpectAsCaptured(" -t idle", {.states = "idle"});
  ExpectAsCaptured(" -t alloc,mix", {.states = "alloc,mix"});
  ExpectAsCaptured(" -t down", {.states = "down"});
  ExpectAsCaptured(" -t drain -N", {.states = "drain", .by_node = true});
  ExpectInAnyOrder(" -S -D", {.sort = "-D"});
  ExpectAsCaptured(" -o \"%P|%a|%l|%D|%t|%N\"", {.format = "%P|%a|%l|%D|%t|%N"});
  ExpectAsCaptured(" -o \"%P|%R|%a|%A|%F|%D|%N\"", {.format = "%P|%R|%a|%A|%F|%D|%N"});
  ExpectAsCaptured(" -s -p main -o \"%P %F %C %N\"",
                   {.partitions = {"main"}, .format = "%P %F %C %N", .summary = true});
  ExpectAsCaptured(" -o \"%5P%.10D|%6tx\"", {.format = "%5P%.10D|%6tx"});
  ExpectAsCaptured(" -o \"%P|%D|%t\" -t mix,alloc", {.states = "mix,alloc", .format = "%P|%D|%t"});
  ExpectAsCaptured(" -O partition,available,time,nodes,statecompact,nodelist",
                   {.long_format = "partition,available,time,nodes,statecompact,nodelist"});
  ExpectAsCaptured(
      " -O \"PartitionName:12,NodeAIOT:16,CPUsState:.12,Memory:.10,Gres: ,NodeList:30\"",
      {.long_format = "PartitionName:12,NodeAIOT:16,CPUsState:.12,Memory:.10,Gres: ,NodeList:30"});
}

TEST_F(CapturedSinfoTest, LinesOfNodesAreSlurms) {
  ExpectInAnyOrder(" -N", {.by_node = true});
  ExpectInAnyOrder(" -N -l", {.by_node = true, .long_listing = true});
  ExpectInAnyOrder(" -n n[1-2] -N", {.nodes = "n[1-2]", .by_node = true});
  ExpectInAnyOrder(" -S -P,N -N", {.sort = "-P,N", .by_node = true});
  ExpectInAnyOrder(" -N -h -o \"%n %t %C\"",
                   {.format = "%n %t %C", .by_node = true, .header = false});
  ExpectInAnyOrder(" -N -o \"%N %T %C %m %G %f %w %P\"",
                   {.format = "%N %T %C %m %G %f %w %P", .by_node = true});
}

// The nodes are idle before the jobs start; the first such table of the transcript.
TEST_F(CapturedSinfoTest, WithoutJobsNodesThatAreUpAreIdle) {
  EXPECT_EQ(Print({.summary = true}, CapturedNodes({})), CapturedLines("nodes.txt", "sinfo -s"));
}

// OVERSUBSCRIBE, which the service does not keep, is n/a.
TEST_F(CapturedSinfoTest, ColumnsOfSizesAndPartitionsAreSlurms) {
  constexpr char kFormat[] =
      "%P|%T|%t|%c|%C|%m|%d|%w|%f|%G|%z|%X|%Y|%Z|%E|%L|%p|%s|%r|%h|%I|%B|%M|%g|%n";
  Lines want = CapturedLines("nodes.txt", absl::StrCat("sinfo -o \"", kFormat, "\""));
  for (std::string& line : want) line = absl::StrReplaceAll(line, {{"|no|NO|", "|no|n/a|"}});
  EXPECT_EQ(Print({.format = kFormat}, cluster_), want);
  want = CapturedLines("nodes.txt", "sinfo -l");
  want.erase(want.begin());
  for (std::string& line : want) line = absl::StrReplaceAll(line, {{"      NO ", "     n/a "}});
  EXPECT_EQ(WithoutTime(Print({.long_listing = true}, cluster_)), want);
}

// Who set a reason in slurm.conf, and when, is not known: slurmctld says root.
TEST_F(CapturedSinfoTest, ReasonsAreThoseOfTheLines) {
  Lines want = CapturedLines("nodes.txt", "sinfo -R");
  for (std::string& line : want) line = absl::StrReplaceAll(line, {{"root   ", "Unknown"}});
  EXPECT_EQ(Print({.reasons = true}, cluster_), want);
}

// Of the two jobs, one named no node: a node that may have it is in no known state.
TEST_F(CapturedSinfoTest, NodesThatMayHaveAJobAreUnknown) {
  v1::ListJobsResponse jobs;
  *jobs.add_jobs() = RunningJob("1", 3, 1000, "debug", "");
  *jobs.add_jobs() = RunningJob("2", 8, 2000, "gpu", "n2");
  const ClusterNodes cluster = CapturedNodes(jobs);
  EXPECT_EQ(cluster.jobs_without_nodes, 1);
  EXPECT_EQ(Print({.partitions = {"main"}, .format = "%t %N", .header = false}, cluster),
            (Lines{"drain d2", "alloc n2", "down d1", "unk n1"}));
  EXPECT_EQ(Print({.partitions = {"debug"}, .format = "%F %C", .header = false}, cluster),
            Lines{"0/0/1/1 0/0/8/8"});
}

TEST_F(CapturedSinfoTest, NodesOfIncludedFilesAreCounted) {
  const std::string conf = CapturedNodesConf();
  const ClusterNodes cluster =
      BuildClusterNodes({}, PartitionsOf(conf).partitions(), CapturedRunningJobs().jobs(), false);
  EXPECT_EQ(Print({.partitions = {"main"}, .format = "%P %D %t %C %N", .header = false}, cluster),
            Lines{"main* 4 unk 0/0/28/28 n/a"});
}

TEST(SinfoTest, WrongOptionsAreNamed) {
  EXPECT_THAT(CheckSinfo({.format = "%q"}).message(),
              HasSubstr("--format: got field q, want one of "));
  EXPECT_THAT(CheckSinfo({.long_format = "nodelst"}).message(),
              HasSubstr("--Format: got field \"nodelst\"; did you mean nodelist?"));
  EXPECT_THAT(CheckSinfo({.states = "nonsense"}).message(),
              HasSubstr("--states: got \"nonsense\", want one of unknown, down, idle"));
  EXPECT_THAT(CheckSinfo({.sort = "q"}).message(), HasSubstr("--sort: got \"q\""));
  EXPECT_THAT(CheckSinfo({.nodes = "n[1-"}).message(), HasSubstr("--node: got \"n[1-\""));
}

}  // namespace
}  // namespace priorityd::nodes
