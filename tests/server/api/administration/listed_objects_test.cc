// The objects by which a list of leases is filtered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "priority/v1/lease.pb.h"
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The clock is manual.
class ListedObjectsTest : public AdministeredSite {
 protected:
  ListedObjectsTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\n");
    RecalculateAt(TestEpoch());
  }
};

TEST_F(ListedObjectsTest, AListOfAnObjectNamesOneThatIsNotUnderstoodOrDoesNotExist) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000", "until=now+2hours"});
  const auto list = [&](const char* object, grpc::Status* status) {
    v1::ListLeasesRequest request;
    request.add_objects(object);
    return Called<v1::ListLeasesResponse>(request, status);
  };
  grpc::Status status;
  list("bogus", &status);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("objects[0]: got \"bogus\", want \"account NAME"));
  for (const char* object : {"account never", "user never", "user amy account never", "qos never",
                             "partition never", "job 7"}) {
    list(object, &status);
    EXPECT_EQ(status.error_code(), grpc::NOT_FOUND) << object;
    EXPECT_THAT(status.error_message(), HasSubstr(object));
  }
  EXPECT_THAT(list("account a", nullptr).leases(), SizeIs(1));
  for (const char* object : {"account b", "user amy", "user amy account a", "qos double"}) {
    EXPECT_THAT(list(object, nullptr).leases(), IsEmpty()) << object;
  }
  Remove(Where({"a"}, {}));
  EXPECT_THAT(list("account a", nullptr).leases(), IsEmpty()) << "its lease is kept";
}

}  // namespace
}  // namespace priorityd::rpc
