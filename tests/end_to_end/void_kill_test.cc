// A server that is killed in the middle of a large void goes on with it afterwards, and voids
// nothing twice.
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/recorded_site.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kVoidedRecords = 40'000;

class VoidSite : public RecordedSite {
 public:
  using RecordedSite::RecordedSite;

  void SetUp() {
    Import("Clock=manual\nPriorityDecayHalfLife=1:0:0\n");
    Record("broken", kVoidedRecords);
    Record("right", 10);
  }

  // 0 = a new void of what the broken source sent.
  grpc::Status Void(int64_t id, v1::VoidUsageResponse* response) {
    v1::VoidUsageRequest request;
    if (id == 0) request.mutable_filter()->add_sources("broken");
    request.set_void_id(id);
    grpc::ClientContext context;
    return admin_->VoidUsage(&context, request, response);
  }

  // How many records of the broken source count.
  int64_t Counted() {
    v1::VoidUsageRequest request;
    request.mutable_filter()->add_sources("broken");
    request.set_validate_only(true);
    grpc::ClientContext context;
    v1::VoidUsageResponse response;
    EXPECT_TRUE(admin_->VoidUsage(&context, request, &response).ok());
    return response.records();
  }
};

TEST(VoidKillTest, AnInterruptedVoidContinuesAndVoidsNothingTwice) {
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    VoidSite(priorityd).SetUp();
  }
  v1::VoidUsageResponse response;
  int64_t left = kVoidedRecords;
  for (int round = 0; round < 4; ++round) {
    {
      RealPriorityd priorityd(flags);
      ASSERT_TRUE(priorityd.AwaitListening());
      std::thread caller([&] {
        v1::VoidUsageResponse ignored;
        VoidSite(priorityd).Void(round == 0 ? 0 : 1, &ignored);
      });
      // As soon as it has come further, whatever it does then.
      VoidSite site(priorityd);
      const absl::Time deadline = absl::Now() + absl::Minutes(2);
      while (site.Counted() == left && left > 0 && absl::Now() < deadline) {
      }
      priorityd.Signal(SIGKILL);
      caller.join();
      EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
    }
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    VoidSite site(priorityd);
    left = site.Counted();
    EXPECT_LT(left, kVoidedRecords) << "round " << round;
  }
  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  VoidSite site(priorityd);
  ASSERT_TRUE(site.Void(1, &response).ok());
  EXPECT_TRUE(response.done());
  EXPECT_EQ(response.records(), kVoidedRecords);
  EXPECT_EQ(response.usage(), kVoidedRecords);
  EXPECT_EQ(site.Counted(), 0);
  EXPECT_EQ(site.DifferentRows(), 0);
}

}  // namespace
}  // namespace priorityd
