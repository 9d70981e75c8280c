// The page, as a reader's browser shows it: Debian's Chromium as the headless shell, against a real
// server with the site of deploy/example.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/secured_priorityd.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"
#include "tests/temporary_folder.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

std::string Content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Prints what the command prints, while it runs; a failure has its lines but those of checks that
// passed.
testing::AssertionResult Succeeds(const std::string& command) {
  FILE* output = popen(absl::StrCat(command, " 2>&1").c_str(), "r");
  if (output == nullptr) return testing::AssertionFailure() << "cannot run " << command;
  std::string faults;
  for (char line[4096]; std::fgets(line, sizeof line, output) != nullptr;) {
    std::fputs(line, stdout);
    std::fflush(stdout);
    if (!absl::StartsWith(line, "ok ")) faults += line;
  }
  const int status = pclose(output);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << command << ": status " << status << "\n" << faults;
}

bool HasPackages() {
  if (std::ifstream("client/web/node_modules/playwright-core/package.json").good()) return true;
  ADD_FAILURE() << "client/web/node_modules is missing: run tools/build-page --packages";
  return false;
}

void ImportExample(const std::shared_ptr<grpc::Channel>& channel) {
  v1::ImportRequest request;
  const auto add = [&](v1::FileKind kind, const char* name) {
    v1::File* file = request.add_files();
    file->set_kind(kind);
    file->set_name(name);
    file->set_content(Content(absl::StrCat("deploy/example/", name)));
  };
  add(v1::FILE_KIND_SLURM_CONF, "slurm.conf");
  add(v1::FILE_KIND_QOS, "qos.txt");
  add(v1::FILE_KIND_SACCTMGR_DUMP, "sacctmgr.dump");
  add(v1::FILE_KIND_SSHARE, "sshare.txt");
  grpc::ClientContext context;
  v1::ImportResponse response;
  const grpc::Status status =
      v1::AdminService::NewStub(channel)->Import(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

void TrackExample(const std::shared_ptr<grpc::Channel>& channel) {
  v1::UpdateJobsRequest request;
  request.set_source("example");
  std::ifstream lines("deploy/example/jobs.jsonl");
  for (std::string line; std::getline(lines, line);) {
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, request.add_upserts()).ok());
  }
  grpc::ClientContext context;
  v1::UpdateJobsResponse response;
  const grpc::Status status =
      v1::PriorityService::NewStub(channel)->UpdateJobs(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

// A server with a page and a database of its own, and these flags besides.
std::vector<std::string> FlagsWith(std::vector<std::string> others) {
  others.insert(others.end(), {"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                               "--database_url=" + storage::NewTestDatabase()});
  return others;
}

// Has a program of this folder look at the server's page. `environment` is set for it, by name.
void Walk(RealPriorityd& priorityd, const std::string& program,
          const std::map<std::string, std::string>& environment = {}) {
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const std::string url = priorityd.AwaitLogged("page, JSON and metrics on ");
  EXPECT_TRUE(Succeeds(absl::StrCat("node tests/client/web/", program, " client/web ", url)));
}

void WalkExample(const std::vector<std::string>& flags, const std::string& program) {
  RealPriorityd priorityd(FlagsWith(flags));
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportExample(priorityd.Connect());
  TrackExample(priorityd.Connect());
  Walk(priorityd, program);
}

TEST(PageTest, EachViewIsWholeAccessibleAndShowsTheAnswersOfTheService) {
  if (HasPackages()) WalkExample({}, "walk.mjs");
}

TEST(PageTest, ItPrintsAsAReportAndShowsACardOfAUser) {
  if (HasPackages()) WalkExample({}, "walk_print.mjs");
}

TEST(PageTest, ASiteThatIsNamedFramesTheCardAndNobodyFramesMore) {
  if (!HasPackages()) return;
  WalkExample({"--http_frame_ancestor=http://portal.example.org"}, "walk_frames.mjs");
}

TEST(PageTest, BehindAProxyThatAddsAPrefixItIsTheSame) {
  if (!HasPackages()) return;
  WalkExample({"--http_allow_origin=http://named.example.org"}, "walk_proxy.mjs");
}

// The address at which a flag lets the server listen is that at which it does.
std::string CommandOf(std::vector<std::string> flags, const std::string& grpc,
                      const std::string& http) {
  for (std::string& flag : flags) {
    if (absl::StartsWith(flag, "--listen=")) flag = "--listen=" + grpc;
    if (absl::StartsWith(flag, "--http_listen=")) flag = "--http_listen=" + http;
  }
  return absl::StrCat("server/priorityd\n", absl::StrJoin(flags, "\n"));
}

TEST(PageTest, AServerThatIsKilledIsSaidToBeAwayUntilItIsBack) {
  if (!HasPackages()) return;
  const std::vector<std::string> flags = FlagsWith({});
  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportExample(priorityd.Connect());
  TrackExample(priorityd.Connect());
  const std::string url = priorityd.AwaitLogged("page, JSON and metrics on ");
  const std::string http(absl::StripSuffix(absl::StripPrefix(url, "http://"), "/"));
  Walk(priorityd, "walk_killed.mjs",
       {{"PRIORITYD_PID", absl::StrCat(priorityd.pid())},
        {"COMMAND", CommandOf(flags, priorityd.address(), http)}});
}

TEST(PageTest, AReplayHasTheFiguresThatPrioctlPrints) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({}));
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportExample(priorityd.Connect());
  Walk(priorityd, "walk_replay.mjs", {{"PRIOCTL", "client/prioctl"}});
}

TEST(PageTest, ThePartsOfPicturesOfSharesAreWhereANaiveComputationHasThem) {
  if (!HasPackages()) return;
  EXPECT_TRUE(Succeeds("node tests/client/web/shapes.mjs client/web"));
}

TEST(PageTest, ForecastsAreComparedAsTheServiceAnswersThem) {
  if (!HasPackages()) return;
  EXPECT_TRUE(Succeeds("node tests/client/web/forecasts.mjs client/web"));
}

TEST(PageTest, PicturesOfSharesHaveTheFiguresOfPrioctlAndOfTheSlurm20Document) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({}));
  ASSERT_TRUE(priorityd.AwaitListening());
  Walk(priorityd, "walk_shares.mjs",
       {{"PRIOCTL", "client/prioctl"}, {"PRIORITYD_SERVER", priorityd.address()}});
}

