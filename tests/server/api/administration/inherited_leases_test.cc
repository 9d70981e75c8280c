// Leases of lists that associations inherit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::SizeIs;

// The clock is manual: it begins at TestEpoch, in UTC.
class InheritedLeasesTest : public AdministeredSite {
 protected:
  InheritedLeasesTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\n");
    RecalculateAt(TestEpoch());
  }
};

TEST_F(InheritedLeasesTest, AListOfQosIsShownWithTheLeaseOfTheAccountAbove) {
  AddAccount("below", "a");
  Modify(Where({"a"}, {""}), {"QOS=normal"});
  Modify(Where({"a"}, {""}), {"QOS=double", "until=now+4hours"});
  Modify(Where({"below"}, {""}), {"QOS+=normal", "until=now+6hours"});
  const v1::Association row = One("below");
  ASSERT_THAT(row.leased(), SizeIs(1));
  EXPECT_EQ(row.leased(0).value(), "double,normal");
  EXPECT_EQ(row.leased(0).then(), "normal");
  EXPECT_EQ(row.leased(0).until().seconds(), absl::ToUnixSeconds(TestEpoch() + absl::Hours(4)));
}

}  // namespace
}  // namespace priorityd::rpc
