// What holds for users in all of a cluster, listed and changed over gRPC.
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

class AdministerUsersTest : public AdministeredSite {
 protected:
  grpc::Status status_;
};

TEST_F(AdministerUsersTest, UsersHaveLevelsDefaultsAndAccountsThatTheyCoordinate) {
  AddUser("amy", {"b"}, {"AdminLevel=oper", "Coordinators=b"});
  EXPECT_EQ(UserText("amy"), "a/Operator/b ");
  ModifyUser("amy", {"coord+=a", "admin=none", "defaultaccount=b"});
  EXPECT_EQ(UserText("amy"), "b/None/b a ");
  ModifyUser("amy", {"Coordinators-=b"});
  EXPECT_EQ(UserText("amy"), "b/None/a ");
  ModifyUser("ben", {"DefaultAccount=b"}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  ModifyUser("ben", {"Coordinators=zzz"}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  ModifyUser("ben", {"AdminLevel=king"}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  ModifyUser("zoe", {"AdminLevel=None"}, &status_);
  EXPECT_EQ(status_.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_USER");
  // Ben is there, and coordinates nothing.
  v1::UpdateUsersRequest coordinators;
  coordinators.mutable_where()->add_names("ben");
  coordinators.mutable_where()->add_coordinated_accounts("a");
  AddSettings({"Coordinators-=a"}, &coordinators);
  Changed(coordinators, &status_);
  EXPECT_EQ(status_.error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(status_.error_message(),
            "where: got a filter that matches no user, want users of the cluster");
  v1::ListUsersRequest levels;
  ModifyUser("ben", {"AdminLevel=Administrator"});
  levels.mutable_where()->add_admin_levels("admin");
  ASSERT_EQ(Users(levels).users_size(), 1);
  EXPECT_EQ(Users(levels).users(0).name(), "ben");
  levels.mutable_where()->set_admin_levels(0, "none");
  EXPECT_EQ(Users(levels).users_size(), 2);  // Amy and cat.
  levels.mutable_where()->set_admin_levels(0, "king");
  Users(levels, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "where.admin_levels[0]");
  v1::ListUsersRequest request;
  request.mutable_where()->add_coordinated_accounts("a");
  EXPECT_EQ(Users(request).users_size(), 1);
  request.Clear();
  request.mutable_where()->add_accounts("a");
  EXPECT_EQ(Users(request).users_size(), 2);
  request.set_page_size(1);
  EXPECT_EQ(Users(request).users(0).name(), "amy");
  request.set_page_token(Users(request).next_page_token());
  EXPECT_EQ(Users(request).users(0).name(), "ben");
  EXPECT_EQ(Users(request).next_page_token(), "");
}

}  // namespace
}  // namespace priorityd::rpc
