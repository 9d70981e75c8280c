// prioctl's command line, its errors, and the names it goes by.
#include <atomic>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct WrongCommandLine {
  std::vector<std::string> arguments;
  std::string says;
};

class WrongCommandLineTest : public ::testing::TestWithParam<WrongCommandLine> {};

TEST_P(WrongCommandLineTest, IsReportedInOneLineWithExitStatusTwo) {
  const Finished run = RunPrioctl(GetParam().arguments);
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: "), HasSubstr(GetParam().says), IsOneLine()));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongCommandLineTest,
    ::testing::Values(
        WrongCommandLine{{}, "a command is required"},
        WrongCommandLine{{"frobnicate"}, "frobnicate"},
        WrongCommandLine{{"import"}, "a command is required"},
        WrongCommandLine{{"import", "slurm-conf"}, "FILE is required"},
        WrongCommandLine{{"rank", "-", "--colour"}, "--colour"},
        WrongCommandLine{{"rank", "-", "--limit", "-1"},
                         "--limit: got \"-1\", want a number from 0 on"},
        WrongCommandLine{{"policy", "diff", "1", "x"},
                         "VERSION: got \"x\", want a whole number of at least 1"},
        WrongCommandLine{{"policy", "rollback", "-1"}, "want a whole number of at least 1"},
        WrongCommandLine{{"watch", "--interval", "4000"},
                         "--interval: got \"4000\", want a number from 0 to 3600"},
        WrongCommandLine{{"rank", "-", "--as-of", "soon"},
                         "--as-of: got the time \"soon\", want YYYY-MM-DD"},
        WrongCommandLine{{"rank", "-", "--as-of", "infinite-future"}, "want YYYY-MM-DD"},
        WrongCommandLine{{"what-if", "--later", "Infinite-Future"}, "want a length of time"},
        WrongCommandLine{{"record", "-", "--batch-size", "0"},
                         "want a whole number from 1 to 100000"},
        WrongCommandLine{{"policy", "show", "--timeout", "x"},
                         "--timeout: got \"x\", want a number of at least 0"},
        WrongCommandLine{{"cluster", "modify", "c", "--cpus", "-1"},
                         "--cpus: got \"-1\", want a number of at least 0"},
        WrongCommandLine{{"--cluster=x", "domain", "join", "y", "z"},
                         "--cluster: got x, want y, which the command names, or none"},
        WrongCommandLine{{"domain", "leave", "y", "z", "--cluster=x"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "domain", "list", "y"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "cluster", "show", "y"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "cluster", "add", "y"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "cluster", "delete", "y"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "cluster", "restore", "y"}, "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "cluster", "move", "y", "--to", "b"},
                         "--cluster: got x, want y"},
        WrongCommandLine{{"--cluster=x", "sreport", "user", "top", "cluster=y"},
                         "--cluster: got x, want y"},
        WrongCommandLine{{"sprio", "-x"}, "-x"},
        WrongCommandLine{{"queue"}, "a command is required"},
        WrongCommandLine{{"frobnicat"}, "frobnicat (see prioctl --help)"},
        WrongCommandLine{{"explian"}, "did you mean explain?"},
        WrongCommandLine{{"explain"}, "FILE_OR_JOBID: got none, want a job ID"},
        WrongCommandLine{{"import", "slurmconf", "f"}, "did you mean slurm-conf?"},
        WrongCommandLine{{"rank", "--limti=3"}, "did you mean --limit?"},
        WrongCommandLine{{"--limit=3", "rank"}, "; want --limit after its command"},
        WrongCommandLine{{"help", "rnak"}, "did you mean rank?"},
        WrongCommandLine{{"sshare", "-o", "nope"}, "--format: got field \"nope\""},
        WrongCommandLine{{"sprio", "-o", "%Z"}, "--format: got field Z"},
        WrongCommandLine{{"sprio", "-S", "Z"}, "--sort: got field Z"},
        WrongCommandLine{{"sreport", "user", "top", "start=zz"}, "Start: got the time \"zz\""},
        WrongCommandLine{{"sreport", "user", "top", "--buckets", "often"}, "--buckets: got"},
        WrongCommandLine{{"plan", "--nodes", "n", "--backfill", "7"},
                         "--backfill: got \"7\", want conservative or easy or none"},
        WrongCommandLine{{"policy", "replay", "h", "--backfill", "7"},
                         "--backfill: got \"7\", want conservative or easy or none"},
        WrongCommandLine{{"queue", "list", "-t", "FOO"}, "--states: got \"FOO\""},
        WrongCommandLine{{"shares", "--form", "foo"},
                         "--form: got \"foo\", want icicle or pies or tree"},
        WrongCommandLine{{"shares", "--auth", "foo"},
                         "--auth: got \"foo\", want auto or munge or none or token"},
        WrongCommandLine{{"audit", "--start", "2026-12-01", "--end", "2026-11-01"},
                         "--end: got a time not after --start, want a later one"},
        WrongCommandLine{{"share-history", "--start", "2026-12-01", "--end", "2026-12-01"},
                         "--end: got a time not after --start, want a later one"},
        WrongCommandLine{{"queue", "remove"}, "JOBID is required"},
        WrongCommandLine{{"cluster", "add", "c", "--tres", "cpu"}, "name=count"}));

