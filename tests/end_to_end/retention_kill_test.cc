// A server that is killed while it rolls up its ledger loses and doubles nothing.
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/database/database.h"
#include "tests/await.h"
#include "tests/end_to_end/collected_ledger.h"
#include "tests/end_to_end/import_site.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

// From 20 to 9 hours ago: 9000 of each hour, several transactions of a roll-up.
constexpr int kOldRecords = 100'000;
constexpr int kOldSeconds = 40'000;
constexpr int kRetainedBatch = 100;
// What the policy keeps in each round, in hours: all but the last leave old records in the ledger,
// however far the server comes before it is killed.
constexpr int kKeptHours[] = {17, 14, 11, 2};

const std::string& PolicyText() {
  static const std::string* const kText =
      new std::string("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nTimeZone=UTC\n");
  return *kText;
}

struct Source {
  std::string name;
  absl::Time begin;
  int seconds = 0;
};

class RetainedSite {
 public:
  explicit RetainedSite(const RealPriorityd& priorityd)
      : admin_(v1::AdminService::NewStub(priorityd.Connect())),
        priority_(v1::PriorityService::NewStub(priorityd.Connect())) {}

  void Import() {
    ImportSite(*admin_, absl::StrCat("ClusterName=c\n", PolicyText()),
               "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
               "Parent - 'a'\nUser - 'u':DefaultAccount='a':Fairshare=1\n");
  }

  void Keep(int hours) {
    v1::ApplyPolicyRequest request;
    request.set_text(absl::StrCat(PolicyText(), "PurgeJobAfter=", hours, "hours\n"));
    grpc::ClientContext apply, recalculate;
    v1::ApplyPolicyResponse applied;
    v1::Snapshot snapshot;
    ASSERT_TRUE(admin_->ApplyPolicy(&apply, request, &applied).ok());
    ASSERT_TRUE(admin_->Recalculate(&recalculate, {}, &snapshot).ok());
  }

  // Records `first` to `first + count` of a second at one unit, in one of `seconds` from
  // `begin` on; false if the server was gone.
  bool Record(const Source& source, int first, int count, v1::RecordUsageResponse* response) {
    v1::RecordUsageRequest request;
    for (int i = first; i < first + count; ++i) {
      v1::UsageRecord* record = request.add_records();
      record->set_source(source.name);
      record->set_record_id(absl::StrCat(i));
      i % 3 == 0 ? record->set_account("a") : record->set_user("u");
      record->mutable_start_time()->set_seconds(absl::ToUnixSeconds(source.begin) +
                                                i % source.seconds);
      record->mutable_end_time()->set_seconds(absl::ToUnixSeconds(source.begin) +
                                              i % source.seconds + 1);
      record->set_billing(1);
    }
    grpc::ClientContext context;
    return priority_->RecordUsage(&context, request, response).ok();
  }

