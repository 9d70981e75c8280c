// What an operator sees: `prioctl status` and the log of the real server, also while its
// PostgreSQL is frozen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/await.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class StatusTest : public testing::Test {
 protected:
  StatusTest() { EXPECT_TRUE(server_.AwaitListening()); }

  Finished Prioctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server_.address()});
    return RunPrioctl(arguments);
  }
  std::vector<std::string> Log() const { return absl::StrSplit(server_.Err(), '\n'); }

  // Stops all processes of PostgreSQL, or lets them go on.
  void SignalPostgres(int signal) {
    std::ifstream file(folder_ + "/data/postgres/postmaster.pid");
    pid_t postmaster = 0;
    ASSERT_TRUE(file >> postmaster);
    for (const pid_t pid : storage::ProcessesOf(postmaster)) kill(pid, signal);
  }

  const std::string folder_ = storage::NewTestDirectory();
  const std::string level_file_ = folder_ + "/log_level";
  RealPriorityd server_{{"--listen=127.0.0.1:0", "--data_dir=" + folder_ + "/data",
                         "--log_level_file=" + level_file_}};
};

TEST_F(StatusTest, ItSaysOkUntilThePostgresStopsAnsweringAndThenWhatToDo) {
  ASSERT_EQ(Prioctl({"import", "slurm-conf", "deploy/example/slurm.conf"}).exit_code, 0);
  Finished well;
  EXPECT_TRUE(Await([&] {
    well = Prioctl({"status"});
    return well.exit_code == 0 && absl::StrContains(well.out, "\n" + server_.address() + " *");
  })) << well.out
      << well.err;
  EXPECT_THAT(well.out, StartsWith("priorityd "));
  EXPECT_THAT(well.out, HasSubstr(" at " + server_.address() + ": OK\n"));
  EXPECT_THAT(well.out, HasSubstr("  NO_AUTHENTICATION: "));
  EXPECT_THAT(well.out, HasSubstr("\norc "));

  SignalPostgres(SIGSTOP);
  Finished frozen;
  EXPECT_TRUE(Await([&] {
    frozen = Prioctl({"--timeout", "5", "status"});
    return frozen.exit_code == 3 &&
           absl::StrContains(frozen.out,
                             ": 1 thing needs action\n! DATABASE_UNREACHABLE: The database has not "
                             "answered for ");
  })) << frozen.out
      << frozen.err;
  EXPECT_THAT(frozen.out, HasSubstr("\norc "));
  SignalPostgres(SIGCONT);
  EXPECT_TRUE(Await([&] { return Prioctl({"status"}).exit_code == 0; }));
}

TEST_F(StatusTest, ItsLogHasCallsAndRecalculationsAndChangesItsLevelAtSighup) {
  ASSERT_EQ(Prioctl({"import", "slurm-conf", "deploy/example/slurm.conf"}).exit_code, 0);
  EXPECT_THAT(Log(), Contains(AllOf(HasSubstr(" info call method=Import code=OK principal=- "),
                                    HasSubstr(" ms="))));
  // It is written after the snapshot is there, for which the import waits.
  EXPECT_TRUE(Await([&] {
    return testing::Value(Log(), Contains(AllOf(HasSubstr(" info recalculated cluster=orc "),
                                                HasSubstr(" generation=1 "))));
  }));
  EXPECT_EQ(Prioctl({"--cluster", "x\ny", "policy", "show"}).exit_code, 1);
  EXPECT_THAT(Log(), Contains(HasSubstr(" info call method=GetPolicy code=NOT_FOUND principal=- "
                                        "cluster=\"x\\ny\" ")));
  std::ofstream(level_file_) << "warn\n";
  server_.Signal(SIGHUP);
  ASSERT_TRUE(Await([&] { return server_.Err().find("log level warn") != std::string::npos; }));
  EXPECT_EQ(Prioctl({"recalculate"}).exit_code, 0);
  EXPECT_THAT(Log(), Not(Contains(HasSubstr("method=Recalculate"))));
  server_.Signal(SIGTERM);
  EXPECT_EQ(server_.Wait(), 0);
}

}  // namespace
}  // namespace priorityd