TEST(PrioctlHelpTest, HelpAndVersionGoToStandardOutput) {
  for (const char* argument : {"--help", "--version"}) {
    const Finished run = RunPrioctl({argument});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("prioctl"));
    EXPECT_EQ(run.err, "");
  }
  EXPECT_THAT(RunPrioctl({"rank", "--help"}).out, HasSubstr("--best-only"));
}

TEST(PrioctlHelpTest, DescriptionsAreBrokenAtAHundredColumns) {
  for (const char* command : {"import", "sreport", "scontrol"}) {
    const std::string help = RunPrioctl({command, "--help"}).out;
    for (const absl::string_view line : absl::StrSplit(help, '\n')) {
      EXPECT_TRUE(line.size() <= 100 || absl::StrContains(line, "AllocTRES")) << line;
    }
  }
}

TEST(PrioctlHelpTest, BoundsOfNumbersAreWholeNumbers) {
  EXPECT_THAT(RunPrioctl({"forecast", "--help"}).out, HasSubstr("COUNT:1 to 1000000000"));
  EXPECT_THAT(RunPrioctl({"watch", "--age-interval", "0"}).err,
              HasSubstr("want a number from 0.1 to 1000000000"));
}

TEST(PrioctlHelpTest, HelpTakesACommand) {
  for (const auto& words : {std::vector<std::string>{"policy", "replay", "--help"},
                            std::vector<std::string>{"forecast", "backtest", "--help"}}) {
    EXPECT_THAT(RunPrioctl(words).out, HasSubstr("No server is asked, except with --ledger"));
  }
  EXPECT_EQ(RunPrioctl({"help"}).out, RunPrioctl({"--help"}).out);
  EXPECT_EQ(RunPrioctl({"help", "import", "qos"}).out, RunPrioctl({"import", "qos", "--help"}).out);
  EXPECT_THAT(RunPrioctl({"help", "rank"}).out, HasSubstr("--best-only"));
}

TEST(PrioctlHelpTest, SlurmsToolsPrintTheirVersion) {
  for (const std::string tool : {"sshare", "sprio", "sreport"}) {
    EXPECT_THAT(RunPrioctl({tool, "-V"}).out, StartsWith(tool + " (priorityd) "));
    EXPECT_THAT(RunPrioctl({"-V"}, "", tool).out, StartsWith(tool + " (priorityd) "));
  }
}

TEST_F(PrioctlTest, WordsOfOptionsAreReadInWhateverCase) {
  fake_.list_shares.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"shares", "--auth", "NONE", "--form", "Tree"}).exit_code, 0);
}

TEST_F(PrioctlTest, SlurmsOptionsThatChangeNothingAreTaken) {
  fake_.list_shares.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"-v", "-vv"}, "", "sshare").exit_code, 0);
  EXPECT_EQ(Run({"-v", "--local", "--federation"}, "", "sprio").exit_code, 0);
  EXPECT_EQ(RunPrioctl({"sreport", "-a", "--local", "-v", "-Q", "x"}).err.find("-a"),
            std::string::npos);
}

TEST_F(PrioctlTest, SprioPrintsJsonOfTheJobsAskedFor) {
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    for (const char* id : {"7", "8"}) response->add_ranked()->set_job_id(id);
    return grpc::Status::OK;
  });
  const Finished run = Run({"sprio", "--json", "-j", "8"});
  EXPECT_THAT(run.out, AllOf(HasSubstr("\"jobId\":\"8\""), IsOneLine()));
  EXPECT_EQ(run.out.find("\"jobId\":\"7\""), std::string::npos);
}

