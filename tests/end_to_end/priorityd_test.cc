// The real binary: flags, exit codes, health, drain.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/server/service/health.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> Flags(const std::string& data_dir) {
  return {"--listen=127.0.0.1:0", "--data_dir=" + data_dir};
}

std::string NewDataDir() { return storage::NewTestDirectory() + "/data"; }

void ExpectOneLine(const std::string& text) {
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST(PrioritydTest, SigtermStopsItCleanlyAndItsDataStays) {
  const std::string data_dir = NewDataDir();
  for (const char* round : {"first", "second"}) {
    SCOPED_TRACE(round);
    RealPriorityd priorityd(Flags(data_dir));
    ASSERT_TRUE(priorityd.AwaitListening());
    grpc::ClientContext context;
    v1::UpdateClusterRequest request;
    request.mutable_cluster()->set_name("c");
    request.set_allow_missing(round == std::string("first"));
    v1::Cluster cluster;
    const grpc::Status status =
        v1::AdminService::NewStub(priorityd.Connect())->UpdateCluster(&context, request, &cluster);
    EXPECT_TRUE(status.ok()) << status.error_message();
    priorityd.Signal(SIGTERM);
    EXPECT_EQ(priorityd.Wait(), 0);
    EXPECT_THAT(priorityd.Err(), HasSubstr("stopped\n"));
  }
}

TEST(PrioritydTest, MigrateOnlyMakesTheSchemaAndStops) {
  const std::string data_dir = NewDataDir();
  for (const char* round : {"first", "second"}) {
    SCOPED_TRACE(round);
    RealPriorityd priorityd({"--migrate_only", "--data_dir=" + data_dir});
    EXPECT_EQ(priorityd.Wait(), 0) << priorityd.Err();
    EXPECT_THAT(priorityd.Err(), HasSubstr("the database's schema has version"));
    EXPECT_THAT(priorityd.Err(), Not(HasSubstr("listening")));
  }
}

TEST(PrioritydTest, ControlCStopsItToo) {
  RealPriorityd priorityd(Flags(NewDataDir()));
  ASSERT_TRUE(priorityd.AwaitListening());
  priorityd.Signal(SIGINT);
  EXPECT_EQ(priorityd.Wait(), 0);
}

TEST(PrioritydTest, ABrokenPipeDoesNotEndIt) {
  RealPriorityd priorityd(Flags(NewDataDir()));
  ASSERT_TRUE(priorityd.AwaitListening());
  priorityd.Signal(SIGPIPE);
  EXPECT_EQ(CheckHealth(priorityd.Connect(), ""), 1);
  priorityd.Signal(SIGTERM);
  EXPECT_EQ(priorityd.Wait(), 0);
}

TEST(PrioritydTest, HealthIsReportedPerService) {
  RealPriorityd priorityd(Flags(NewDataDir()));
  ASSERT_TRUE(priorityd.AwaitListening());
  EXPECT_EQ(CheckHealth(priorityd.Connect(), ""), 1);
  EXPECT_EQ(CheckHealth(priorityd.Connect(), "priority.v1.PriorityService"), 1);
  EXPECT_EQ(CheckHealth(priorityd.Connect(), "priority.v1.AdminService"), 1);
  EXPECT_EQ(CheckHealth(priorityd.Connect(), "other"), -grpc::StatusCode::NOT_FOUND);
}

TEST(PrioritydTest, ATakenPortIsOneClearLineAndExitCode1) {
  RealPriorityd first(Flags(NewDataDir()));
  ASSERT_TRUE(first.AwaitListening());
  RealPriorityd second({"--listen=" + first.address(), "--data_dir=" + NewDataDir()});
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.Err(), HasSubstr("--listen: got " + first.address()));
}

TEST(PrioritydTest, TwoOnOneDataDirAreRefusedWithTheHoldersPid) {
  const std::string data_dir = NewDataDir();
  RealPriorityd first(Flags(data_dir));
  ASSERT_TRUE(first.AwaitListening());
  RealPriorityd second(Flags(data_dir));
  EXPECT_EQ(second.Wait(), 2);
  ExpectOneLine(second.Err());
  EXPECT_THAT(second.Err(), HasSubstr("in use by process"));
}

TEST(PrioritydTest, AnUnreachableDatabaseIsExitCode2) {
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--database_url=postgresql://127.0.0.1:1/x"});
  EXPECT_EQ(priorityd.Wait(), 2);
  EXPECT_THAT(priorityd.Err(), HasSubstr("Connection refused"));
  EXPECT_THAT(priorityd.Err(), HasSubstr("the reason is in the line of storage above"));
}

TEST(PrioritydTest, ABadFlagIsOneLineAndExitCode1) {
  const std::vector<std::vector<std::string>> kBad = {
      {"--bogus"},
      {},
      {"--data_dir=/x", "--database_url=postgresql://x/y"},
      {"--data_dir=/x", "--log_format=xml"},
      {"--data_dir=/x", "--max_jobs=0"},
      {"--data_dir=/x", "--listen=127.0.0.1:65536"},
      {"--data_dir=/x", "--listen=localhost"},
      {"--data_dir=/x", "stray"}};
  for (const std::vector<std::string>& flags : kBad) {
    RealPriorityd priorityd(flags);
    EXPECT_EQ(priorityd.Wait(), 1);
    EXPECT_THAT(priorityd.Err(), StartsWith("priorityd: "));
    ExpectOneLine(priorityd.Err());
  }
}

TEST(PrioritydTest, HelpGoesToStandardOutput) {
  RealPriorityd priorityd({"--help"});
  EXPECT_EQ(priorityd.Wait(), 0);
  EXPECT_THAT(priorityd.Out(), HasSubstr("--data_dir"));
  EXPECT_EQ(priorityd.Err(), "");
}

TEST(PrioritydTest, TheJsonLogHasOneObjectPerLine) {
  std::vector<std::string> flags = Flags(NewDataDir());
  flags.push_back("--log_format=json");
  RealPriorityd priorityd(flags);
  EXPECT_THAT(priorityd.AwaitLogged("\"level\":\"info\",\"message\":\"listening on 127.0.0.1:"),
              EndsWith("\"}"));
  EXPECT_THAT(priorityd.Err(), StartsWith("{\"time\":\""));
}

}  // namespace
}  // namespace priorityd
