// A site moves in by prioctl, and the real server gives what a real Slurm gave.
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "priority/v1/ranking.pb.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/oracle/captured_tree.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

// Runs prioctl on a cluster of the server and returns what it printed.
std::string Prioctl(const std::string& cluster, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"--server", SharedPriorityd().address(), "--cluster", cluster});
  const Finished run = RunPrioctl(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

// slurm.conf in the configuration captured.
std::string SlurmConf(const std::string& mode) {
  static const auto& kModes = *new std::map<std::string, std::string>{
      {"fairtree", "FairTreeTies=slurm\n"},
      {"classic_d1", "PriorityFlags=NO_FAIR_TREE\n"},
      {"classic_d5", "PriorityFlags=NO_FAIR_TREE\nFairShareDampeningFactor=5\n"},
      {"depthobl", "PriorityFlags=DEPTH_OBLIVIOUS\n"}};
  return absl::StrCat("PriorityType=priority/multifactor\nPriorityDecayHalfLife=0\n",
                      "PriorityUsageResetPeriod=NONE\nPriorityWeightFairshare=1000\n",
                      kModes.at(mode),
                      "NodeName=n1 CPUs=1\nPartitionName=main Nodes=n1 Default=YES\n"
                      "PartitionName=fast Nodes=n1\n");
}

std::string DumpLine(const priority::Association& association) {
  const std::string shares = association.raw_shares.has_value()
                                 ? absl::StrCat(*association.raw_shares)
                                 : absl::StrCat(std::numeric_limits<int32_t>::max());
  if (association.user.empty()) {
    return absl::StrCat("Account - '", association.account, "':Fairshare=", shares, "\n");
  }
  const std::string partition =
      association.partition.empty() ? "" : absl::StrCat(":Partition='", association.partition, "'");
  return absl::StrCat("User - '", association.user, "':DefaultAccount='", association.account, "'",
                      partition, ":Fairshare=", shares, "\n");
}

// The tree as a `sacctmgr dump` file, one association after another in the order
// of their ids: slurmctld's answer depends on it where siblings tie.
std::string Dump(const CapturedTree& tree, const std::string& cluster) {
  std::map<int64_t, std::string> accounts;
  std::string dump = absl::StrCat("Cluster - '", cluster, "':Fairshare=1\n");
  for (const priority::Association& association : tree.associations) {
    accounts[association.id] = association.account;
    if (association.parent_id == 0) continue;
    absl::StrAppend(&dump, "Parent - '", accounts.at(association.parent_id), "'\n",
                    DumpLine(association));
  }
  return dump;
}

std::string UsageLines(const CapturedTree& tree) {
  std::string lines;
  for (const priority::Association& association : tree.associations) {
    absl::StrAppend(&lines, association.account, "|", association.user, "|", association.partition,
                    "|", tree.own_usage.at(association.id), "\n");
  }
  return lines;
}

void ImportTree(const std::string& cluster, const CapturedTree& tree, const std::string& mode) {
  Prioctl(cluster, {"import", "slurm-conf", WriteFile("slurm.conf", SlurmConf(mode))});
  Prioctl(cluster, {"import", "sacctmgr", WriteFile("dump", Dump(tree, cluster))});
  Prioctl(cluster, {"import", "usage", WriteFile("usage", UsageLines(tree))});
  Prioctl(cluster, {"recalculate"});
}

using Key = std::tuple<std::string, std::string, std::string>;  // account, user, partition
using Row = std::map<std::string, std::string>;                 // by column

std::map<Key, Row> ParseSshare(const std::string& text) {
  std::map<Key, Row> rows;
  std::vector<std::string> columns;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    Row row;
    for (size_t i = 0; i < cells.size(); ++i) row[columns.at(i)] = cells[i];
    const std::string account(absl::StripLeadingAsciiWhitespace(row["Account"]));
    rows[{account, row["User"], row["Partition"]}] = row;
  }
  return rows;
}

