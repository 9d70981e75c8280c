// A full disk under the database stops recording, and nothing else, and only as
// long as it is full.
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/retry.h"
#include "client/rpc_error.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/database/database.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/collectors.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/small_disk.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int64_t kMegabytes = 256;
// Of new records, before the disk is full and after.
constexpr int kBatches = 40;

void ExpectReadsGoOn(const RealPriorityd& priorityd) {
  auto stub = v1::PriorityService::NewStub(priorityd.Connect());
  grpc::ClientContext list, rank;
  v1::ListSharesResponse shares;
  EXPECT_TRUE(stub->ListShares(&list, {}, &shares).ok());
  EXPECT_EQ(shares.shares_size(), 2 + Collectors::kCount);
  v1::RankJobsRequest jobs;
  jobs.mutable_jobs()->add_jobs()->set_job_id("1");
  v1::RankJobsResponse ranking;
  EXPECT_TRUE(stub->RankJobs(&rank, jobs, &ranking).ok());
}

// The answer to one more record, which costs nothing.
absl::Status RecordOne(const RealPriorityd& priorityd) {
  auto stub = v1::PriorityService::NewStub(priorityd.Connect());
  v1::RecordUsageRequest request;
  v1::UsageRecord* record = request.add_records();
  *record = collected::RecordOf(0, 0);
  record->set_source("another");
  record->clear_tres();
  record->set_billing(0);
  record->set_record_id(absl::FormatTime(absl::Now(), absl::UTCTimeZone()));
  grpc::ClientContext context;
  v1::RecordUsageResponse response;
  return client::FromGrpc(stub->RecordUsage(&context, request, &response));
}

// As the load of hours would, in which statements that fail write a little too. Without
// space for it, PostgreSQL panics.
void BeginNextLogFile(const std::string& data_dir) {
  storage::Database database({.url = EmbeddedDatabaseUrl(data_dir)});
  (void)database.Write(
      [](storage::Transaction& t) { return t.ExecuteScript("SELECT pg_switch_wal()"); });
}

// The value of a metric without labels; -1 if there is none.
double ValueOf(const std::string& metric, const std::string& http) {
  httplib::Client client("http://" + http);
  client.set_read_timeout(60);
  const auto page = client.Get("/metrics");
  if (!page) return -1;
  const size_t at = page->body.find("\n" + metric + " ");
  return at == std::string::npos ? -1 : std::atof(page->body.c_str() + at + metric.size() + 2);
}

TEST(DiskFullTest, RecordingContinuesAsSoonAsThereIsSpaceAndNothingIsLost) {
  auto disk = SmallDisk::Mount(kMegabytes);
  if (absl::IsUnimplemented(disk.status())) GTEST_SKIP() << disk.status();
  ASSERT_TRUE(disk.ok()) << disk.status();
  const std::string data_dir = (*disk)->path() + "/data";
  RealPriorityd priorityd(
      {"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0", "--data_dir=" + data_dir});
  ASSERT_TRUE(priorityd.AwaitListening());
  std::string http = priorityd.AwaitLogged("metrics on http://");
  http.resize(http.find('/'));
  EXPECT_EQ(ValueOf("priorityd_data_dir_size_bytes", http), kMegabytes << 20);
  EXPECT_GT(ValueOf("priorityd_data_dir_free_bytes", http), 0);
  ImportCollectors(priorityd);
  Collectors collectors(priorityd.address());
  ASSERT_TRUE(collectors.AwaitNew(kBatches));

  // First the ledger cannot grow, while there is room in the log.
  BeginNextLogFile(data_dir);
  (*disk)->Fill();
  absl::Status full;
  ASSERT_TRUE(Collectors::Await([&] { return !(full = RecordOne(priorityd)).ok(); }, "an error"));
  EXPECT_TRUE(client::IsTransient(full)) << full;
  EXPECT_EQ(client::Reason(full), "DATABASE_DISK_FULL") << full;
  ExpectReadsGoOn(priorityd);
  EXPECT_LT(ValueOf("priorityd_data_dir_free_bytes", http), 1 << 20);
  // Then PostgreSQL cannot begin the next file of its log, panics and cannot even
  // recover.
  BeginNextLogFile(data_dir);
  ASSERT_TRUE(Collectors::Await(
      [&] {
        full = RecordOne(priorityd);
        EXPECT_TRUE(client::IsTransient(full)) << full;
        return absl::StrContains(priorityd.Err(), "starting it again");
      },
      "the end of PostgreSQL"));
  ExpectReadsGoOn(priorityd);

  (*disk)->Free();
  ASSERT_TRUE(collectors.AwaitNew(kBatches));
  collectors.Finish();
  ExpectCollectedOnce(priorityd, EmbeddedDatabaseUrl(data_dir), collectors.recorded());
  priorityd.Signal(SIGTERM);
  EXPECT_EQ(priorityd.Wait(), 0);
}

}  // namespace
}  // namespace priorityd
