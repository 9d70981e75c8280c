// Waiting calls of operators do not delay those of collectors.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "tests/end_to_end/import_site.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kWaitingCalls = 40;
constexpr int kRecords = 50;

void ImportCluster(const RealPriorityd& priorityd, const std::string& name) {
  ImportSite(*v1::AdminService::NewStub(priorityd.Connect()),
             absl::StrCat("ClusterName=", name, "\nPriorityDecayHalfLife=1-0\n"),
             absl::StrCat("Cluster - '", name, "':Fairshare=1\nParent - 'root'\n",
                          "Account - 'a':Fairshare=1\n"));
}

grpc::Status Record(const RealPriorityd& priorityd, const std::string& cluster, int number) {
  v1::RecordUsageRequest request;
  request.set_cluster(cluster);
  v1::UsageRecord* record = request.add_records();
  record->set_source("collector");
  record->set_record_id(absl::StrCat(number));
  record->set_account("a");
  record->mutable_start_time()->set_seconds(1'700'000'000);
  record->mutable_end_time()->set_seconds(1'700'000'060);
  record->set_billing(1);
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Minutes(1)));
  v1::RecordUsageResponse response;
  return v1::PriorityService::NewStub(priorityd.Connect())
      ->RecordUsage(&context, request, &response);
}

// Holds a cluster's lock, as a long change does, while it lives.
class HeldCluster {
 public:
  HeldCluster(const std::string& url, const std::string& name)
      : database_({.url = url}), holder_([this, name] { Hold(name); }) {
    held_.get_future().wait();
  }
  ~HeldCluster() {
    release_.set_value();
    holder_.join();
  }

  // Whether somebody comes to wait for it within a minute.
  bool AwaitWaiter() {
    for (const absl::Time until = absl::Now() + absl::Minutes(1); absl::Now() < until;) {
      if (IsWaitedFor()) return true;
    }
    return false;
  }

 private:
  bool IsWaitedFor() {
    const auto waiting = database_.Read([](storage::Transaction& t) {
      return t.Execute("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    });
    EXPECT_TRUE(waiting.ok()) << waiting.status();
    return waiting.value_or(0) > 0;
  }
  void Hold(const std::string& name) {
    const absl::Status status = database_.Write([&](storage::Transaction& t) {
      storage::ClusterStore clusters(t);
      const absl::Status locked = clusters.Lock(clusters.Find(name).value()->id);
      held_.set_value();
      release_.get_future().wait();
      return locked;
    });
    EXPECT_TRUE(status.ok()) << status;
  }

  storage::Database database_;
  std::promise<void> held_;
  std::promise<void> release_;
  std::thread holder_;
};

TEST(AdminLoadTest, RecordingContinuesWhileChangesOfAnotherClusterWait) {
  const std::string url = storage::NewTestDatabase();
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--database_url=" + url});
  ASSERT_TRUE(priorityd.AwaitListening());
  ImportCluster(priorityd, "held");
  ImportCluster(priorityd, "free");
  std::vector<std::thread> callers;
  {
    HeldCluster held(url, "held");
    for (int i = 0; i < kWaitingCalls; ++i) {
      callers.emplace_back([&] {
        v1::ResetUsageRequest request;
        request.set_cluster("held");
        request.set_account("a");
        auto stub = v1::AdminService::NewStub(priorityd.Connect());
        grpc::Status status;
        do {  // None waits for a lock longer than ten seconds.
          grpc::ClientContext context;
          v1::ResetUsageResponse response;
          status = stub->ResetUsage(&context, request, &response);
        } while (status.error_code() == grpc::StatusCode::UNAVAILABLE);
        EXPECT_TRUE(status.ok()) << status.error_message();
      });
    }
    EXPECT_TRUE(held.AwaitWaiter());
    for (int i = 0; i < kRecords; ++i) {
      const grpc::Status status = Record(priorityd, "free", i);
      EXPECT_TRUE(status.ok()) << i << ": " << status.error_message();
      if (!status.ok()) break;
    }
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace priorityd
