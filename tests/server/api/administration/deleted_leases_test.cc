// Leases end with the objects whose settings they change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/lease.pb.h"
#include "tests/server/service/administered_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// The clock is manual: it begins at TestEpoch, in UTC.
class DeletedLeasesTest : public AdministeredSite {
 protected:
  DeletedLeasesTest() {
    Apply("PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\n");
    RecalculateAt(TestEpoch());
  }

  // `OBJECT STATE` of the leases in each state.
  std::vector<std::string> LeaseStates() {
    v1::ListLeasesRequest request;
    for (int state = v1::LEASE_STATE_PENDING; state <= v1::LEASE_STATE_CANCELLED; ++state) {
      request.add_states(static_cast<v1::LeaseState>(state));
    }
    const auto list = Called<v1::ListLeasesResponse>(request, nullptr);
    std::vector<std::string> states;
    for (const v1::Lease& lease : list.leases()) {
      states.push_back(absl::StrCat(lease.object(), " ", v1::LeaseState_Name(lease.state())));
    }
    return states;
  }
  // `object: before -> after` of the ends.
  std::vector<std::string> Ends() {
    v1::ListAuditEventsRequest request;
    request.add_actions("LeaseEnd");
    const auto list = Called<v1::ListAuditEventsResponse>(request, nullptr);
    std::vector<std::string> events;
    for (const v1::AuditEvent& event : list.events()) {
      EXPECT_EQ(event.principal(), "priorityd");
      EXPECT_THAT(event.comment(), HasSubstr(": its object was deleted"));
      events.push_back(absl::StrCat(event.object(), ": ", event.before(), " -> ", event.after()));
    }
    return events;
  }

  // Of the last import.
  v1::UndoImportResponse Undo() {
    v1::UndoImportResponse undone;
    const grpc::Status status = CallUnary(service_, v1::UndoImportRequest(), &undone);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return undone;
  }
};

TEST_F(DeletedLeasesTest, AnAccountThatIsCreatedAgainHasNoLeaseOfTheDeletedOne) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000", "until=now+9hours"});
  Modify(Where({"a"}, {"amy"}), {"Fairshare=50", "from=now+5hours", "until=now+9hours"});
  Modify(Where({"b"}, {""}), {"Fairshare=30", "until=now+9hours"});
  RecalculateAt(Hour(1));
  const v1::ChangeResponse removed = Remove(Where({"a"}, {}));
  EXPECT_THAT(removed.warnings(), Contains("ended with deleted objects: 2 leases"));
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("account a LEASE_STATE_ENDED",
                                                  "user amy account a LEASE_STATE_CANCELLED",
                                                  "account b LEASE_STATE_ACTIVE"));
  EXPECT_THAT(Ends(), UnorderedElementsAre("account a: Fairshare=1000 -> ",
                                           "user amy account a: Fairshare=50 -> "));
  AddAccount("a", "root", {"Fairshare=7"});
  AddUser("amy", {"a"}, {"Fairshare=3"});
  for (const double hour : {2., 6., 10.}) {
    RecalculateAt(Hour(hour));
    EXPECT_EQ(ShareOf(ListShares(service_), "a", "").raw_shares(), 7u) << hour;
    EXPECT_EQ(ShareOf(ListShares(service_), "a", "amy").raw_shares(), 3u) << hour;
  }
  EXPECT_EQ(ShareOf(ListShares(service_), "b", "").raw_shares(), 1u);
}

TEST_F(DeletedLeasesTest, ALeaseThatNoRecalculationHasSeenEndsWithItsObject) {
  Modify(Where({"a"}, {"amy"}), {"Fairshare=50", "until=now+9hours"});
  Remove(Where({"a"}, {"amy"}));
  EXPECT_THAT(LeaseStates(), ElementsAre("user amy account a LEASE_STATE_CANCELLED"));
  RecalculateAt(Hour(1));
  EXPECT_THAT(Ends(), ElementsAre("user amy account a: Fairshare=50 -> "));
}

TEST_F(DeletedLeasesTest, LeasesOfAQosAPartitionAndAUserEndWithThem) {
  v1::UpdateQosRequest qos;
  qos.add_names("double");
  AddSettings({"Priority=77", "until=now+9hours"}, &qos);
  Changed(qos, nullptr);
  v1::UpdatePartitionsRequest partition;
  partition.add_names("main");
  AddSettings({"State=DOWN", "until=now+9hours"}, &partition);
  Changed(partition, nullptr);
  ModifyUser("amy", {"DefaultAccount=a", "until=now+9hours"});
  RecalculateAt(Hour(1));
  ASSERT_THAT(LeaseStates(), SizeIs(3));
  v1::DeleteQosRequest delete_qos;
  delete_qos.add_names("double");
  Changed(delete_qos, nullptr);
  v1::DeletePartitionsRequest delete_partition;
  delete_partition.add_names("main");
  Changed(delete_partition, nullptr);
  Remove(Where({"a"}, {"amy"}));
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("qos double LEASE_STATE_ENDED",
                                                  "partition main LEASE_STATE_ENDED",
                                                  "user amy LEASE_STATE_ENDED"));
  EXPECT_THAT(Ends(),
              UnorderedElementsAre("qos double: Priority=77 -> ", "partition main: State=DOWN -> ",
                                   "user amy: DefaultAccount=a -> "));
}