TEST(PageTest, BudgetsAndCostsAreThoseThatPrioctlPrints) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({"--history_interval=1"}));
  ASSERT_TRUE(priorityd.AwaitListening());
  Walk(priorityd, "walk_budgets.mjs",
       {{"PRIOCTL", "client/prioctl"}, {"PRIORITYD_SERVER", priorityd.address()}});
}

TEST(PageTest, GrantsAreThoseThatPrioctlPrints) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({"--history_interval=1"}));
  ASSERT_TRUE(priorityd.AwaitListening());
  Walk(priorityd, "walk_grants.mjs",
       {{"PRIOCTL", "client/prioctl"}, {"PRIORITYD_SERVER", priorityd.address()}});
}

TEST(PageTest, HistoryAndChangesOfTheSiteAreThoseOfTheService) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({"--history_interval=1"}));
  ASSERT_TRUE(priorityd.AwaitListening());
  Walk(priorityd, "walk_changes.mjs");
}

TEST(PageTest, ItAsksForTheCallerAndOffersEachRoleItsActions) {
  if (!HasPackages()) return;
  SecuredPriorityd priorityd("", {"--http_listen=127.0.0.1:0"});
  std::map<std::string, std::string> tokens;
  for (const char* user : {"amy", "cora", "olga", "root"}) {
    tokens[absl::AsciiStrToUpper(user)] = priorityd.Token(user);
  }
  Walk(priorityd.process(), "sign_in.mjs", tokens);
}

TEST(PageTest, ForecastsOfStartsAndTheirScoresAreThoseOfTheService) {
  if (!HasPackages()) return;
  SecuredPriorityd priorityd("", {"--http_listen=127.0.0.1:0", "--forecast_interval=1"});
  Walk(priorityd.process(), "walk_forecasts.mjs",
       {{"AMY", priorityd.Token("amy")}, {"ROOT", priorityd.Token("root")}});
}

TEST(PageTest, TheSitesLoginSignsReadersInAndNoOtherDoes) {
  if (!HasPackages()) return;
  const TemporaryFolder folder;
  const std::string keys = "node tests/client/web/provider.mjs keys client/web " + folder.path();
  ASSERT_TRUE(Succeeds(keys));
  ReplaceFile(folder.path() + "/session.key", std::string(64, 's') + "\n");
  ReplaceFile(folder.path() + "/client.secret", "se:cret/+%=of-the-page\n");
  const int provider = FreePort();
  const int page = FreePort();
  const std::string issuer = absl::StrCat("http://127.0.0.1:", provider);
  const std::string url = absl::StrCat("http://127.0.0.1:", page, "/");
  SecuredPriorityd priorityd(
      absl::StrCat("TokenIssuer=", issuer, " Audience=priorityd Jwks=", folder.path(),
                   "/public.jwks UserClaim=preferred_username\n"),
      {absl::StrCat("--http_listen=127.0.0.1:", page), "--forecast_interval=0",
       "--oidc_issuer=" + issuer, "--oidc_client_id=page",
       "--oidc_client_secret_file=" + folder.path() + "/client.secret", "--oidc_page_url=" + url,
       "--oidc_session_key_file=" + folder.path() + "/session.key"});
  Walk(priorityd.process(), "sign_in_login.mjs",
       {{"FOLDER", folder.path()},
        {"PROVIDER_PORT", absl::StrCat(provider)},
        {"AMY", priorityd.Token("amy")},
        {"ROOT", priorityd.Token("root")}});
}

TEST(PageTest, TheBundleInTheRepositoryIsThatOfTheSources) {
  if (!HasPackages()) return;
  const TemporaryFolder folder;
  const std::string built = folder.path() + "/dist";
  ASSERT_TRUE(Succeeds("node client/web/build.mjs " + built));
  for (const char* name : {"/app.js", "/card.html", "/card.js", "/first.js", "/icon.svg",
                           "/index.html", "/style.css"}) {
    EXPECT_TRUE(Content(built + name) == Content(absl::StrCat("client/web/dist", name)))
        << name << ": run tools/build-page";
  }
}

TEST(PageTest, TheTypesInTheRepositoryAreThoseOfTheApi) {
  if (!HasPackages()) return;
  RealPriorityd priorityd(FlagsWith({}));
  ASSERT_TRUE(priorityd.AwaitListening());
  const TemporaryFolder folder;
  const std::string url = priorityd.AwaitLogged("page, JSON and metrics on ");
  const std::string written = folder.path() + "/schemas.ts";
  ASSERT_TRUE(Succeeds(absl::StrCat("node client/web/types.mjs ", url, " ", written)));
  EXPECT_TRUE(Content(written) == Content("client/web/src/calls/schemas.ts"))
      << "run `npm run types URL` in client/web, URL that of this server";
}

}  // namespace
}  // namespace priorityd
