// A server that is killed in the middle of recalculations that begin and end leases: every snapshot
// has the leases of its time, and each begin and end is audited once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
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
#include "tests/end_to_end/import_site.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int64_t kLeaseEpoch = 1'767'571'200;  // 2026-01-05T00:00:00Z
constexpr int kHours = 12;
constexpr char kLeasePolicy[] = "ClusterName=c\nClock=manual\nTimeZone=UTC\n";

class LeaseSite {
 public:
  explicit LeaseSite(const RealPriorityd& priorityd)
      : admin_(v1::AdminService::NewStub(priorityd.Connect())),
        priority_(v1::PriorityService::NewStub(priorityd.Connect())) {}

  // Account a has 1 share, and from hour i up to hour i + 2 those of lease i: 100 + i.
  void SetUp() {
    ImportSite(*admin_, kLeasePolicy,
               "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n");
    ASSERT_TRUE(Recalculate(0).ok());
    for (int hour = 1; hour + 2 < kHours; ++hour) Lease(hour);
  }

  grpc::Status Recalculate(int hour) {
    v1::RecalculateRequest request;
    request.mutable_as_of()->set_seconds(kLeaseEpoch + hour * 3600);
    grpc::ClientContext context;
    v1::Snapshot snapshot;
    return admin_->Recalculate(&context, request, &snapshot);
  }

  uint32_t Shares() {
    grpc::ClientContext context;
    v1::ListSharesResponse response;
    EXPECT_TRUE(priority_->ListShares(&context, v1::ListSharesRequest(), &response).ok());
    for (const v1::AssociationShare& share : response.shares()) {
      if (share.account() == "a" && share.user().empty()) return share.raw_shares();
    }
    return 0;
  }

  // How often each begin and each end of a lease was audited, by action and lease.
  std::map<std::string, int> Events() {
    v1::ListAuditEventsRequest request;
    request.add_actions("LeaseBegin");
    request.add_actions("LeaseEnd");
    request.set_page_size(1000);
    grpc::ClientContext context;
    v1::ListAuditEventsResponse response;
    EXPECT_TRUE(admin_->ListAuditEvents(&context, request, &response).ok());
    std::map<std::string, int> counts;
    for (const v1::AuditEvent& event : response.events()) {
      ++counts[absl::StrCat(event.action(), " ", event.comment())];
    }
    return counts;
  }

 private:
  void Lease(int hour) {
    v1::UpdateAssociationsRequest request;
    request.mutable_where()->add_accounts("a");
    request.mutable_where()->add_users("");
    v1::Setting* setting = request.add_settings();
    setting->set_name("Fairshare");
    setting->set_value(absl::StrCat(100 + hour));
    request.mutable_options()->mutable_from()->set_seconds(kLeaseEpoch + hour * 3600);
    request.mutable_options()->mutable_until()->set_seconds(kLeaseEpoch + (hour + 2) * 3600);
    grpc::ClientContext context;
    v1::ChangeResponse response;
    const grpc::Status status = admin_->UpdateAssociations(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
};

// The last lease that has begun and has not ended.
uint32_t ExpectedShares(int hour) {
  uint32_t shares = 1;
  for (int begin = 1; begin + 2 < kHours; ++begin) {
    if (begin <= hour && hour < begin + 2) shares = static_cast<uint32_t>(100 + begin);
  }
  return shares;
}

TEST(LeaseKillTest, EverySnapshotHasTheLeasesOfItsTimeAndEachPassageIsAuditedOnce) {
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    LeaseSite(priorityd).SetUp();
  }
  std::mt19937 random(26);
  for (int hour = 1; hour <= kHours; ++hour) {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    LeaseSite site(priorityd);
    EXPECT_EQ(site.Shares(), ExpectedShares(hour - 1)) << "hour " << hour;
    std::thread caller([&] { LeaseSite(priorityd).Recalculate(hour); });
    const absl::Time moment = absl::Now() + absl::Milliseconds(random() % 15);
    while (absl::Now() < moment) {
    }
    priorityd.Signal(SIGKILL);
    caller.join();
    EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
    RealPriorityd next(flags);
    ASSERT_TRUE(next.AwaitListening());
    LeaseSite after(next);
    const grpc::Status done = after.Recalculate(hour);
    ASSERT_TRUE(done.ok()) << done.error_message();
    EXPECT_EQ(after.Shares(), ExpectedShares(hour)) << "hour " << hour;
  }
  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  const std::map<std::string, int> events = LeaseSite(priorityd).Events();
  EXPECT_EQ(events.size(), 2u * (kHours - 3));
  for (const auto& [event, count] : events) EXPECT_EQ(count, 1) << event;
}

}  // namespace
}  // namespace priorityd
