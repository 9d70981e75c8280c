// SIGTERM while a call is at work.
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/server/service/health.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr char kWaiting[] =
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

// Blocks every change of cluster `c` until it is let go.
class ClusterHeldUntilLetGo {
 public:
  explicit ClusterHeldUntilLetGo(storage::Database* database)
      : holder_([this, database] {
          const absl::Status status = database->Write([this](storage::Transaction& transaction) {
            storage::ClusterStore store(transaction);
            absl::Status locked = store.Lock((*store.Find("c"))->id);
            held_.set_value();
            let_go_.get_future().wait();
            return locked;
          });
          EXPECT_TRUE(status.ok()) << status;
        }) {
    held_.get_future().wait();
  }
  ~ClusterHeldUntilLetGo() { holder_.join(); }
  void LetGo() { let_go_.set_value(); }

 private:
  std::promise<void> held_;
  std::promise<void> let_go_;
  std::thread holder_;
};

class DrainTest : public testing::Test {
 protected:
  DrainTest()
      : url_(storage::NewTestDatabase()),
        database_({.url = url_}),
        priorityd_({"--listen=127.0.0.1:0", "--database_url=" + url_, "--drain_seconds=600"}) {
    EXPECT_TRUE(priorityd_.AwaitListening());
    admin_ = v1::AdminService::NewStub(priorityd_.Connect());
    EXPECT_TRUE(SetNodes(1).ok());
    // So that no recalculation of its own comes in between.
    grpc::ClientContext context;
    v1::Snapshot snapshot;
    EXPECT_TRUE(admin_->Recalculate(&context, {}, &snapshot).ok());
  }

  grpc::Status SetNodes(int64_t nodes) {
    grpc::ClientContext context;
    v1::UpdateClusterRequest request;
    request.mutable_cluster()->set_name("c");
    request.mutable_cluster()->set_nodes(nodes);
    request.set_allow_missing(true);
    v1::Cluster cluster;
    return admin_->UpdateCluster(&context, request, &cluster);
  }

  void AwaitACallThatWaits() {
    int64_t waiting = 0;
    const absl::Time until = absl::Now() + absl::Minutes(1);
    while (waiting == 0 && absl::Now() < until) {
      const absl::Status status = database_.Read([&](storage::Transaction& transaction) {
        auto count = transaction.QueryOne(storage::OnlyColumn<int64_t>, kWaiting);
        if (count.ok()) waiting = *count;
        return count.status();
      });
      ASSERT_TRUE(status.ok()) << status;
    }
    EXPECT_GE(waiting, 1);
  }

  std::string url_;
  storage::Database database_;
  RealPriorityd priorityd_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
};

TEST_F(DrainTest, ACallInProgressIsFinishedAfterSigtermWhileHealthIsNotServing) {
  HealthWatch health(priorityd_.Connect());
  EXPECT_EQ(health.Next(), kServing);
  ClusterHeldUntilLetGo held(&database_);
  auto status = std::async(std::launch::async, [&] { return SetNodes(7); });
  AwaitACallThatWaits();
  priorityd_.Signal(SIGTERM);
  EXPECT_EQ(health.Next(), kNotServing);
  EXPECT_EQ(status.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  held.LetGo();
  EXPECT_TRUE(status.get().ok());
}

TEST_F(DrainTest, WhoWatchesHealthDoesNotHoldUpTheStop) {
  HealthWatch health(priorityd_.Connect());
  EXPECT_EQ(health.Next(), kServing);
  priorityd_.Signal(SIGTERM);
  EXPECT_EQ(health.Next(), kNotServing);
  // Which does not wait for --drain_seconds.
  EXPECT_EQ(priorityd_.Wait(), 0);
}

}  // namespace
}  // namespace priorityd