TEST_F(DeletedLeasesTest, ALookAtADeletionEndsNone) {
  Modify(Where({"a"}, {""}), {"Fairshare=1000", "until=now+9hours"});
  RecalculateAt(Hour(1));
  v1::ChangeOptions look;
  look.set_validate_only(true);
  const v1::ChangeResponse answer = Remove(Where({"a"}, {}), nullptr, look);
  EXPECT_THAT(answer.warnings(), Contains("ended with deleted objects: 1 lease"));
  EXPECT_THAT(LeaseStates(), ElementsAre("account a LEASE_STATE_ACTIVE"));
  EXPECT_THAT(Ends(), IsEmpty());
}

TEST_F(DeletedLeasesTest, AnImportEndsTheLeasesOfWhatItDeletes) {
  Modify(Where({"a"}, {"amy"}), {"Fairshare=50", "until=now+9hours"});
  Modify(Where({"a"}, {""}), {"Fairshare=30", "until=now+9hours"});
  RecalculateAt(Hour(1));
  RemoveAmy(service_, "PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\nClock=manual\n");
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("user amy account a LEASE_STATE_ENDED",
                                                  "account a LEASE_STATE_ACTIVE"));
  EXPECT_THAT(Ends(), ElementsAre("user amy account a: Fairshare=50 -> "));
}

TEST_F(DeletedLeasesTest, AnUndoneImportGivesBackTheLeasesOfWhatItDeleted) {
  Modify(Where({"a"}, {"amy"}), {"Fairshare=50", "until=now+9hours"});
  Modify(Where({"a"}, {"amy"}), {"Fairshare=60", "from=now+5hours", "until=now+9hours"});
  RecalculateAt(Hour(1));
  RemoveAmy(service_, "PriorityDecayHalfLife=2:0:0\nTimeZone=UTC\nClock=manual\n");
  ASSERT_THAT(LeaseStates(), UnorderedElementsAre("user amy account a LEASE_STATE_ENDED",
                                                  "user amy account a LEASE_STATE_CANCELLED"));
  EXPECT_EQ(Undo().leases(), 2);
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("user amy account a LEASE_STATE_ACTIVE",
                                                  "user amy account a LEASE_STATE_PENDING"));
  RecalculateAt(Hour(6));
  EXPECT_EQ(ShareOf(ListShares(service_), "a", "amy").raw_shares(), 60u);
  RecalculateAt(Hour(10));
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("user amy account a LEASE_STATE_ENDED",
                                                  "user amy account a LEASE_STATE_ENDED"));
}

TEST_F(DeletedLeasesTest, AnUndoneImportEndsTheLeasesOfWhatItCreated) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_QOS, "qos.txt", "Name|Priority|UsageFactor\nnew|3|1\n", &request);
  ASSERT_GT(Import(service_, request).import_id(), 0);
  v1::UpdateQosRequest qos;
  qos.add_names("new");
  AddSettings({"Priority=77", "until=now+9hours"}, &qos);
  Changed(qos, nullptr);
  RecalculateAt(Hour(1));
  Undo();
  EXPECT_THAT(LeaseStates(), ElementsAre("qos new LEASE_STATE_ENDED"));
  EXPECT_THAT(Ends(), ElementsAre("qos new: Priority=77 -> "));
}

TEST_F(DeletedLeasesTest, AnUndoneImportEndsItsLeasesInEffectAndCancelsThoseThatHaveNotBegun) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_PRIORITYD, "own",
          "Lease - 'association':Account='a':Begin='2026-01-05T00:30:00Z':"
          "End='2026-01-05T09:00:00Z'\n"
          "Setting - 'Fairshare':Operator='=':Value='50'\n"
          "Lease - 'association':Account='b':Begin='2026-01-05T05:00:00Z':"
          "End='2026-01-05T09:00:00Z'\n"
          "Setting - 'Fairshare':Operator='=':Value='60'\n",
          &request);
  ASSERT_EQ(Import(service_, request).leases().created(), 2);
  RecalculateAt(Hour(1));
  ASSERT_EQ(ShareOf(ListShares(service_), "a", "").raw_shares(), 50u);
  Undo();
  EXPECT_THAT(LeaseStates(), UnorderedElementsAre("account a LEASE_STATE_ENDED",
                                                  "account b LEASE_STATE_CANCELLED"));
  RecalculateAt(Hour(2));
  EXPECT_EQ(ShareOf(ListShares(service_), "a", "").raw_shares(), 1u);
  v1::ListAuditEventsRequest ends;
  ends.add_actions("LeaseEnd");
  const auto list = Called<v1::ListAuditEventsResponse>(ends, nullptr);
  ASSERT_THAT(list.events(), SizeIs(1));
  EXPECT_EQ(list.events(0).object(), "account a");
}

}  // namespace
}  // namespace priorityd::rpc
