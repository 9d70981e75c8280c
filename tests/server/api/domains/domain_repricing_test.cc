// Settled records that get the prices of a member that joins again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/service/domain_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class DomainRepricingTest : public DomainSite {
 protected:
  void Reprice(double price) { Join({"alpha"}, {{"billing", price}}, nullptr, /*reprice=*/true); }
  void Correct(const std::string& id, const std::string& target, double cpus) {
    v1::UsageRecord correction = Usage(id, Hour(0), absl::Hours(1), cpus);
    correction.set_replaces_record_id(target);
    Record("alpha", correction);
  }
  // That the domain has so many CPUs of amy in the first hour.
  void ExpectAmy(double cpus) {
    RecalculateAt("site", Hour(1));
    const double want = Naive({{Hour(0), Hour(1), cpus}}, Hour(1));
    EXPECT_NEAR(UsageIn("site", "a", "amy"), want, 1e-9 * want + 1e-6);
  }
  std::string RecordsOfDomain() {
    return Text(
        "SELECT count(*)::text FROM priorityd.usage_record u JOIN priorityd.cluster c "
        "ON c.id = u.cluster_id WHERE c.name = 'site'");
  }
};

TEST_F(DomainRepricingTest, SettledRecordsGetTheNewPricesOnce) {
  Join({"alpha"}, {{"billing", 2}});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  Record("beta", Usage("1", Hour(0), absl::Hours(1), 1));
  Join({"beta"});
  ExpectAmy(3 * 2 + 1);
  Join({"alpha"}, {{"billing", 5}});
  ExpectAmy(3 * 2 + 1);
  Reprice(5);
  ExpectAmy(3 * 5 + 1);
  EXPECT_EQ(MemberOf("alpha").repriced_records(), 1);
  EXPECT_EQ(MemberOf("alpha").counted_records(), 0);
  const std::string records = RecordsOfDomain();
  RecalculateAt("site", Hour(1));
  Reprice(5);  // Nothing has another price.
  ExpectAmy(3 * 5 + 1);
  EXPECT_EQ(MemberOf("alpha").repriced_records(), 0);
  EXPECT_EQ(RecordsOfDomain(), records);
  Reprice(0);
  ExpectAmy(1);
  Reprice(7);
  ExpectAmy(3 * 7 + 1);
}

TEST_F(DomainRepricingTest, ACorrectionReplacesTheNewestPrice) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  ExpectAmy(3);
  Reprice(2);
  ExpectAmy(6);
  Reprice(4);
  ExpectAmy(12);
  Correct("1a", "1", 9);
  ExpectAmy(36);
  // Settled with the record that it corrects, on one page.
  Reprice(0.5);
  Correct("1b", "1a", 10);
  ExpectAmy(5);
  EXPECT_EQ(MemberOf("alpha").refused_records(), 0);
}

TEST_F(DomainRepricingTest, ARecordThatWasVoidedInTheMemberOrInTheDomainStaysOut) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  ExpectAmy(3);
  v1::VoidUsageRequest request;
  request.set_cluster("site");
  request.mutable_filter()->add_users("amy");
  request.set_comment("wrong");
  Asked<v1::VoidUsageResponse>(&v1::AdminService::Stub::VoidUsage, request, nullptr);
  Reprice(2);
  ExpectAmy(0);
  Record("alpha", Usage("2", Hour(0), absl::Hours(1), 5));
  ExpectAmy(10);
  request.set_cluster("alpha");
  Asked<v1::VoidUsageResponse>(&v1::AdminService::Stub::VoidUsage, request, nullptr);
  Reprice(3);
  ExpectAmy(0);
}

TEST_F(DomainRepricingTest, RecordsOfAFormerMembershipAreRepricedToo) {
  Join({"alpha"});
  Record("alpha", Usage("1", Hour(0), absl::Hours(1), 3));
  ExpectAmy(3);
  Leave("alpha");
  Reprice(2);
  ExpectAmy(6);
}

TEST_F(DomainRepricingTest, ItsRecordIdsAreReserved) {
  v1::RecordUsageRequest request;
  request.set_cluster("alpha");
  *request.add_records() = Usage("usage-reprice:1:1", Hour(0), absl::Hours(1), 1);
  const v1::RecordUsageResponse response = RecordUsage(service_, request);
  EXPECT_EQ(response.accepted(), 0);
  EXPECT_THAT(response.ShortDebugString(), HasSubstr("begins with usage-reprice:"));
}

}  // namespace
}  // namespace priorityd::rpc
