// The real prioctl against the real priorityd that asks who is calling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Without the token of the user who runs the test.
class SecuredPrioctlTest : public testing::Test {
 protected:
  SecuredPrioctlTest() { unsetenv("SLURM_JWT"); }

  static Finished Run(const std::string& server, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server});
    return RunPrioctl(arguments);
  }
  static int Lines(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(SecuredPrioctlTest, ProvesWhoCallsByARealMungedOrATokenOfAFile) {
  const SecuredPriorityd server;
  const Finished munge = Run(server.address(), {"--munge-socket", server.munged().socket(),
                                                "--auth", "munge", "sshare", "-a"});
  EXPECT_EQ(munge.exit_code, 0) << munge.err;
  EXPECT_THAT(munge.out, HasSubstr("amy"));
  // By itself, where munged is.
  EXPECT_EQ(Run(server.address(), {"--munge-socket", server.munged().socket(), "sshare"}).exit_code,
            0);
  const std::string file = WriteFile("token", server.Token("amy") + "\n");
  const Finished token = Run(server.address(), {"--token-file", file, "sshare", "-a"});
  EXPECT_EQ(token.exit_code, 0) << token.err;
  EXPECT_THAT(token.out, HasSubstr("amy"));
  const Finished refused = Run(server.address(), {"--token-file", file, "reset-usage", "a"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("amy (Slurm token; "));
  EXPECT_THAT(refused.err, HasSubstr("want one of operator, administrator"));
  const Finished nobody = Run(server.address(), {"--auth", "none", "sshare"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_THAT(nobody.err, HasSubstr("prioctl sent nothing; see --auth"));
}

TEST_F(SecuredPrioctlTest, ALoopThatCallsTooOftenIsSlowerAndSaysSoAndSucceeds) {
  SecuredPriorityd server(
      "SlurmctldParameters=rl_enable,rl_bucket_size=2,rl_refill_rate=1,rl_refill_period=10\n");
  const std::string file = WriteFile("token", server.Token("amy"));
  const absl::Time start = absl::Now();
  int waited = 0;
  for (int i = 0; i < 4; ++i) {
    const Finished run = Run(server.address(), {"--token-file", file, "sshare", "-a"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("amy"));
    if (run.err.empty()) continue;
    ++waited;
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    EXPECT_THAT(run.err, AllOf(StartsWith("prioctl: ListShares: too many calls of amy"),
                               HasSubstr("want at most 2 calls at once and 1 per 10s; retry in"),
                               HasSubstr("; waiting\n")));
  }
  // Two at once, and one at the beginning of each ten seconds since. Where each takes longer than
  // that, none waits.
  EXPECT_GE(absl::Now() - start, absl::Seconds(10));
  EXPECT_GE(waited, 1);
  EXPECT_THAT(server.process().Err(), HasSubstr("rate limit: ListShares: too many calls of amy"));
  const std::string root = WriteFile("root", server.Token("root"));
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(Run(server.address(), {"--token-file", root, "sshare"}).err, IsEmpty());
  }
}

TEST_F(SecuredPrioctlTest, AServerOnASocketAndAPortIsReachedByBoth) {
  const TemporaryFolder folder("/tmp");
  const std::string socket = "unix:" + folder.path() + "/socket";
  SecuredPriorityd server("SocketRole=dashboard\n", {"--listen=" + socket});
  EXPECT_EQ(server.address(), socket);
  EXPECT_EQ(Run(socket, {"--auth", "none", "sshare"}).exit_code, 0);
  const std::string port = "127.0.0.1:" + server.process().AwaitLogged("listening on 127.0.0.1:");
  EXPECT_THAT(Run(port, {"--auth", "none", "sshare"}).err, HasSubstr("credential: got none"));
  const std::string file = WriteFile("token", server.Token("amy"));
  EXPECT_EQ(Run(port, {"--token-file", file, "sshare"}).exit_code, 0);
}

TEST_F(SecuredPrioctlTest, UnusableAuthOptionsAreReportedInOneLine) {
  const auto err_of = [](const std::vector<std::string>& arguments) {
    const Finished run = Run("127.0.0.1:1", arguments);
    EXPECT_NE(run.exit_code, 0);
    EXPECT_EQ(Lines(run.err), 1) << run.err;
    return run.err;
  };
  EXPECT_THAT(err_of({"--auth", "bogus", "sshare"}),
              AllOf(StartsWith("prioctl: --auth: "), HasSubstr("bogus")));
  EXPECT_THAT(err_of({"--token-file", "/nowhere", "sshare"}),
              StartsWith("prioctl: token file: /nowhere: No such file or directory"));
  EXPECT_THAT(err_of({"--auth", "munge", "--munge-socket", "/nowhere", "sshare"}),
              StartsWith("prioctl: munged of this host: "));
  EXPECT_THAT(err_of({"--tls-ca", "/nowhere", "sshare"}), HasSubstr("/nowhere"));
}

TEST_F(SecuredPrioctlTest, UnusableFlagsOfPrioritydAreReportedInOneLine) {
  const auto err_of = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = flags;
    arguments.push_back("--database_url=" + storage::NewTestDatabase());
    arguments.push_back("--listen=127.0.0.1:0");
    const Finished run = RunProgram("server/priorityd", arguments);
    EXPECT_EQ(run.exit_code, 1) << run.err;
    return run.err.substr(run.err.rfind('\n', run.err.size() - 2) + 1);
  };
  EXPECT_THAT(err_of({"--socket_mode=9z"}), HasSubstr("--socket_mode: got 9z, want octal digits"));
  EXPECT_THAT(err_of({"--auth_file=/nowhere"}), HasSubstr("--auth_file: /nowhere"));
  EXPECT_THAT(err_of({"--tls_cert=/c"}), HasSubstr("--tls_cert and --tls_key: got one of them"));
  EXPECT_THAT(err_of({"--site_factor_ca=/nowhere"}),
              HasSubstr("--site_factor_ca: got /nowhere, want a file with a PEM CERTIFICATE"));
  EXPECT_THAT(err_of({"--site_factor_allow=here"}),
              HasSubstr("--site_factor_allow: got here, want HOST:PORT"));
  EXPECT_THAT(err_of({"--listen=unix:/nowhere/s"}), HasSubstr("--listen: got unix:/nowhere/s"));
}

}  // namespace
}  // namespace priorityd