// A cell equals the captured number to 1e-9; blank where nothing was shown.
void ExpectCell(const Row& row, const std::string& column, std::optional<double> captured) {
  const std::string& text = row.at(column);
  if (!captured.has_value()) {
    EXPECT_EQ(text, "") << column;
    return;
  }
  double number = 0;
  ASSERT_TRUE(absl::SimpleAtod(text, &number)) << column << ": " << text;
  if (std::isinf(*captured)) {
    EXPECT_EQ(number, *captured) << column;
  } else {
    EXPECT_NEAR(number, *captured, 1e-9 * std::abs(*captured)) << column;
  }
}

// Root's norm shares, and those of a `parent` right below it, show as
// 1/4294967294 under Slurm's Fair Tree; priorityd has 1 there.
bool IsSlurmsRootShare(double norm_shares) { return norm_shares < 1e-9 && norm_shares > 0; }

void ExpectRow(const Row& row, const CapturedShare& captured, bool fair_tree) {
  if (!IsSlurmsRootShare(captured.norm_shares.value_or(0))) {
    ExpectCell(row, "NormShares", captured.norm_shares);
  } else {
    ExpectCell(row, "NormShares", 1);
  }
  ExpectCell(row, "NormUsage", captured.norm_usage);
  ExpectCell(row, "EffectvUsage", captured.effective_usage);
  ExpectCell(row, "FairShare", captured.fair_share);
  if (fair_tree) ExpectCell(row, "LevelFS", captured.level_fs);
  double raw_usage = 0;
  ASSERT_TRUE(absl::SimpleAtod(row.at("RawUsage"), &raw_usage));
  // Slurm cuts it to a whole number.
  EXPECT_GE(raw_usage, *captured.raw_usage * (1 - 1e-9));
  EXPECT_LT(raw_usage, *captured.raw_usage + 1);
}

class CapturedSharesTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CapturedSharesTest, SshareGivesSlurmsNumbers) {
  const auto& [name, mode] = GetParam();
  const std::string cluster = absl::StrReplaceAll(absl::StrCat(name, "_", mode), {{"_", "-"}});
  const CapturedTree tree = ReadCapturedTrees().at(name);
  const auto captured = ReadCapturedShares(mode).at(name);
  ImportTree(cluster, tree, mode);
  const std::map<Key, Row> rows =
      ParseSshare(Prioctl(cluster, {"sshare", "-a", "-l", "-m", "-P", "--full-precision"}));
  EXPECT_EQ(rows.size(), tree.associations.size());
  for (const priority::Association& association : tree.associations) {
    SCOPED_TRACE(
        absl::StrCat(association.account, "|", association.user, "|", association.partition));
    const auto row = rows.find({association.account, association.user, association.partition});
    ASSERT_NE(row, rows.end());
    ExpectRow(row->second, captured.at(association.id), mode == "fairtree");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Captured, CapturedSharesTest,
    ::testing::Combine(::testing::Values("account_usage", "parent_mix", "partition_assocs",
                                         "root_users", "stress04", "tie_accounts", "tiny_usage",
                                         "zero_shares"),
                       ::testing::Values("fairtree", "classic_d1", "classic_d5", "depthobl")),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param), "_", std::get<1>(info.param));
    });

// The site of deploy/example, imported once.
const std::string& ExampleSite() {
  static const std::string& cluster = *new std::string([] {
    const std::string folder = "deploy/example/";
    Prioctl("orc", {"import", "slurm-conf", folder + "slurm.conf"});
    Prioctl("orc", {"import", "qos", folder + "qos.txt"});
    Prioctl("orc", {"import", "sacctmgr", folder + "sacctmgr.dump"});
    Prioctl("orc", {"import", "sshare", folder + "sshare.txt"});
    Prioctl("orc", {"recalculate"});
    return "orc";
  }());
  return cluster;
}

// (job, partition) to priority, as sprio -l printed it.
std::map<std::pair<std::string, std::string>, uint32_t> CapturedPriorities() {
  std::map<std::pair<std::string, std::string>, uint32_t> priorities;
  std::ifstream file("tests/end_to_end/captured/example.sprio_l");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = absl::StrSplit(line, ' ', absl::SkipEmpty());
    uint32_t priority = 0;
    if (!absl::SimpleAtoi(cells.at(3), &priority)) ADD_FAILURE() << line;
    priorities[{cells.at(0), cells.at(1)}] = priority;
  }
  return priorities;
}

