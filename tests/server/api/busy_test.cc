// More calls than the service has threads and room for.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

grpc::Status UpdateCluster(TestService& service) {
  v1::UpdateClusterRequest request;
  request.mutable_cluster()->set_name("c");
  request.set_allow_missing(true);
  v1::Cluster cluster;
  return CallUnary(service, request, &cluster);
}

// The threads of the administrators, blocked until they are let go.
class HeldThreads {
 public:
  explicit HeldThreads(WorkerPool& pool) {
    for (int i = 0; i < kOperatingThreads; ++i) {
      pool.Schedule(absl::StrCat("busy", i), [this] {
        begun_.count_down();
        go_on_.wait();
      });
    }
    begun_.wait();
  }
  void LetGo() { go_on_.count_down(); }

 private:
  std::latch begun_{kOperatingThreads}, go_on_{1};
};

// A request of about 600 KB, 75 times which is what it takes in memory.
grpc::Status ApplyLongPolicy(TestService& service) {
  v1::ApplyPolicyRequest request;
  request.set_text("PriorityType=priority/multifactor\n#" + std::string(600'000, 'x'));
  grpc::Status status;
  ApplyPolicy(service, request, &status);
  return status;
}

// Two calls of which one finds room; answers in the order of their coming.
class TwoCalls {
 public:
  explicit TwoCalls(TestService& service) {
    for (std::thread& call : calls_) {
      call = std::thread([this, &service] {
        const grpc::Status status = ApplyLongPolicy(service);
        absl::MutexLock lock(&mutex_);
        answers_.push_back(status);
      });
    }
  }
  ~TwoCalls() {
    for (std::thread& call : calls_) call.join();
  }
  grpc::Status Next() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &TwoCalls::HasAnswer));
    const grpc::Status next = answers_.front();
    answers_.erase(answers_.begin());
    return next;
  }

 private:
  bool HasAnswer() const { return !answers_.empty(); }

  absl::Mutex mutex_;
  std::vector<grpc::Status> answers_;
  std::thread calls_[2];
};

TEST(BusyTest, RequestsThatWaitTakeNoMoreMemoryThanTheBudget) {
  TestService service({.memory_budget = 80 << 20});
  Import(service, SmallSite());
  HeldThreads held(service.operating());
  TwoCalls calls(service);
  const grpc::Status refused = calls.Next();
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).reason, "MEMORY_BUDGET");
  EXPECT_TRUE(DetailsOf(refused).has_retry_info);
  EXPECT_TRUE(RecordUsage(service, {}).results().empty());
  held.LetGo();
  const grpc::Status waited = calls.Next();
  EXPECT_TRUE(waited.ok()) << waited.error_message();
}

TEST(BusyTest, ARebuildTooManyIsRefusedWithADelayAtOnce) {
  TestService service({.max_queued_calls = 0});
  grpc::ClientContext context;
  const auto stream = AdminStub(service).RebuildUsage(&context, {});
  v1::RebuildUsageResponse progress;
  EXPECT_FALSE(stream->Read(&progress));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).reason, "SERVER_BUSY");
}

TEST(BusyTest, ACallTooManyIsRefusedWithADelayAtOnce) {
  TestService service({.max_queued_calls = 1});
  HeldThreads held(service.operating());
  std::latch waited(1);
  service.operating().Schedule("waits", [&] { waited.count_down(); });
  const grpc::Status status = UpdateCluster(service);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(status).reason, "SERVER_BUSY");
  EXPECT_TRUE(DetailsOf(status).has_retry_info);
  held.LetGo();
  waited.wait();
  EXPECT_TRUE(UpdateCluster(service).ok());
}

}  // namespace
}  // namespace priorityd::rpc
