// The example of client/examples/site_factor, the real server and prioctl.
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/examples/site_factor/account_bonus.h"
#include "client/examples/site_factor/bonus_service.h"
#include "gmock/gmock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using site_factor_example::BonusService;
using ::testing::HasSubstr;

// What the program says; its exit code goes to `exit_code`.
std::string RunExample(const std::string& arguments, int* exit_code) {
  const std::string command =
      absl::StrCat("client/examples/site_factor/site_factor ", arguments, " 2>&1");
  FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    out.push_back(static_cast<char>(c));
  }
  *exit_code = WEXITSTATUS(pclose(pipe));
  return out;
}

class SiteFactorTest : public ::testing::Test {
 protected:
  SiteFactorTest() : bonuses_(WriteFile("bonuses", "a 500 # for the deadline\nb -20\n")) {
    service_ = std::make_unique<BonusService>(bonuses_);
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(service_.get());
    site_ = builder.BuildAndStart();
    Start();
    Out({"import", "slurm-conf",
         WriteFile(
             "slurm.conf",
             absl::StrCat("ClusterName=c\nClock=manual\nPrioritySiteFactorPlugin=127.0.0.1:", port_,
                          "\nPrioritySiteFactorParameters=timeout=60s\nNodeName=n1 "
                          "CPUs=10\nPartitionName=p Nodes=n1 "
                          "Default=YES\n"))});
    Out({"import", "sacctmgr",
         WriteFile("dump",
                   "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
                   "Account - 'b':Fairshare=1\nParent - 'a'\nUser - 'amy':DefaultAccount='a'\n"
                   "Parent - 'b'\nUser - 'bob':DefaultAccount='b'\n")});
    Out({"recalculate", "--as-of", "2026-01-05T00:00:00Z"});
    Out({"queue", "update",
         WriteFile("jobs",
                   "{\"jobId\": \"1\", \"user\": \"bob\"}\n{\"jobId\": \"2\", \"user\": "
                   "\"amy\"}\n")});
  }

  void Start() {
    priorityd_.emplace(flags_);
    EXPECT_TRUE(priorityd_->AwaitListening());
  }
  void KillAndRestart() {
    priorityd_->Signal(SIGKILL);
    EXPECT_EQ(priorityd_->Wait(), 128 + SIGKILL);
    Start();
  }
  // What prioctl printed; it must succeed.
  std::string Out(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", priorityd_->address()});
    const Finished run = RunPrioctl(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }
  // The SITE column of sprio, jobs 1 and 2.
  std::string Site() { return Out({"sprio", "-h", "-o", "%i %S"}); }

  std::string bonuses_;
  std::unique_ptr<BonusService> service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> site_;
  const std::vector<std::string> flags_ = {"--listen=127.0.0.1:0",
                                           "--data_dir=" + storage::NewTestDirectory() + "/data"};
  std::optional<RealPriorityd> priorityd_;
};

TEST_F(SiteFactorTest, SprioShowsTheBonusesAndARestartKeepsThem) {
  Out({"recalculate", "--as-of", "2026-01-05T00:05:00Z"});
  const std::string shown = Site();
  EXPECT_THAT(shown, HasSubstr("500"));
  EXPECT_THAT(shown, HasSubstr("-20"));
  EXPECT_THAT(Out({"explain", "--job", "2"}),
              HasSubstr("is what the site's service at 127.0.0.1:"));
  site_->Shutdown();
  KillAndRestart();
  EXPECT_EQ(Site(), shown);
  Out({"recalculate", "--as-of", "2026-01-05T00:10:00Z"});
  EXPECT_EQ(Site(), shown);
  EXPECT_THAT(Out({"explain", "--job", "2"}), HasSubstr("The last call failed: UNAVAILABLE"));
}

TEST_F(SiteFactorTest, AnEditOfTheFileCountsFromTheNextRecalculationOn) {
  WriteFile("bonuses", "a 7\n");
  Out({"recalculate", "--as-of", "2026-01-05T00:05:00Z"});
  EXPECT_THAT(Site(), HasSubstr("7"));
  WriteFile("bonuses", "a seven\n");
  Out({"recalculate", "--as-of", "2026-01-05T00:10:00Z"});
  EXPECT_THAT(Site(), HasSubstr("7"));
  EXPECT_THAT(Out({"explain", "--job", "2"}), HasSubstr("line 1: got"));
}

TEST(SiteFactorExampleTest, SaysHowItIsUsedAndWhatIsWrong) {
  int exit_code = -1;
  EXPECT_THAT(RunExample("--help", &exit_code), HasSubstr("PrioritySiteFactorPlugin=HOST:PORT"));
  EXPECT_EQ(exit_code, 0);
  EXPECT_THAT(RunExample("", &exit_code), HasSubstr("site_factor --help"));
  EXPECT_EQ(exit_code, 1);
  EXPECT_THAT(RunExample("/nowhere/at/all", &exit_code), HasSubstr("cannot be read"));
  EXPECT_EQ(exit_code, 1);
}

TEST(AccountBonusTest, ReadsLinesAndNamesTheOneAtFault) {
  const auto bonuses = site_factor_example::ParseAccountBonus("# none\n\na 1\n b\t-2 # x\n");
  ASSERT_TRUE(bonuses.ok()) << bonuses.status();
  EXPECT_EQ(bonuses->size(), 2);
  EXPECT_EQ(bonuses->at("b"), -2);
  for (const char* text : {"\na", "\na 1 2", "\na 2147483648", "a 1\na 2"}) {
    const auto bad = site_factor_example::ParseAccountBonus(text);
    ASSERT_FALSE(bad.ok()) << text;
    EXPECT_THAT(std::string(bad.status().message()), HasSubstr("line 2: "));
  }
}

}  // namespace
}  // namespace priorityd