// Jobs whose captured figures do not follow from their descriptions: the
// CPUs that the scheduler counted for 34 (-N2-4) and 37 (--exclusive) are shown
// nowhere, and sprio prints nonsense for an admin priority in two partitions.
const std::set<std::string>& Exceptions() {
  static const auto& exceptions = *new std::set<std::string>{"34", "37", "97"};
  return exceptions;
}

TEST(ExampleSiteTest, EveryRowHasThePriorityThatSprioPrinted) {
  ::priority::v1::RankJobsResponse response;
  const std::string json = Prioctl(ExampleSite(), {"rank", "deploy/example/jobs.jsonl", "--as-of",
                                                   "2026-11-20T13:07:11Z", "--json"});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &response).ok());
  const auto captured = CapturedPriorities();
  ASSERT_EQ(captured.size(), 105);
  std::set<std::pair<std::string, std::string>> ranked;
  for (const auto& row : response.ranked()) {
    SCOPED_TRACE(absl::StrCat("job ", row.job_id(), " in ", row.partition()));
    const auto expected = captured.find({row.job_id(), row.partition()});
    ASSERT_NE(expected, captured.end());
    ranked.insert(expected->first);
    if (Exceptions().contains(row.job_id())) continue;
    EXPECT_EQ(row.priority(), expected->second);
  }
  for (const auto& job : response.ineligible()) {
    SCOPED_TRACE(absl::StrCat("job ", job.job_id(), " in ", job.partition()));
    for (const auto& [key, priority] : captured) {
      if (key.first != job.job_id() || (!job.partition().empty() && key.second != job.partition()))
        continue;
      ranked.insert(key);
      EXPECT_EQ(job.priority(), priority);
    }
  }
  EXPECT_EQ(ranked.size(), captured.size());
  EXPECT_EQ(response.running_size(), 8);
}

TEST(ExampleSiteTest, ImportingAgainChangesNothing) {
  const std::string& cluster = ExampleSite();
  const std::string again =
      Prioctl(cluster, {"import", "sacctmgr", "deploy/example/sacctmgr.dump", "--json"});
  EXPECT_THAT(again, HasSubstr("\"associations\":{\"created\":\"0\",\"updated\":\"0\""));
  EXPECT_THAT(Prioctl(cluster, {"import", "slurm-conf", "deploy/example/slurm.conf"}),
              HasSubstr("policy version 1 (unchanged)"));
}

TEST(ExampleSiteTest, SshareAgreesWithTheFileThatWasImported) {
  std::ifstream file("deploy/example/sshare.txt");
  std::stringstream imported;
  imported << file.rdbuf();
  auto expected = ParseSshare(imported.str());
  auto rows = ParseSshare(Prioctl(ExampleSite(), {"sshare", "-a", "-l", "-P"}));
  ASSERT_EQ(rows.size(), expected.size());
  for (auto& [key, row] : rows) {
    SCOPED_TRACE(absl::StrCat(std::get<0>(key), "|", std::get<1>(key)));
    row.erase("TRESRunMins");
    expected.at(key).erase("TRESRunMins");
    if (std::get<0>(key) == "root" && std::get<1>(key).empty())
      expected.at(key)["NormShares"] = "1.000000";
    EXPECT_EQ(row, expected.at(key));
  }
}

TEST(ExampleSiteTest, UsersOnlyShowsTheAssociationsOfOneUser) {
  const std::string text =
      Prioctl(ExampleSite(), {"sshare", "-U", "-u", "bob", "-P", "-n", "-o", "Account,User"});
  EXPECT_EQ(text, "phys1|bob\n");
}

TEST(ExampleSiteTest, SprioShowsTheWeightsOfTheFile) {
  EXPECT_THAT(Prioctl(ExampleSite(), {"sprio", "-w"}),
              HasSubstr("1000       2000      10000       3000       4000       5000 "
                        "CPU=1000,Mem=2000,No\n"));
}

}  // namespace
}  // namespace priorityd
