// The tracked queue through the real server and prioctl.
#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "priority/v1/ranking.pb.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/running_priorityd.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

Finished Prioctl(const RunningPriorityd& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--server", server.address(), "--cluster", "orc"});
  return RunPrioctl(arguments);
}

// What prioctl printed; it must succeed.
std::string Out(const RunningPriorityd& server, std::vector<std::string> arguments) {
  const Finished run = Prioctl(server, std::move(arguments));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

void ImportExampleSite(const RunningPriorityd& server) {
  const std::string folder = "deploy/example/";
  Out(server, {"import", "slurm-conf", folder + "slurm.conf"});
  Out(server, {"import", "qos", folder + "qos.txt"});
  Out(server, {"import", "sacctmgr", folder + "sacctmgr.dump"});
  Out(server, {"import", "sshare", folder + "sshare.txt"});
  Out(server, {"recalculate"});
}

TEST(TrackedQueueTest, ASecondSyncChangesNothing) {
  RunningPriorityd server;
  ImportExampleSite(server);
  Out(server, {"queue", "sync", "deploy/example/jobs.jsonl"});
  EXPECT_THAT(Out(server, {"queue", "sync", "deploy/example/jobs.jsonl"}),
              HasSubstr("0 upserted, 0 removed"));
}

TEST(TrackedQueueTest, WhatWasAnsweredOutlivesAKill) {
  RunningPriorityd server;
  ImportExampleSite(server);
  for (int i = 0; i < 5; ++i) {
    const std::string job =
        WriteFile("job", absl::StrCat("{\"jobId\": \"", i, "\", \"user\": \"ann\"}\n"));
    Out(server, {"queue", "update", job});
    if (i == 3) Out(server, {"queue", "remove", "1"});
    EXPECT_EQ(server.Stop(SIGKILL), -SIGKILL);
    server.Start();
  }
  priority::v1::RankJobsResponse response;
  const std::string json = Out(server, {"rank", "--json"});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &response).ok()) << json;
  std::set<std::string> ids;
  for (const auto& row : response.ranked()) ids.insert(row.job_id());
  for (const auto& row : response.ineligible()) ids.insert(row.job_id());
  EXPECT_EQ(ids, (std::set<std::string>{"0", "2", "3", "4"}));
}

TEST(TrackedQueueTest, AJobThatIsNotTakenIsAnErrorThatNamesIt) {
  RunningPriorityd server;
  ImportExampleSite(server);
  const Finished run = Prioctl(
      server, {"queue", "update",
               WriteFile("jobs",
                         "{\"jobId\": \"1\", \"user\": \"ann\"}\n"
                         "{\"jobId\": \"2\", \"user\": \"ann\", \"dependency\": \"x\"}\n")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("1 job not taken; the first: 2: dependency: got \"x\""));
  EXPECT_THAT(run.out, HasSubstr("1 upserted"));
  EXPECT_THAT(Out(server, {"queue", "list"}), HasSubstr("\n1 jobs\n"));
}

}  // namespace
}  // namespace priorityd
