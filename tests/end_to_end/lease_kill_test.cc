// A server that is killed a hundred times in the middle of recalculations that begin and end
// leases, while the clocks of its host and of its database are stepped: every snapshot has the
// leases of its time, none is older than a period, and each begin and end is audited once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
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
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kKills = 100;
constexpr int kLeases = 90;
constexpr absl::Duration kBetweenBegins = absl::Seconds(45);
constexpr absl::Duration kLeaseLength = absl::Seconds(90);
constexpr absl::Duration kLeasePeriod = absl::Minutes(1);
constexpr char kLeasePolicy[] = "ClusterName=c\nPriorityCalcPeriod=1\nTimeZone=UTC\n";

// The clock of the processes that are started with its environment.
class ClockOfProcesses {
 public:
  ClockOfProcesses() { Step(absl::ZeroDuration()); }

  std::vector<std::string> Environment() const {
    const std::string folder = std::filesystem::current_path().string();
    // With --config=asan the library, and by it PostgreSQL, loads ASan's runtime late.
    return {"LD_PRELOAD=" + folder + "/tests/libstepped_clock.so", "STEPPED_CLOCK=" + file_,
            "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"};
  }
  absl::Time Now() const { return absl::Now() + ahead_; }
  void Step(absl::Duration step) {
    ahead_ += step;
    const int64_t nanoseconds = absl::ToInt64Nanoseconds(ahead_);
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    if (!file) file.open(file_, std::ios::out | std::ios::binary);
    file.write(reinterpret_cast<const char*>(&nanoseconds), sizeof(nanoseconds));
  }

 private:
  const std::string file_ = storage::NewTestDirectory() + "/clock";
  absl::Duration ahead_;
};

// Account a has 1 share, and those of lease i, 101 + i, from its begin up to its end.
struct LeaseCalendar {
  absl::Time start;

  absl::Time Begin(int lease) const { return start + (lease + 1) * kBetweenBegins; }
  absl::Time End(int lease) const { return Begin(lease) + kLeaseLength; }
  // The last lease that has begun and has not ended.
  uint32_t SharesAt(absl::Time time) const {
    uint32_t shares = 1;
    for (int i = 0; i < kLeases; ++i) {
      if (Begin(i) <= time && time < End(i)) shares = static_cast<uint32_t>(101 + i);
    }
    return shares;
  }
};

class LeaseSite {
 public:
  explicit LeaseSite(const RealPriorityd& priorityd)
      : admin_(v1::AdminService::NewStub(priorityd.Connect())),
        priority_(v1::PriorityService::NewStub(priorityd.Connect())) {}

  void SetUp(const LeaseCalendar& calendar) {
    ImportSite(*admin_, kLeasePolicy,
               "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n");
    for (int i = 0; i < kLeases; ++i) Lease(calendar, i);
  }

  grpc::Status Recalculate() {
    grpc::ClientContext context;
    v1::Snapshot snapshot;
    return admin_->Recalculate(&context, v1::RecalculateRequest(), &snapshot);
  }

  // Of the snapshot that is served, after its shares were compared with the calendar's.
  absl::Time CheckSnapshot(const LeaseCalendar& calendar) {
    grpc::ClientContext context;
    v1::ListSharesResponse response;
    EXPECT_TRUE(priority_->ListShares(&context, v1::ListSharesRequest(), &response).ok());
    const auto& computed_at = response.snapshot().computed_at();
    const absl::Time time =
        absl::FromUnixSeconds(computed_at.seconds()) + absl::Nanoseconds(computed_at.nanos());
    for (const v1::AssociationShare& share : response.shares()) {
      if (share.account() != "a" || !share.user().empty()) continue;
      EXPECT_EQ(share.raw_shares(), calendar.SharesAt(time)) << time;
    }
    return time;
  }

  // Waits for a snapshot that is not older than a period.
  void AwaitPeriod(const LeaseCalendar& calendar, const ClockOfProcesses& clock) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (CheckSnapshot(calendar) < clock.Now() - kLeasePeriod) {
      ASSERT_LT(absl::Now(), deadline) << "leases are later than a period";
      absl::SleepFor(absl::Milliseconds(5));
    }
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
  void Lease(const LeaseCalendar& calendar, int lease) {
    v1::UpdateAssociationsRequest request;
    request.mutable_where()->add_accounts("a");
    request.mutable_where()->add_users("");
    v1::Setting* setting = request.add_settings();
    setting->set_name("Fairshare");
    setting->set_value(absl::StrCat(101 + lease));
    v1::ChangeOptions& options = *request.mutable_options();
    options.mutable_from()->set_seconds(absl::ToUnixSeconds(calendar.Begin(lease)));
    options.mutable_until()->set_seconds(absl::ToUnixSeconds(calendar.End(lease)));
    grpc::ClientContext context;
    v1::ChangeResponse response;
    const grpc::Status status = admin_->UpdateAssociations(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
};

TEST(LeaseKillTest, EverySnapshotHasTheLeasesOfItsTimeAndEachPassageIsAuditedOnce) {
  ClockOfProcesses clock;
  storage::PostgresServer postgres(storage::NewTestDirectory(), clock.Environment());
  postgres.Run("createdb", {"-h", "127.0.0.1", "-p", absl::StrCat(postgres.port()), "-U",
                            "priorityd", "priorityd"});
  std::vector<std::string> command = clock.Environment();
  command.push_back("server/priorityd");
  command.push_back("--listen=127.0.0.1:0");
  command.push_back("--database_url=" + postgres.Url("priorityd"));
  const auto start = [&] { return std::make_unique<RealPriorityd>(command, "/usr/bin/env"); };
  // All leases are there before the first begins.
  const absl::Time start_of_leases = clock.Now() + absl::Minutes(5);
  const LeaseCalendar calendar{absl::FromUnixSeconds(absl::ToUnixSeconds(start_of_leases))};
  {
    const auto priorityd = start();
    ASSERT_TRUE(priorityd->AwaitListening());
    LeaseSite(*priorityd).SetUp(calendar);
  }
  std::mt19937 random(26);
  const auto pick = [&](int below) { return static_cast<int>(random() % below); };
  for (int kill = 0; kill < kKills && !testing::Test::HasFailure(); ++kill) {
    SCOPED_TRACE(kill);
    const auto step = [&] { clock.Step(absl::Seconds(pick(8) == 0 ? -pick(20) : pick(110))); };
    step();
    const auto priorityd = start();
    ASSERT_TRUE(priorityd->AwaitListening());
    LeaseSite site(*priorityd);
    site.CheckSnapshot(calendar);
    if (kill % 20 == 0) step();
    if (kill % 4 == 0) site.AwaitPeriod(calendar, clock);
    std::thread caller([&] { LeaseSite(*priorityd).Recalculate(); });
    const absl::Time moment = absl::Now() + absl::Microseconds(pick(15'000));
    while (absl::Now() < moment) {
    }
    priorityd->Signal(SIGKILL);
    caller.join();
    EXPECT_EQ(priorityd->Wait(), 128 + SIGKILL);
  }
  if (clock.Now() < calendar.End(kLeases)) clock.Step(calendar.End(kLeases) - clock.Now());
  const auto priorityd = start();
  ASSERT_TRUE(priorityd->AwaitListening());
  LeaseSite site(*priorityd);
  site.AwaitPeriod(calendar, clock);
  ASSERT_TRUE(site.Recalculate().ok());
  const std::map<std::string, int> events = site.Events();
  EXPECT_EQ(events.size(), 2u * kLeases);
  for (const auto& [event, count] : events) EXPECT_EQ(count, 1) << event;
}

}  // namespace
}  // namespace priorityd
