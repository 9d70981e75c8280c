// A history recorded in a real server and played from its ledger, beside the same history of a
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

constexpr char kSlurmConf[] =
    "ClusterName=lab\nPriorityType=priority/multifactor\nPriorityDecayHalfLife=1-0\n"
    "PriorityWeightFairshare=10000\nPriorityWeightAge=1000\nSchedulerType=sched/backfill\n"
    "NodeName=n[1-4] CPUs=8 RealMemory=32000\n"
    "PartitionName=main Nodes=ALL Default=YES\n";
constexpr char kDump[] =
    "Cluster - 'lab':Fairshare=1:QOS='normal'\nParent - 'root'\n"
    "Account - 'chem':Fairshare=3\nAccount - 'phys':Fairshare=1\n"
    "Parent - 'chem'\nUser - 'ann':DefaultAccount='chem':Fairshare=1\n"
    "User - 'bob':DefaultAccount='chem':Fairshare=2\n"
    "Parent - 'phys'\nUser - 'cat':DefaultAccount='phys':Fairshare=1\n";
constexpr char kQos[] = "Name|Priority|UsageFactor\nnormal|0|1.000000\n";
constexpr char kBasic[] = "PriorityType=priority/basic\nSchedulerType=sched/builtin\n";

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", time, absl::UTCTimeZone());
}

