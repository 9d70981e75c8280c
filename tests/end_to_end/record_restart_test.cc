// Usage survives the death of the server, and counts once.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "priority/v1/usage.pb.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using ::priority::v1::RecordUsageResponse;
using ::testing::HasSubstr;

constexpr int kRestartRecords = 50'000;
// Sent before the server is killed; the others after.
constexpr int kBefore = 30'000;
// So many records at most were sent and not answered yet: 16 batches of 1000 are
// in flight, one is being filled, and the pipe holds some that prioctl has not read.
constexpr int kInFlight = 18'000;

std::string Record(int i, const std::string& start, const std::string& end) {
  return absl::StrCat(
      "{\"source\": \"test\", \"recordId\": \"", i,
      "\", \"user\": \"ann\", \"account\": \"a\", \"billing\": 1, \"startTime\": \"", start,
      "\", \"endTime\": \"", end, "\"}\n");
}

// 50,000 records of 10 billing-seconds each.
std::vector<std::string> Records() {
  const absl::Time start = absl::Now() - absl::Hours(1);
  const absl::TimeZone utc = absl::UTCTimeZone();
  const std::string from = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", start, utc);
  const std::string to = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", start + absl::Seconds(10), utc);
  std::vector<std::string> records;
  for (int i = 0; i < kRestartRecords; ++i) records.push_back(Record(i, from, to));
  return records;
}

Finished Prioctl(const RealPriorityd& server, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--server", server.address(), "--cluster", "test"});
  return RunPrioctl(arguments);
}

void ImportSite(const RealPriorityd& server) {
  const std::string conf =
      WriteFile("slurm.conf",
                "PriorityType=priority/multifactor\n"
                "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n"
                "NodeName=n1 CPUs=1\nPartitionName=main Nodes=n1 Default=YES\n");
  const std::string dump = WriteFile("dump",
                                     "Cluster - 'test':Fairshare=1\nParent - 'root'\n"
                                     "Account - 'a':Fairshare=1\nParent - 'a'\n"
                                     "User - 'ann':DefaultAccount='a':Fairshare=1\n");
  ASSERT_EQ(Prioctl(server, {"import", "slurm-conf", conf}).exit_code, 0);
  ASSERT_EQ(Prioctl(server, {"import", "sacctmgr", dump}).exit_code, 0);
}

RecordUsageResponse Counts(const Finished& run) {
  RecordUsageResponse counts;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(run.out, &counts).ok()) << run.out;
  return counts;
}

// Writes to a pipe; false when nobody reads it any more.
bool Write(int pipe, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(pipe, text.data(), text.size());
    if (written < 0) return false;
    text.remove_prefix(written);
  }
  return true;
}

TEST(RecordRestartTest, EveryRecordCountsOnceThoughTheServerIsKilledInTheMiddle) {
  signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  std::optional<RealPriorityd> server(flags);
  ASSERT_TRUE(server->AwaitListening());
  ImportSite(*server);
  const std::vector<std::string> records = Records();

  // A pipe, so that the kill comes for certain after the first records and
  // before the last.
  const std::string fifo = WriteFile("records", "");
  unlink(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Finished interrupted;
  std::thread recording([&] {
    interrupted = Prioctl(*server, {"record", fifo, "--json", "--timeout", "20"});
  });
  const int pipe = open(fifo.c_str(), O_WRONLY);
  for (int i = 0; i < kBefore; ++i) ASSERT_TRUE(Write(pipe, records[i]));
  server->Signal(SIGKILL);
  EXPECT_EQ(server->Wait(), 128 + SIGKILL);
  for (int i = kBefore; i < kRestartRecords && Write(pipe, records[i]); ++i) {
  }
  close(pipe);
  recording.join();
  EXPECT_EQ(interrupted.exit_code, 1);
  EXPECT_THAT(interrupted.err, HasSubstr("prioctl: no answer from priorityd"));
  const int64_t acknowledged = Counts(interrupted).accepted();
  EXPECT_GE(acknowledged, kBefore - kInFlight);
  EXPECT_LT(acknowledged, kRestartRecords);

  server.emplace(flags);
  ASSERT_TRUE(server->AwaitListening());
  std::string all;
  for (const std::string& record : records) all += record;
  const Finished again = Prioctl(*server, {"record", WriteFile("all", all), "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_GE(Counts(again).duplicates(), acknowledged);
  EXPECT_EQ(Counts(again).accepted() + Counts(again).duplicates(), kRestartRecords);

  ASSERT_EQ(Prioctl(*server, {"recalculate"}).exit_code, 0);
  EXPECT_EQ(Prioctl(*server, {"sshare", "-a", "-P", "-n", "-U", "-o", "User,RawUsage"}).out,
            absl::StrCat("ann|", 10 * kRestartRecords, "\n"));
}

}  // namespace
}  // namespace priorityd
