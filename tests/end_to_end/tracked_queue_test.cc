// The tracked queue through the real server and prioctl.
#include <csignal>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "priority/v1/ranking.pb.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

// A server with the example's site in it.
class TrackedQueueTest : public ::testing::Test {
 protected:
  TrackedQueueTest() {
    Start();
    const std::string folder = "deploy/example/";
    Out({"import", "slurm-conf", folder + "slurm.conf"});
    Out({"import", "qos", folder + "qos.txt"});
    Out({"import", "sacctmgr", folder + "sacctmgr.dump"});
    Out({"import", "sshare", folder + "sshare.txt"});
    Out({"recalculate"});
  }

  void KillAndRestart() {
    server_->Signal(SIGKILL);
    EXPECT_EQ(server_->Wait(), 128 + SIGKILL);
    Start();
  }

  Finished Prioctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--server", server_->address(), "--cluster", "orc"});
    return RunPrioctl(arguments);
  }

  // What prioctl printed; it must succeed.
  std::string Out(std::vector<std::string> arguments) {
    const Finished run = Prioctl(std::move(arguments));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }

 private:
  void Start() {
    server_.emplace(flags_);
    EXPECT_TRUE(server_->AwaitListening());
  }

  const std::vector<std::string> flags_ = {"--listen=127.0.0.1:0",
                                           "--data_dir=" + storage::NewTestDirectory() + "/data"};
  std::optional<RealPriorityd> server_;
};

TEST_F(TrackedQueueTest, ASecondSyncChangesNothing) {
  Out({"queue", "sync", "deploy/example/jobs.jsonl"});
  EXPECT_THAT(Out({"queue", "sync", "deploy/example/jobs.jsonl"}),
              HasSubstr("0 upserted, 0 removed"));
}

TEST_F(TrackedQueueTest, WhatWasAnsweredOutlivesAKill) {
  for (int i = 0; i < 5; ++i) {
    const std::string job =
        WriteFile("job", absl::StrCat("{\"jobId\": \"", i, "\", \"user\": \"ann\"}\n"));
    Out({"queue", "update", job});
    if (i == 3) Out({"queue", "remove", "1"});
    KillAndRestart();
  }
  ::priority::v1::RankJobsResponse response;
  const std::string json = Out({"rank", "--json"});
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(json, &response).ok()) << json;
  std::set<std::string> ids;
  for (const auto& row : response.ranked()) ids.insert(row.job_id());
  for (const auto& row : response.ineligible()) ids.insert(row.job_id());
  EXPECT_EQ(ids, (std::set<std::string>{"0", "2", "3", "4"}));
}

TEST_F(TrackedQueueTest, AJobThatIsNotTakenIsAnErrorThatNamesIt) {
  const Finished run =
      Prioctl({"queue", "update",
               WriteFile("jobs",
                         "{\"jobId\": \"1\", \"user\": \"ann\"}\n"
                         "{\"jobId\": \"2\", \"user\": \"ann\", \"dependency\": \"x\"}\n")});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("1 job not taken; the first: 2: dependency: got \"x\""));
  EXPECT_THAT(run.out, HasSubstr("1 upserted"));
  EXPECT_THAT(Out({"queue", "list"}), HasSubstr("\n1 job\n"));
}

}  // namespace
}  // namespace priorityd