// Yesterday of 1993, which it is on the cluster.
TEST_F(PrioctlTest, SreportsYesterdayIsTheManualClocks) {
  fake_.get_policy.Answer([](const auto&, v1::Policy* policy) {
    policy->mutable_parameters()->set_clock("manual");
    policy->mutable_parameters()->set_time_zone("UTC");
    return grpc::Status::OK;
  });
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    response->mutable_snapshot()->mutable_computed_at()->set_seconds(
        749563200);  // 1993-10-02T12:00
    return grpc::Status::OK;
  });
  fake_.report_usage.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"sreport", "user", "top"}).exit_code, 0);
  const v1::ReportUsageRequest request = fake_.report_usage.requests()[0];
  EXPECT_EQ(request.start_time().seconds(), 749433600);  // 1993-10-01T00:00
  EXPECT_EQ(request.end_time().seconds(), 749520000);
}

// What the environment says must not send the files of one cluster into another.
TEST_F(PrioctlTest, AFileOfAnotherClusterThanTheEnvironmentsIsRefusedUnlessTheClusterIsTyped) {
  fake_.import.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.apply_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const std::string conf = WriteFile("man.conf", "# of man\nClusterName=man\nPriorityType=x\n");
  const std::string dump = WriteFile("man.dump", "# dump\nCluster - 'man':Fairshare=1\n");
  setenv("PRIORITYD_CLUSTER", "orc", 1);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"import", "slurm-conf", conf},
                                             {"import", "sacctmgr", dump},
                                             {"policy", "apply", conf}}) {
    EXPECT_EQ(Failure(1, command),
              absl::StrCat("prioctl: ", command.back(),
                           " is of cluster man, but PRIORITYD_CLUSTER is orc: type "
                           "--cluster man or --cluster orc\n"));
  }
  EXPECT_TRUE(fake_.import.requests().empty());
  EXPECT_TRUE(fake_.apply_policy.requests().empty());
  EXPECT_EQ(Run({"import", "slurm-conf", conf, "--cluster", "orc"}).exit_code, 0);
  const std::string own = WriteFile("orc.conf", "ClusterName=ORC\n");
  EXPECT_EQ(Run({"import", "slurm-conf", own}).exit_code, 0);
  unsetenv("PRIORITYD_CLUSTER");
  ASSERT_EQ(fake_.import.requests().size(), 2u);
  EXPECT_EQ(fake_.import.requests()[1].cluster(), "orc");
}

TEST_F(PrioctlTest, AFileOfAnotherKindIsCalledWhatItLooksLike) {
  struct Case {
    std::string kind;
    std::string content;
    std::string looks;
  };
  for (const Case& wrong :
       {Case{"slurm-conf", "# To edit\n\nCluster - 'orc':Fairshare=1\n", "a sacctmgr dump"},
        Case{"sacctmgr", "# slurm.conf\nClusterName=orc\n", "a slurm.conf"},
        Case{"qos", "Account|User|RawShares|RawUsage\nroot|||7\n", "a table of sshare -P"},
        Case{"sshare", "Name|Priority|UsageFactor\n", "a table of sacctmgr -P show qos"},
        Case{"usage", "{\"recordId\": \"1\"}\n", "JSON"},
        Case{"qos", "JobID|User|Start|End\n", "a table of sacct -P"}}) {
    const std::string file = WriteFile("wrong", wrong.content);
    EXPECT_THAT(
        Failure(1, {"import", wrong.kind, file}),
        StartsWith(absl::StrCat("prioctl: ", file, ": this looks like ", wrong.looks, ", ")));
  }
  EXPECT_TRUE(fake_.import.requests().empty());
}

TEST_F(PrioctlTest, NobodyListeningNamesTheAddressAndTheRemedy) {
  const std::string address = AddressOfNobody();
  const Finished run = RunPrioctl({"--server", address, "policy", "show"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: no answer from priorityd at " + address),
                             HasSubstr("priorityd --listen=" + address), IsOneLine()));
}

TEST_F(PrioctlTest, AServiceWithoutItsDatabaseIsNotReportedAsUnreachable) {
  google::rpc::ErrorInfo info;
  info.set_reason("DATABASE_UNAVAILABLE");
  google::rpc::Status rich;
  rich.add_details()->PackFrom(info);
  fake_.get_policy.Answer([&](const auto&, auto*) {
    return grpc::Status(grpc::UNAVAILABLE, "the database is away", rich.SerializeAsString());
  });
  EXPECT_EQ(Failure(1, {"policy", "show"}), "prioctl: the database is away\n");
}

