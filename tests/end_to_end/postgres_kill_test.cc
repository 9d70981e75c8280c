// A database that is killed while usage is recorded loses and doubles nothing, and
// priorityd goes on by itself.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/await.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;
namespace fs = std::filesystem;

constexpr int kRounds = 5;
// Of new records, before each kill.
constexpr int kBatches = 40;

std::string Content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The running PostgreSQL's first process; nullopt while there is none.
std::optional<pid_t> Postmaster(const std::string& data_dir) {
  std::ifstream file(data_dir + "/postgres/postmaster.pid");
  pid_t pid;
  if (!(file >> pid) || kill(pid, 0) != 0) return std::nullopt;
  return pid;
}

// One that serves a connection.
std::optional<pid_t> Backend(const std::string& data_dir) {
  const std::optional<pid_t> postmaster = Postmaster(data_dir);
  if (!postmaster.has_value()) return std::nullopt;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    pid_t pid;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    const std::string stat = Content(entry.path().string() + "/stat");
    const bool is_child = absl::StrContains(stat, absl::StrCat(" ", *postmaster, " "));
    const std::string command = Content(entry.path().string() + "/cmdline");
    if (is_child && absl::StartsWith(command, "postgres: priorityd priorityd")) return pid;
  }
  return std::nullopt;
}

void ExpectReadsGoOn(const RealPriorityd& priorityd) {
  grpc::ClientContext context;
  v1::ListSharesResponse shares;
  const grpc::Status status =
      v1::PriorityService::NewStub(priorityd.Connect())->ListShares(&context, {}, &shares);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(shares.shares_size(), 2 + Collectors::kCount);
}

using Find = std::optional<pid_t> (*)(const std::string& data_dir);

class PostgresKillTest : public ::testing::TestWithParam<Find> {};

TEST_P(PostgresKillTest, EveryRecordCountsOnceAndTheServerContinues) {
  const std::string data_dir = storage::NewTestDirectory() + "/data";
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--data_dir=" + data_dir});
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportCollectors(priorityd);
  Collectors collectors(priorityd.address());
  std::mt19937 random(20261120);
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(collectors.AwaitNew(1 + static_cast<int64_t>(random() % kBatches)));
    std::optional<pid_t> victim;
    ASSERT_TRUE(Collectors::Await([&] { return (victim = GetParam()(data_dir)).has_value(); },
                                  "PostgreSQL"));
    const int64_t errors = collectors.errors();
    kill(*victim, SIGKILL);
    // Those who sent nothing just then noticed nothing.
    const auto is_noticed = [&] {
      if (Await([&] { return collectors.errors() > errors; }, absl::Seconds(5))) return true;
      if ((victim = GetParam()(data_dir)).has_value()) kill(*victim, SIGKILL);
      return false;
    };
    ASSERT_TRUE(Collectors::Await(is_noticed, "an error"));
    ExpectReadsGoOn(priorityd);
  }
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  collectors.Finish();
  ExpectCollectedOnce(priorityd, EmbeddedDatabaseUrl(data_dir), collectors.recorded());
  priorityd.Signal(SIGTERM);
  EXPECT_EQ(priorityd.Wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Kill, PostgresKillTest, ::testing::Values(Postmaster, Backend),
                         [](const auto& info) { return info.index == 0 ? "Server" : "Backend"; });

}  // namespace
}  // namespace priorityd
