// Who may lease what, and how much.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "priority/v1/lease.pb.h"
#include "storage/database/database.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

// amy and ben are in a, which coo coordinates; cat is in b.
TEST(LeaseRightsTest, ACoordinatorLeasesAndEndsWhatTheyMayChange) {
  PrivateSite site("");
  const auto modify = [&](const std::string& who, const v1::AssociationFilter& where) {
    v1::UpdateAssociationsRequest request;
    *request.mutable_where() = where;
    AddSettings({"Fairshare=7", "until=now+1day"}, &request);
    return site.StatusOf<v1::ChangeResponse>(who, "AdminService/UpdateAssociations", request)
        .error_code();
  };
  EXPECT_EQ(modify("coo", Where({"a"}, {"amy"})), grpc::OK);
  EXPECT_EQ(modify("coo", Where({"b"}, {"cat"})), grpc::PERMISSION_DENIED);
  EXPECT_EQ(modify("amy", Where({"a"}, {"amy"})), grpc::PERMISSION_DENIED);
  EXPECT_EQ(modify("root", Where({"b"}, {"cat"})), grpc::OK);
  ASSERT_EQ(site.LeasesOf("root").leases_size(), 2);
  ASSERT_EQ(site.LeasesOf("coo").leases_size(), 1);
  EXPECT_EQ(site.LeasesOf("coo").leases(0).object(), "user amy account a");
  EXPECT_EQ(site.LeasesOf("amy").leases_size(), 0);
  EXPECT_EQ(site.EndLease("coo", site.LeasesOf("root").leases(0).id()).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_EQ(site.EndLease("amy", site.LeasesOf("root").leases(1).id()).error_code(),
            grpc::PERMISSION_DENIED);
  EXPECT_EQ(site.EndLease("coo", site.LeasesOf("root").leases(1).id()).error_code(), grpc::OK);
  EXPECT_EQ(site.LeasesOf("coo").leases_size(), 0);
}

TEST(LeaseRightsTest, ARefusedEndDoesNotSayWhetherTheLeaseExists) {
  PrivateSite site("");
  v1::UpdateAssociationsRequest request;
  *request.mutable_where() = Where({"b"}, {"cat"});
  AddSettings({"Fairshare=7", "until=now+1day"}, &request);
  grpc::Status status;
  site.Call<v1::ChangeResponse>("root", "AdminService/UpdateAssociations", request, &status);
  ASSERT_EQ(status.error_code(), grpc::OK) << status.error_message();
  const int64_t id = site.LeasesOf("root").leases(0).id();
  for (const char* who : {"coo", "amy"}) {
    const grpc::Status present = site.EndLease(who, id);
    const grpc::Status absent = site.EndLease(who, id + 999);
    EXPECT_EQ(present.error_code(), grpc::PERMISSION_DENIED) << who;
    EXPECT_EQ(absent.error_code(), grpc::PERMISSION_DENIED) << who;
    EXPECT_EQ(present.error_message(), absent.error_message()) << who;
    EXPECT_EQ(present.error_details(), absent.error_details()) << who;
  }
  EXPECT_EQ(site.EndLease("root", id + 999).error_code(), grpc::NOT_FOUND);
}

void Lease(PrivateSite& site, const std::string& account, const std::string& user) {
  v1::UpdateAssociationsRequest request;
  *request.mutable_where() = Where({account}, {user});
  AddSettings({"Fairshare=7", "until=now+1day"}, &request);
  site.Call<v1::ChangeResponse>("root", "AdminService/UpdateAssociations", request);
}

TEST(LeaseRightsTest, AListOfLeasesDoesNotShowThatThereAreOthers) {
  PrivateSite site("");
  for (const char* user : {"amy", "ben"}) Lease(site, "a", user);
  for (int i = 0; i < 3; ++i) Lease(site, "b", "cat");
  v1::ListLeasesRequest request;
  request.set_page_size(1);
  const auto list = [&](const std::string& who) {
    return site.Call<v1::ListLeasesResponse>(who, "AdminService/ListLeases", request);
  };
  EXPECT_EQ(list("amy").next_page_token(), "");
  const auto first = list("coo");
  ASSERT_EQ(first.leases_size(), 1);
  EXPECT_EQ(first.leases(0).object(), "user ben account a");
  request.set_page_token(first.next_page_token());
  const auto second = list("coo");
  ASSERT_EQ(second.leases_size(), 1);
  EXPECT_EQ(second.leases(0).object(), "user amy account a");
  EXPECT_EQ(second.next_page_token(), "");
  request.clear_page_token();
  request.add_objects("user cat account b");
  EXPECT_EQ(list("amy").next_page_token(), "");
  EXPECT_NE(list("root").next_page_token(), "");
}

TEST(LeaseRightsTest, OnlyOperatorsSeeTheProofAndTheAddressOfItsAuthor) {
  PrivateSite site("");
  Lease(site, "a", "amy");
  EXPECT_THAT(site.LeasesOf("root").leases(0).created_by(), HasSubstr("root ("));
  EXPECT_EQ(site.LeasesOf("coo").leases(0).created_by(), "root");
  v1::EndLeasesRequest end;
  end.add_ids(site.LeasesOf("root").leases(0).id());
  site.Call<v1::ChangeResponse>("root", "AdminService/EndLeases", end);
  v1::ListLeasesRequest cancelled;
  cancelled.add_states(v1::LEASE_STATE_CANCELLED);
  const auto of = [&](const std::string& who) {
    return site.Call<v1::ListLeasesResponse>(who, "AdminService/ListLeases", cancelled)
        .leases(0)
        .ended_by();
  };
  EXPECT_THAT(of("root"), HasSubstr("root ("));
  EXPECT_EQ(of("coo"), "root");
}

// Leases of other objects, written by the same statement that a change uses; `more`: the values of
// ended_at, begin_passed and end_passed.
std::string InsertLeases(int count, const std::string& created_by,
                         const std::string& more = "NULL, false, false") {
  return absl::StrCat(
      "INSERT INTO priorityd.setting_lease (cluster_id, kind, account, user_name, partition, qos, "
      "object, setting_names, setting_operators, setting_values, begin_time, end_time, "
      "created_by, comment, ended_at, begin_passed, end_passed) SELECT c.id, 'association', "
      "'x' || i, '', '', '', 'account x' || i, '{Fairshare}', '{=}', '{7}', '2100-01-01Z', "
      "'2100-01-02Z', '",
      created_by, "', '', ", more, " FROM priorityd.cluster c, generate_series(1, ", count, ") i");
}

// coo coordinates the account a of amy.
class LeaseBoundsTest : public ::testing::Test {
 protected:
  grpc::Status Modify(const std::string& who) {
    v1::UpdateAssociationsRequest request;
    *request.mutable_where() = Where({"a"}, {"amy"});
    AddSettings({"Fairshare=7", "until=now+1day"}, &request);
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/UpdateAssociations", request);
  }
  void Insert(const std::string& statement) {
    ASSERT_TRUE(
        database()
            .Write([&](storage::Transaction& t) { return t.ExecuteScript(statement.c_str()); })
            .ok());
  }
  int64_t CountOf(const std::string& created_by) {
    return database()
        .Read([&](storage::Transaction& t) {
          return t.QueryOne(storage::OnlyColumn<int64_t>,
                            "SELECT count(*) FROM priorityd.setting_lease "
                            "WHERE starts_with(created_by, $1)",
                            {created_by});
        })
        .value_or(-1);
  }
  storage::Database& database() { return site_.replica().database(); }

  PrivateSite site_{""};
};

TEST_F(LeaseBoundsTest, CoordinatorsLeaveRoomForEachOtherAndForOperators) {
  Insert(InsertLeases(999, "coo (MUNGE, uid 7; ipv4:10.0.0.1:54321)"));
  Insert(InsertLeases(10, "cool (MUNGE, uid 8; ipv4:10.0.0.1:54321)"));
  EXPECT_EQ(Modify("coo").error_code(), grpc::OK) << "others' do not count";
  const grpc::Status refused = Modify("coo");
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("got 1001 leases that have not ended, want at "
                                                 "most 1000 of one who is no operator"));
  EXPECT_EQ(Modify("root").error_code(), grpc::OK);
  Insert(InsertLeases(4'990, "dan (MUNGE, uid 9; ipv4:10.0.0.1:54321)"));
  EXPECT_THAT(Modify("coo").error_message(), HasSubstr("want at most 5000 of the kind"));
  EXPECT_EQ(Modify("root").error_code(), grpc::OK);
}

TEST_F(LeaseBoundsTest, OfEndedLeasesOfOneWhoIsNoOperatorTheLast1000AreKept) {
  const std::string cancelled = "now(), false, true";
  Insert(InsertLeases(1'010, "coo (MUNGE, uid 7; ipv4:10.0.0.1:54321)", cancelled));
  Insert(InsertLeases(1'010, "cool (MUNGE, uid 8; ipv4:10.0.0.1:54321)", cancelled));
  EXPECT_EQ(Modify("root").error_code(), grpc::OK);
  EXPECT_EQ(CountOf("coo ("), 1'010);
  EXPECT_EQ(Modify("coo").error_code(), grpc::OK);
  EXPECT_EQ(CountOf("coo ("), 1'001);
  EXPECT_EQ(CountOf("cool ("), 1'010);
}

TEST_F(LeaseBoundsTest, OfEndedLeasesOfTheClusterTheLast10000AreKept) {
  Insert(InsertLeases(10'020, "root (MUNGE, uid 0; x)", "now(), false, true"));
  EXPECT_EQ(Modify("coo").error_code(), grpc::OK);
  EXPECT_EQ(CountOf("root ("), 10'000);
}

TEST_F(LeaseBoundsTest, LeasesThatTheNextRecalculationEndsCountToo) {
  Insert(InsertLeases(1'000, "coo (MUNGE, uid 7; ipv4:10.0.0.1:54321)",
                      "'2100-01-01T01:00Z', false, false"));
  EXPECT_EQ(Modify("coo").error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Modify("root").error_code(), grpc::OK);
}

// Events of the audit, `count` with comments of `bytes` each.
std::string InsertEvents(const std::string& principal, int count, int bytes) {
  return absl::StrCat(
      "INSERT INTO priorityd.audit_event (cluster_id, principal, action, object, before, after, "
      "comment) SELECT c.id, '",
      principal, "', 'EndLeases', '', '', '', repeat('x', ", bytes,
      ") FROM priorityd.cluster c, generate_series(1, ", count, ") i");
}

TEST_F(LeaseBoundsTest, TheAuditOfAUserHasABoundOfADayAndOthersMakeTheirChanges) {
  Insert(InsertEvents("coo (MUNGE, uid 7; ipv4:10.0.0.1:54321)", 19'999, 0));
  EXPECT_EQ(Modify("coo").error_code(), grpc::OK);
  const grpc::Status refused = Modify("coo");
  EXPECT_EQ(refused.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(DetailsOf(refused).reason, "TOO_MANY_CHANGES");
  EXPECT_THAT(refused.error_message(), HasSubstr("after 20000 changes, want at most 67108864"));
  EXPECT_EQ(Modify("root").error_code(), grpc::OK);
  Insert("UPDATE priorityd.audit_event SET at = at - interval '25 hours'");
  EXPECT_EQ(Modify("coo").error_code(), grpc::OK);
}

TEST_F(LeaseBoundsTest, TheCommentsOfAUserCountForEachChangedObject) {
  Insert(InsertEvents("coo (MUNGE, uid 7; ipv4:10.0.0.1:54321)", 64, (1 << 20) - 100));
  v1::UpdateAssociationsRequest request;
  *request.mutable_where() = Where({"a"}, {"amy", "ben"});
  AddSettings({"Fairshare=7"}, &request);
  const auto modify = [&](const std::string& who) {
    return site_.StatusOf<v1::ChangeResponse>(who, "AdminService/UpdateAssociations", request)
        .error_code();
  };
  request.mutable_options()->set_comment(std::string(4'000, 'x'));
  EXPECT_EQ(modify("coo"), grpc::RESOURCE_EXHAUSTED);
  EXPECT_EQ(modify("root"), grpc::OK);
  request.clear_settings();
  AddSettings({"Fairshare=8"}, &request);
  request.mutable_options()->set_comment(std::string(2'000, 'x'));
  EXPECT_EQ(modify("coo"), grpc::OK);
}

}  // namespace
}  // namespace priorityd::rpc
