// The page, as a reader's browser shows it: Debian's Chromium, without a screen, against a real
// server with the site of deploy/example.
#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/secured_priorityd.h"
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

// Prints what the command prints; 0 if it succeeds.
int RunCommand(const std::string& command) {
  const int status = std::system(absl::StrCat(command, " 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
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

std::string PageUrl(RealPriorityd& priorityd) {
  return priorityd.AwaitLogged("page, JSON and metrics on ");
}

TEST(PageTest, EachViewIsWholeAccessibleAndTellsWhatTheServiceTells) {
  if (!HasPackages()) return;
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                           "--database_url=" + storage::NewTestDatabase()});
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportExample(priorityd.Connect());
  TrackExample(priorityd.Connect());
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  EXPECT_EQ(
      RunCommand(absl::StrCat("node tests/client/web/walk.mjs client/web ", PageUrl(priorityd))),
      0);
}

TEST(PageTest, ItPrintsAsAReportAndShowsACardOfAUser) {
  if (!HasPackages()) return;
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                           "--database_url=" + storage::NewTestDatabase()});
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportExample(priorityd.Connect());
  TrackExample(priorityd.Connect());
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  EXPECT_EQ(RunCommand(absl::StrCat("node tests/client/web/walk_print.mjs client/web ",
                                    PageUrl(priorityd))),
            0);
}

TEST(PageTest, BudgetsAndCostsAreThoseThatPrioctlPrints) {
  if (!HasPackages()) return;
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                           "--history_interval=1", "--database_url=" + storage::NewTestDatabase()});
  ASSERT_TRUE(priorityd.AwaitListening());
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  setenv("PRIOCTL", "client/prioctl", /*overwrite=*/1);
  setenv("PRIORITYD_SERVER", priorityd.address().c_str(), /*overwrite=*/1);
  EXPECT_EQ(RunCommand(absl::StrCat("node tests/client/web/walk_budgets.mjs client/web ",
                                    PageUrl(priorityd))),
            0);
}

TEST(PageTest, WhatIsOverTimeAndWhatChangesTheSiteIsAsTheServiceTellsIt) {
  if (!HasPackages()) return;
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                           "--history_interval=1", "--database_url=" + storage::NewTestDatabase()});
  ASSERT_TRUE(priorityd.AwaitListening());
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  EXPECT_EQ(RunCommand(absl::StrCat("node tests/client/web/walk_changes.mjs client/web ",
                                    PageUrl(priorityd))),
            0);
}

TEST(PageTest, ItAsksWhoIsThereAndOffersEachRoleWhatIsHers) {
  if (!HasPackages()) return;
  SecuredPriorityd priorityd("", {"--http_listen=127.0.0.1:0"});
  const TemporaryFolder home;
  setenv("HOME", home.path().c_str(), /*overwrite=*/1);
  for (const char* user : {"amy", "cora", "olga", "root"}) {
    setenv(absl::AsciiStrToUpper(user).c_str(), priorityd.Token(user).c_str(), /*overwrite=*/1);
  }
  EXPECT_EQ(RunCommand(absl::StrCat("node tests/client/web/sign_in.mjs client/web ",
                                    PageUrl(priorityd.process()))),
            0);
}

TEST(PageTest, TheBundleInTheRepositoryIsThatOfTheSources) {
  if (!HasPackages()) return;
  const TemporaryFolder folder;
  const std::string built = folder.path() + "/dist";
  ASSERT_EQ(RunCommand("node client/web/build.mjs " + built), 0);
  for (const char* name : {"/app.js", "/card.html", "/card.js", "/first.js", "/icon.svg",
                           "/index.html", "/style.css"}) {
    EXPECT_TRUE(Content(built + name) == Content(absl::StrCat("client/web/dist", name)))
        << name << ": run tools/build-page";
  }
}

}  // namespace
}  // namespace priorityd