// What sacct would print of so many jobs: one after the other on all nodes, each of which waits for
// those before it.
std::string History(int jobs) {
  std::string text =
      "JobIDRaw|User|Account|Partition|QOS|Submit|Eligible|Start|End|Suspended|Timelimit|AllocTRES|"
      "NodeList|State|ExitCode|TotalCPU|ReqTRES\n";
  absl::Time free = absl::FromUnixSeconds(1'700'000'000);
  const std::pair<const char*, const char*> users[] = {
      {"ann", "chem"}, {"bob", "chem"}, {"cat", "phys"}};
  for (int i = 0; i < jobs; ++i) {
    const absl::Time submit = absl::FromUnixSeconds(1'700'000'000) + absl::Seconds(200 * i);
    const absl::Time start = std::max(free, submit);
    const absl::Duration run = absl::Seconds(120 + 97 * (i * 7 % 11));
    free = start + run;
    const int nodes = 1 + i * 5 % 4;
    const auto& [user, account] = users[i * i % 3];
    absl::StrAppend(
        &text,
        absl::StrJoin({absl::StrCat(i + 1), std::string(user), std::string(account),
                       std::string("main"), std::string("normal"), TimeText(submit),
                       TimeText(submit), TimeText(start), TimeText(free), std::string("00:00:00"),
                       std::string(i % 5 == 0 ? "UNLIMITED" : "00:30:00"),
                       absl::StrFormat("cpu=%d,mem=%dM,node=%d", nodes * 8, nodes * 1000, nodes),
                       absl::StrFormat("n[1-%d]", nodes), std::string("COMPLETED"),
                       std::string("0:0"), std::string("01:02.5"), std::string("cpu=1")},
                      "|"),
        "\n");
  }
  return text;
}

class LedgerReplayTest : public testing::Test {
 protected:
  LedgerReplayTest() {
    EXPECT_TRUE(priorityd_.AwaitListening());
    Prioctl({"import", "slurm-conf", conf_});
    Prioctl({"import", "sacctmgr", dump_});
    Prioctl({"import", "qos", qos_});
  }

  std::string Prioctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", priorityd_.address()});
    const Finished finished = RunPrioctl(arguments);
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return finished.out;
  }

  // The report, with the one name that differs taken from it.
  std::string Replay(std::vector<std::string> from, const std::string& name,
                     const std::vector<std::string>& more) {
    from.insert(from.begin(), {"policy", "replay"});
    from.insert(from.end(), more.begin(), more.end());
    const std::string report = Prioctl(std::move(from));
    EXPECT_THAT(report, HasSubstr(name));
    return absl::StrReplaceAll(report, {{name, "HISTORY"}});
  }

  RealPriorityd priorityd_{
      {"--listen=127.0.0.1:0", "--data_dir=" + storage::NewTestDirectory() + "/data"}};
  const std::string conf_ = WriteFile("slurm.conf", kSlurmConf);
  const std::string dump_ = WriteFile("dump", kDump);
  const std::string qos_ = WriteFile("qos", kQos);
};

TEST_F(LedgerReplayTest, TheLedgersReportIsThatOfTheTableThatWasRecorded) {
  const std::string sacct = WriteFile("sacct.txt", History(150));
  Prioctl({"import", "sacct", sacct});
  const std::vector<std::vector<std::string>> cases = {
      {"--json"},
      {},
      {"--policy", WriteFile("basic.conf", kBasic), "--policy", conf_, "--json"},
      {"--from", TimeText(absl::FromUnixSeconds(1'700'010'000)), "--to",
       TimeText(absl::FromUnixSeconds(1'700'025'000)), "--json"}};
  for (const std::vector<std::string>& more : cases) {
    SCOPED_TRACE(absl::StrJoin(more, " "));
    const std::string of_table =
        Replay({sacct, "--slurm-conf", conf_, "--dump", dump_, "--qos", qos_}, sacct, more);
    EXPECT_EQ(Replay({"--ledger"}, "the ledger of lab", more), of_table);
    EXPECT_GT(of_table.size(), 500u);
  }
}

// As where the policy in force describes no nodes.
TEST_F(LedgerReplayTest, GivenNodesReplaceThoseOfTheServersPolicy) {
  Prioctl({"import", "sacct", WriteFile("sacct.txt", History(20))});
  const std::string report =
      Prioctl({"policy", "replay", "--ledger", "--nodes", "9", "--cpus-per-node", "8"});
  EXPECT_THAT(report, HasSubstr("on 9 nodes with 72 CPUs"));
  EXPECT_THAT(report, HasSubstr("priority/multifactor"));
}

TEST_F(LedgerReplayTest, SeffAndSacctPrintTheFactsThatSacctReported) {
  Prioctl({"import", "sacct", WriteFile("sacct.txt", History(2))});
  // 62.5 s of 16 CPUs for 799 s.
  const std::string seff = Prioctl({"seff", "2"});
  EXPECT_THAT(seff, HasSubstr("State: COMPLETED (exit code 0)\nNodes: 2\nCores per node: 8\n"));
  EXPECT_THAT(seff, HasSubstr("CPU Efficiency: 0.49% of 03:33:04 core-walltime\n"));
  EXPECT_THAT(seff, HasSubstr("Memory Utilized: not reported\n"));
  EXPECT_EQ(Prioctl({"sacct", "-a", "-P", "-n", "-j", "1,2", "-o", "JobID,State,Timelimit"}),
            "1|COMPLETED|UNLIMITED\n2|COMPLETED|00:30:00\n");
}

TEST_F(LedgerReplayTest, JobsWithoutFactsAreCountedInTheReport) {
  Prioctl({"record", WriteFile("records",
                               "{\"source\": \"s\", \"recordId\": \"1\", \"jobId\": "
                               "\"7\", \"user\": \"ann\", \"startTime\": "
                               "\"2026-01-01T11:00:00Z\", \"endTime\": "
                               "\"2026-01-01T11:10:00Z\", \"tres\": {\"cpu\": 8}}\n")});
  EXPECT_THAT(Prioctl({"policy", "replay", "--ledger"}), HasSubstr("1 job without a submit time"));
}

// The job that is charged to phys alone changes the report only by the line that counts it.
TEST_F(LedgerReplayTest, ARecordOfAnAccountAloneIsLeftOutWithACount) {
  Prioctl({"import", "sacct", WriteFile("sacct.txt", History(20))});
  const std::string before = Prioctl({"policy", "replay", "--ledger"});
  Prioctl({"record",
           WriteFile("records",
                     "{\"source\": \"s\", \"recordId\": \"1\", \"jobId\": \"77\", "
                     "\"account\": \"phys\", \"startTime\": \"2023-11-14T23:00:00Z\", "
                     "\"endTime\": \"2023-11-14T23:10:00Z\", \"tres\": {\"cpu\": 8}, \"job\": "
                     "{\"submitTime\": \"2023-11-14T22:50:00Z\", \"timeLimit\": \"900s\"}}\n")});
  const std::string after = Prioctl({"policy", "replay", "--ledger"});
  const std::string left_out = "left out: 1 of an account without a user\n";
  EXPECT_THAT(after, HasSubstr(left_out));
  EXPECT_EQ(absl::StrReplaceAll(after, {{left_out, ""}}), before);
  // A forecast needs no association, so the backtest has all 21 jobs.
  const std::string backtest = Prioctl({"forecast", "backtest", "--ledger", "--json"});
  EXPECT_THAT(backtest, HasSubstr("\"jobId\":\"77\""));
  EXPECT_EQ(std::count(backtest.begin(), backtest.end(), '\n'), 21);
}

}  // namespace
}  // namespace priorityd
