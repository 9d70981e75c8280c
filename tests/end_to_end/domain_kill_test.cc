// A server that is killed while a usage domain settles its members' ledgers or publishes its
// fair-share to them: each record counts once, whenever the kill comes.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
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

constexpr int64_t kDomainEpoch = 1'767'571'200;  // 2026-01-05T00:00:00Z
constexpr int64_t kDomainNow = kDomainEpoch + 6 * 3600;
constexpr double kDomainHalfLife = 3600;
constexpr int kDomainKills = 6;
constexpr int kDomainRecords = 4000;  // Of each member before each kill: several pages.

class KilledDomain {
 public:
  explicit KilledDomain(const RealPriorityd& priorityd)
      : admin_(v1::AdminService::NewStub(priorityd.Connect())),
        priority_(v1::PriorityService::NewStub(priorityd.Connect())) {}

  void SetUp() {
    for (const char* cluster : {"site", "alpha", "beta"}) {
      ImportSite(*admin_,
                 absl::StrCat("ClusterName=", cluster,
                              "\nClock=manual\nTimeZone=UTC\nPriorityDecayHalfLife=1:0:0\n"),
                 absl::StrCat("Cluster - '", cluster,
                              "':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
                              "Account - 'b':Fairshare=1\n"));
    }
    v1::UpdateDomainRequest request;
    request.set_cluster("site");
    for (const char* member : {"alpha", "beta"}) request.add_join(member);
    grpc::ClientContext context;
    v1::ChangeResponse response;
    const grpc::Status status = admin_->UpdateDomain(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  // Those of round 1 and later replace a tenth of the records of the round before.
  void Record(const std::string& cluster, int round) {
    v1::RecordUsageRequest usage;
    usage.set_cluster(cluster);
    for (int i = 0; i < kDomainRecords; ++i) {
      v1::UsageRecord* record = usage.add_records();
      record->set_source("s");
      record->set_record_id(absl::StrCat(round, "-", i));
      record->set_account("a");
      record->mutable_start_time()->set_seconds(Start(round, i));
      record->mutable_end_time()->set_seconds(Start(round, i) + 10);
      record->set_billing(1);
      if (IsCorrection(round, i)) {
        record->set_replaces_record_id(absl::StrCat(round - 1, "-", i + 1));
      }
    }
    v1::RecordUsageResponse recorded;
    grpc::ClientContext context;
    const grpc::Status status = priority_->RecordUsage(&context, usage, &recorded);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(recorded.accepted(), kDomainRecords);
  }

  // Of the domain, then of the members, until one fails.
  bool RecalculateAll() {
    for (const char* cluster : {"site", "alpha", "beta"}) {
      v1::RecalculateRequest request;
      request.set_cluster(cluster);
      request.mutable_as_of()->set_seconds(kDomainNow);
      grpc::ClientContext context;
      v1::Snapshot snapshot;
      if (!admin_->Recalculate(&context, request, &snapshot).ok()) return false;
    }
    return true;
  }

  v1::AssociationShare ShareOf(const std::string& cluster) {
    v1::ListSharesRequest request;
    request.set_cluster(cluster);
    grpc::ClientContext context;
    v1::ListSharesResponse response;
    EXPECT_TRUE(priority_->ListShares(&context, request, &response).ok());
    for (const v1::AssociationShare& share : response.shares()) {
      if (share.account() == "a" && share.user().empty()) return share;
    }
    ADD_FAILURE() << "no account a in " << cluster;
    return {};
  }

  std::vector<v1::DomainMember> Members() {
    grpc::ClientContext context;
    v1::ListDomainsResponse response;
    EXPECT_TRUE(admin_->ListDomains(&context, v1::ListDomainsRequest(), &response).ok());
    return {response.members().begin(), response.members().end()};
  }

  // By the definition, of the records of both members in the rounds up to this one.
  static double NaiveUsage(int last_round) {
    double usage = 0;
    for (int round = 0; round <= last_round; ++round) {
      for (int i = 0; i < kDomainRecords; ++i) {
        if (round < last_round && i > 0 && IsCorrection(round + 1, i - 1)) continue;
        usage += 2 * (Decayed(Start(round, i) + 10) - Decayed(Start(round, i)));
      }
    }
    return usage;
  }

 private:
  static int64_t Start(int round, int i) { return kDomainEpoch + 1000 * round + i; }
  static bool IsCorrection(int round, int i) { return round > 0 && i % 10 == 0; }
  // What a billing-second a second up to this time is worth at kDomainNow.
  static double Decayed(int64_t end) {
    const auto age = static_cast<double>(kDomainNow - end);
    return kDomainHalfLife / std::log(2.0) * std::exp2(-age / kDomainHalfLife);
  }

  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::unique_ptr<v1::PriorityService::Stub> priority_;
};

TEST(DomainKillTest, EachRecordCountsOnceInTheDomainWheneverTheServerIsKilled) {
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  std::mt19937 random(7);
  for (int round = 0; round < kDomainKills; ++round) {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    KilledDomain domain(priorityd);
    if (round == 0) domain.SetUp();
    for (const char* member : {"alpha", "beta"}) domain.Record(member, round);
    std::thread caller([&] { KilledDomain(priorityd).RecalculateAll(); });
    // Early ones are in the middle of a page; late ones reach the members.
    const absl::Time moment = absl::Now() + absl::Milliseconds(random() % (100 * (round + 1)));
    while (absl::Now() < moment) {
    }
    priorityd.Signal(SIGKILL);
    caller.join();
    EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
  }
  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  KilledDomain domain(priorityd);
  ASSERT_TRUE(domain.RecalculateAll());
  const v1::AssociationShare share = domain.ShareOf("site");
  const double want = KilledDomain::NaiveUsage(kDomainKills - 1);
  EXPECT_NEAR(share.raw_usage(), want, 1e-9 * want);
  for (const v1::DomainMember& member : domain.Members()) {
    EXPECT_EQ(member.counted_records(), kDomainKills * kDomainRecords) << member.cluster();
    EXPECT_EQ(member.refused_records(), 0) << member.refused_why();
    EXPECT_EQ(domain.ShareOf(member.cluster()).fair_share(), share.fair_share());
  }
}

}  // namespace
}  // namespace priorityd