TEST_F(PrioctlTest, WhatAServiceWritesWhileACallWaitsCommandsNoTerminal) {
  google::rpc::ErrorInfo info;
  info.set_reason("RATE_LIMITED");
  google::rpc::Status rich;
  rich.add_details()->PackFrom(info);
  rich.add_details()->PackFrom(google::rpc::RetryInfo());
  std::atomic<bool> is_first = true;
  fake_.get_policy.Answer([&](const auto&, auto*) {
    if (!is_first.exchange(false)) return grpc::Status(grpc::NOT_FOUND, "none");
    return grpc::Status(grpc::RESOURCE_EXHAUSTED, "too many \x1b[2J", rich.SerializeAsString());
  });
  EXPECT_EQ(Failure(1, {"policy", "show"}),
            "prioctl: too many \\u001b[2J; waiting\nprioctl: none\n");
}

TEST_F(PrioctlTest, AFileThatIsNoTextIsRefusedWithItsLine) {
  struct Case {
    std::string bytes;
    std::string byte;
  };
  for (const Case& bad :
       {Case{"\xff", "ff"}, Case{"M\xfcller", "fc"}, Case{"\xc0\x80", "c0"},
        Case{"\xe0\x80\x80", "e0"}, Case{"\xed\xa0\x80", "ed"}, Case{"\xf4\x90\x80\x80", "f4"},
        Case{"\xe2\x82", "e2"}, Case{std::string(1, '\0'), "00"}}) {
    const std::string file = WriteFile("qos.txt", "Name|Priority\n\xc3\xa9|1\n" + bad.bytes);
    EXPECT_EQ(Failure(1, {"import", "qos", file}),
              absl::StrCat("prioctl: ", file, " line 3: got the byte 0x", bad.byte,
                           ", want UTF-8 text\n"));
  }
  EXPECT_TRUE(fake_.import.requests().empty());
}

TEST_F(PrioctlTest, ACommentOfASlurmConfMayBeLatin1) {
  fake_.import.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  Output({"import", "slurm-conf", WriteFile("slurm.conf", "ClusterName=q\n# M\xfcller\n")});
  ASSERT_EQ(fake_.import.requests().size(), 1u);
  EXPECT_EQ(fake_.import.requests()[0].files(0).content(), "ClusterName=q\n# M\xc3\xbcller\n");
}

TEST_F(PrioctlTest, ABadLineNamesFileAndLine) {
  const std::string file = WriteFile("jobs.jsonl", std::string(kTwoJobs) + "{\"jobID\": 3}\n");
  EXPECT_EQ(Failure(1, {"rank", file}),
            absl::StrCat("prioctl: ", file, " line 3: unknown field \"jobID\"\n"));
  EXPECT_TRUE(fake_.rank_jobs.requests().empty());
}

// It would filter nothing.
TEST_F(PrioctlTest, AnOptionOfAGroupIsRefusedBesideACommandOfIt) {
  for (const auto& [words, refused, command] :
       std::vector<std::tuple<std::vector<std::string>, std::string, std::string>>{
           {{"budget", "-A", "chem", "events"}, "--accounts", "budget events"},
           {{"budget", "events", "--days", "3"}, "--days", "budget events"},
           {{"forecast", "hours", "--json"}, "--json", "forecast hours"},
           {{"forecast", "12", "score"}, "12", "forecast score"}}) {
    EXPECT_EQ(Failure(2, words), absl::StrCat("prioctl: The following argument was not expected: ",
                                              refused, " (see prioctl ", command, " --help)\n"));
  }
  fake_.list_budget_events.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  Output({"budget", "events", "-A", "chem", "--json"});
  EXPECT_EQ(fake_.list_budget_events.requests()[0].accounts(0), "chem");
}

TEST_F(PrioctlTest, AnErrorOfTheServiceIsOneLine) {
  fake_.rank_jobs.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::NOT_FOUND, "cluster: got\n\"x\""); });
  EXPECT_EQ(Failure(1, {"rank", "-"}, kTwoJobs), "prioctl: cluster: got \"x\"\n");
}

TEST_F(PrioctlTest, CalledUnderTheNamesOfSlurmsToolsItIsThem) {
  fake_.list_shares.Answer([](const auto&, v1::ListSharesResponse* response) {
    response->add_shares()->set_account("root");
    return grpc::Status::OK;
  });
  fake_.get_policy.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"-a", "-P", "-n"}, "", "sshare").out, StartsWith("root||"));
  EXPECT_THAT(Run({"-w", "-h"}, "", "sprio").out, StartsWith("        Weights "));
  EXPECT_THAT(RunPrioctl({"-x"}, "", "sshare").err, AllOf(StartsWith("sshare: "), IsOneLine()));
  EXPECT_THAT(RunPrioctl({"--help"}, "", "sshare").out, StartsWith("The association tree"));
  EXPECT_THAT(RunPrioctl({"--help"}, "", "sprio").out, StartsWith("The factors"));
}

}  // namespace
}  // namespace priorityd
