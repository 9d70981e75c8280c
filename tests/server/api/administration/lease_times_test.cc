// Times of leases around changes of daylight saving time.
#include <gtest/gtest.h>

#include <string>

#include "priority/v1/lease.pb.h"
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

class LeaseTimesTest : public AdministeredSite {
 protected:
  LeaseTimesTest() { Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=Europe/Berlin\n"); }

  // The end of a new lease, in UTC.
  std::string EndOf(const std::string& until) {
    Modify(Where({"a"}, {""}), {"Fairshare=5", "until=" + until});
    const auto leases = Called<v1::ListLeasesResponse>(v1::ListLeasesRequest(), nullptr);
    if (leases.leases().empty()) return "";
    const absl::Time end = absl::FromUnixSeconds(leases.leases(0).end_time().seconds());
    return absl::FormatTime("%Y-%m-%dT%H:%M", end, absl::UTCTimeZone());
  }
};

// Berlin is 2 hours ahead of UTC until 2026-10-25T01:00Z, then 1 hour until 2027-03-28T01:00Z.
TEST_F(LeaseTimesTest, AnHourThatIsMissingIsOneLaterAndOfOneThatComesTwiceTheFirstIsMeant) {
  absl::Time noon;
  ASSERT_TRUE(absl::ParseTime(absl::RFC3339_sec, "2026-10-24T12:00:00Z", &noon, nullptr));
  RecalculateAt(noon);
  EXPECT_EQ(EndOf("2026-10-25T02:30:00"), "2026-10-25T00:30");
  EXPECT_EQ(EndOf("2026-10-25T03:30:00"), "2026-10-25T02:30");
  EXPECT_EQ(EndOf("2027-03-28T02:30:00"), "2027-03-28T01:30") << "03:30 in Berlin";
  EXPECT_EQ(EndOf("now+1day"), "2026-10-25T12:00") << "24 hours: 13:00 in Berlin";
}

}  // namespace
}  // namespace priorityd::rpc
