// prioctl's command line, its errors, and the names it goes by.
#include "absl/strings/str_cat.h"
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

TEST_P(WrongCommandLineTest, IsToldInOneLineWithExitStatusTwo) {
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
        WrongCommandLine{{"rank", "-", "--limit", "-1"}, "--limit"},
        WrongCommandLine{{"rank", "-", "--as-of", "yesterday"}, "want RFC 3339"},
        WrongCommandLine{{"rank", "-", "--as-of", "infinite-future"}, "want RFC 3339"},
        WrongCommandLine{{"what-if", "--later", "Infinite-Future"}, "want a length of time"},
        WrongCommandLine{{"record", "-", "--batch-size", "0"}, "1 to 100000"},
        WrongCommandLine{{"policy", "show", "--timeout", "x"},
                         "--timeout: got \"x\", want a number of at least 0"},
        WrongCommandLine{{"cluster", "modify", "c", "--cpus", "-1"},
                         "--cpus: got \"-1\", want a number of at least 0"},
        WrongCommandLine{{"sprio", "-x"}, "-x"},
        WrongCommandLine{{"queue"}, "a command is required"},
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

TEST_F(PrioctlTest, NobodyListeningNamesTheAddressAndTheRemedy) {
  const std::string address = FakePriorityd().address();  // Gone again.
  const Finished run = RunPrioctl({"--server", address, "policy", "show"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: no answer from priorityd at " + address),
                             HasSubstr("priorityd --listen=" + address), IsOneLine()));
}

TEST_F(PrioctlTest, AServiceWithoutItsDatabaseIsNotToldToBeAway) {
  google::rpc::ErrorInfo info;
  info.set_reason("DATABASE_UNAVAILABLE");
  google::rpc::Status rich;
  rich.add_details()->PackFrom(info);
  fake_.get_policy.Answer([&](const auto&, auto*) {
    return grpc::Status(grpc::UNAVAILABLE, "the database is away", rich.SerializeAsString());
  });
  const Finished run = Run({"policy", "show"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: the database is away\n");
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
    const Finished run = Run({"import", "qos", file});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.err, absl::StrCat("prioctl: ", file, " line 3: got the byte 0x", bad.byte,
                                    ", want UTF-8 text\n"));
  }
  EXPECT_TRUE(fake_.import.requests().empty());
}

TEST_F(PrioctlTest, ABadLineNamesFileAndLine) {
  const std::string file = WriteFile("jobs.jsonl", std::string(kTwoJobs) + "{\"jobID\": 3}\n");
  const Finished run = Run({"rank", file});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, absl::StrCat("prioctl: ", file, " line 3: unknown field \"jobID\"\n"));
  EXPECT_TRUE(fake_.rank_jobs.requests().empty());
}

TEST_F(PrioctlTest, AnErrorOfTheServiceIsOneLine) {
  fake_.rank_jobs.Answer(
      [](const auto&, auto*) { return grpc::Status(grpc::NOT_FOUND, "cluster: got\n\"x\""); });
  const Finished run = Run({"rank", "-"}, kTwoJobs);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "prioctl: cluster: got \"x\"\n");
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