  // What the ledger and the buckets hold, and whether that is what the rows say.
  v1::RebuildUsageResponse Compare() {
    v1::RebuildUsageRequest request;
    request.set_validate_only(true);
    grpc::ClientContext context;
    auto reader = admin_->RebuildUsage(&context, request);
    v1::RebuildUsageResponse response;
    while (reader->Read(&response)) {
    }
    const grpc::Status status = reader->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  double RootUsage() {
    grpc::ClientContext recalculate, list;
    v1::Snapshot snapshot;
    v1::ListSharesResponse shares;
    EXPECT_TRUE(admin_->Recalculate(&recalculate, {}, &snapshot).ok());
    EXPECT_TRUE(priority_->ListShares(&list, {}, &shares).ok());
    return shares.shares_size() == 0 ? -1 : shares.shares(0).raw_usage();
  }

 private:
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
};

// The old records that the ledger still has.
int64_t CountOld(const std::string& data_dir) {
  storage::Database database({.url = EmbeddedDatabaseUrl(data_dir)});
  const auto count = database.Read([](storage::Transaction& transaction) {
    return transaction.QueryOne(storage::OnlyColumn<int64_t>,
                                "SELECT count(*) FROM priorityd.usage_record WHERE source = 'old'");
  });
  EXPECT_TRUE(count.ok()) << count.status();
  return count.value_or(-1);
}

TEST(RetentionKillTest, EveryRecordIsInTheLedgerOrInItsBucketsOnce) {
  const std::string data_dir = storage::NewTestDirectory() + "/data";
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0", "--data_dir=" + data_dir};
  const absl::Time now = absl::Now();
  const Source old{"old", now - absl::Hours(20), kOldSeconds};
  const Source young{"young", now - absl::Hours(1), 3000};
  {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    RetainedSite site(priorityd);
    site.Import();
    v1::RecordUsageResponse response;
    ASSERT_TRUE(site.Record(old, 0, kOldRecords, &response));
    ASSERT_EQ(response.accepted(), kOldRecords);
    site.Keep(kKeptHours[0]);
    priorityd.Signal(SIGKILL);
    priorityd.Wait();
  }
  // The roll-up begins when the server does. New usage comes meanwhile: what was not
  // answered is sent again.
  std::mt19937 random(20261120);
  int sent = 0;
  int64_t left = kOldRecords;
  const auto record = [&](RetainedSite& site) {
    v1::RecordUsageResponse response;
    ASSERT_TRUE(site.Record(young, sent, kRetainedBatch, &response));
    ASSERT_EQ(response.accepted() + response.duplicates(), kRetainedBatch);
    sent += kRetainedBatch;
  };
  for (size_t round = 1; left > 0; ++round) {
    const bool is_last = round >= std::size(kKeptHours);
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    RetainedSite site(priorityd);
    // Of the next round, as this server keeps to the horizon that it found.
    if (!is_last) site.Keep(kKeptHours[round]);
    // A transaction of the roll-up at least, in the last round all of them.
    const int64_t before = left;
    ASSERT_TRUE(Await([&] {
      record(site);
      left = CountOld(data_dir);
      return HasFatalFailure() || (is_last ? left == 0 : left < before);
    }));
    if (HasFatalFailure()) return;
    if (round + 1 < std::size(kKeptHours)) {
      EXPECT_GT(left, 0) << "want kills in the middle";
    }
    for (auto batches = random() % 5; batches > 0; --batches) record(site);
    v1::RecordUsageResponse lost;
    std::thread last([&] { site.Record(young, sent, kRetainedBatch, &lost); });
    priorityd.Signal(SIGKILL);
    last.join();
    EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
  }

  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  RetainedSite site(priorityd);
  v1::RecordUsageResponse response;
  ASSERT_TRUE(site.Record(young, sent, kRetainedBatch, &response));
  ASSERT_EQ(response.accepted() + response.duplicates(), kRetainedBatch);
  sent += kRetainedBatch;
  const v1::RebuildUsageResponse compared = site.Compare();
  EXPECT_EQ(compared.records(), kOldRecords + sent);
  EXPECT_EQ(compared.different_rows(), 0);
  EXPECT_DOUBLE_EQ(site.RootUsage(), kOldRecords + sent);

  // Everything again: nothing of it counts.
  ASSERT_TRUE(site.Record(old, 0, kOldRecords, &response));
  EXPECT_EQ(response.rejected(), kOldRecords);
  EXPECT_EQ(response.results(0).reason(), v1::REJECTION_REASON_TOO_OLD);
  // The more kills it took, the more there are: too many for one request.
  for (int first = 0; first < sent; first += kRetainedBatch) {
    ASSERT_TRUE(site.Record(young, first, kRetainedBatch, &response));
    EXPECT_EQ(response.accepted(), 0);
  }
  EXPECT_DOUBLE_EQ(site.RootUsage(), kOldRecords + sent);
}

}  // namespace
}  // namespace priorityd
