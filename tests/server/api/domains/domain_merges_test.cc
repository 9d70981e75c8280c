// Merges of a usage domain that hold in its members: made and ended in all of them or in none,
// taken over by clusters that join and ended in those that leave, beside the members' own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "priority/v1/audit.pb.h"
#include "tests/server/service/domain_site.h"
#include "tests/server/service/secured_replica.h"

namespace priorityd::rpc {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class DomainMergesTest : public DomainSite {
 protected:
  v1::ChangeResponse Merge(const std::string& cluster, bool with_members = false,
                           grpc::Status* status = nullptr, bool validate_only = false) {
    v1::MergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user("ben");
    request.set_into_user("amy");
    request.set_with_members(with_members);
    request.mutable_options()->set_validate_only(validate_only);
    return Asked<v1::ChangeResponse>(request, status);
  }
  v1::ChangeResponse Unmerge(const std::string& cluster, grpc::Status* status = nullptr) {
    v1::UnmergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user("ben");
    return Asked<v1::ChangeResponse>(request, status);
  }
  void RemoveUser(const std::string& cluster, const std::string& user) {
    v1::DeleteAssociationsRequest request;
    request.set_cluster(cluster);
    request.mutable_where()->add_users(user);
    Asked<v1::ChangeResponse>(request, nullptr);
  }

  // `CLUSTER FROM INTO`, with `*` for those of a domain.
  Names Merges() {
    Names merges;
    for (const char* cluster : {"site", "alpha", "beta"}) {
      v1::ListUserMergesRequest request;
      request.set_cluster(cluster);
      const auto list = Asked<v1::ListUserMergesResponse>(request, nullptr);
      for (const v1::UserMerge& merge : list.merges()) {
        merges.push_back(absl::StrCat(cluster, " ", merge.from_user(), " ", merge.into_user(),
                                      merge.of_domain() ? "*" : ""));
      }
    }
    return merges;
  }
  // Oldest first.
  Names AuditOf(const std::string& cluster, const std::string& action) {
    v1::ListAuditEventsRequest request;
    request.set_cluster(cluster);
    request.add_actions(action);
    const auto list = Asked<v1::ListAuditEventsResponse>(request, nullptr);
    Names events;
    for (const v1::AuditEvent& event : list.events()) {
      events.insert(events.begin(),
                    absl::StrCat(event.object(), ": ", event.before(), " > ", event.after()));
    }
    return events;
  }
  static Names WarningsOf(const v1::ChangeResponse& response) {
    return {response.warnings().begin(), response.warnings().end()};
  }
  static std::string ReasonOf(const grpc::Status& status) { return DetailsOf(status).reason; }

  const Names everywhere_ = {"site ben amy*", "alpha ben amy*", "beta ben amy*"};
};

TEST_F(DomainMergesTest, OneCallMergesInTheDomainAndItsMembersAndOneEndsIt) {
  Join({"alpha", "beta"});
  v1::UsageRecord record = Usage("1", Hour(-1), absl::Hours(1), 4);
  record.set_user("ben");
  Record("alpha", record);
  RecalculateAllAt(Hour(1));
  const auto numbers = [&] {
    Names all;
    for (const char* cluster : {"site", "alpha", "beta"}) {
      const v1::ListSharesResponse list = SharesOf(cluster);
      for (const v1::AssociationShare& share : list.shares()) {
        all.push_back(share.ShortDebugString());
      }
    }
    return all;
  };
  const Names before = numbers();
  const v1::ChangeResponse merged = Merge("site", /*with_members=*/true);
  EXPECT_EQ(merged.created(), 3);
  EXPECT_TRUE(merged.with_members());
  ASSERT_EQ(merged.changes_size(), 3);
  EXPECT_EQ(merged.changes(0).cluster(), "");
  EXPECT_EQ(merged.changes(1).cluster(), "alpha");
  EXPECT_EQ(Merges(), everywhere_);
  RecalculateAllAt(Hour(1));
  EXPECT_GT(UsageIn("alpha", "a", "amy"), 0);
  EXPECT_GT(UsageIn("site", "a", "amy"), 0);
  EXPECT_EQ(Merge("site", true).unchanged(), 3);
  EXPECT_EQ(Unmerge("site").deleted(), 3);
  EXPECT_THAT(Merges(), IsEmpty());
  RecalculateAllAt(Hour(1));
  EXPECT_EQ(numbers(), before);
  EXPECT_THAT(AuditOf("site", "MergeUsers"),
              ElementsAre("merge of user \"ben\":  > Into=amy Members=all"));
  EXPECT_THAT(AuditOf("beta", "MergeUsers"),
              ElementsAre("merge of user \"ben\":  > Domain=site Into=amy"));
  EXPECT_THAT(AuditOf("beta", "UnmergeUsers"),
              ElementsAre("merge of user \"ben\": Domain=site Into=amy > "));
}

TEST_F(DomainMergesTest, WhatAMemberRefusesIsMadeNowhereAndNamesTheMember) {
  RemoveUser("beta", "amy");
  Join({"alpha", "beta"});
  grpc::Status status;
  Merge("site", true, &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_LACKS_ASSOCIATION");
  EXPECT_THAT(status.error_message(),
              HasSubstr("member beta: into_user: got \"amy\", which has no association that takes "
                        "the usage of \"ben\" in account \"a\""));
  EXPECT_THAT(Merges(), IsEmpty());
  AddUser("beta", "a", "amy");
  Merge("site", true, nullptr, /*validate_only=*/true);
  EXPECT_THAT(Merges(), IsEmpty());
  Merge("site", true);
  EXPECT_EQ(Merges(), everywhere_);
}

TEST_F(DomainMergesTest, AMemberWithoutTheMergedUserNeedsNeither) {
  RemoveUser("beta", "ben");
  RemoveUser("beta", "amy");
  service_.SetNow(TestEpoch() + absl::Hours(1));  // A later change is not of the deletion's time.
  Join({"alpha", "beta"});
  Merge("site", true);
  EXPECT_EQ(Merges(), everywhere_);
  grpc::Status status;
  v1::CreateAssociationsRequest ben;
  ben.set_cluster("beta");
  ben.add_associations()->set_account("a");
  ben.mutable_associations(0)->set_user("ben");
  Asked<v1::ChangeResponse>(ben, &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_LACKS_ASSOCIATION");
  AddUser("beta", "a", "amy");
  AddUser("beta", "a", "ben");
  v1::UsageRecord record = Usage("1", Hour(-1), absl::Hours(1), 4);
  record.set_user("ben");
  Record("beta", record);
  RecalculateAllAt(Hour(1));
  EXPECT_GT(UsageIn("beta", "a", "amy"), 0);
}

TEST_F(DomainMergesTest, AClusterThatJoinsTakesThemOverAndOneThatLeavesIsWithoutThem) {
  Join({"alpha"});
  Merge("site", true);
  const v1::ChangeResponse joined = Join({"beta"});
  EXPECT_EQ(joined.created(), 2);
  EXPECT_EQ(Merges(), everywhere_);
  EXPECT_THAT(AuditOf("beta", "UpdateDomain"),
              ElementsAre("merge of user \"ben\":  > Domain=site Into=amy"));
  Join({"beta"});
  EXPECT_EQ(Merges(), everywhere_);
  EXPECT_EQ(Leave("alpha").deleted(), 2);
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "beta ben amy*"));
  Leave("beta");
  Join({"alpha"});
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "alpha ben amy*"));
  Unmerge("site");
  EXPECT_THAT(Merges(), IsEmpty());
}

TEST_F(DomainMergesTest, AClusterThatCannotTakeThemOverDoesNotJoin) {
  Join({"alpha"});
  Merge("site", true);
  v1::MergeUsersRequest other;
  other.set_cluster("beta");
  other.set_from_user("amy");
  other.set_into_user("ben");
  Asked<v1::ChangeResponse>(other, nullptr);
  grpc::Status status;
  Join({"beta"}, {}, &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_CHAIN");
  EXPECT_THAT(status.error_message(), HasSubstr("member beta: into_user: got \"amy\""));
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "alpha ben amy*", "beta amy ben"));
}

TEST_F(DomainMergesTest, AMergeOfTheMembersOwnStaysItsOwn) {
  Merge("alpha");
  Join({"alpha", "beta"});
  EXPECT_THAT(WarningsOf(Merge("site", true)),
              ElementsAre(HasSubstr("alpha: user \"ben\" is merged by the member itself")));
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "alpha ben amy", "beta ben amy*"));
  EXPECT_THAT(WarningsOf(Unmerge("site")),
              ElementsAre(HasSubstr("alpha: user \"ben\" stays merged there")));
  EXPECT_THAT(Merges(), ElementsAre("alpha ben amy"));
  Merge("site", true);
  Leave("alpha");
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "alpha ben amy", "beta ben amy*"));
}

TEST_F(DomainMergesTest, AMemberEndsItsOwnMergeAndNotTheDomains) {
  Merge("alpha");
  Join({"alpha", "beta"});
  Merge("site", true);
  EXPECT_THAT(WarningsOf(Unmerge("alpha")),
              ElementsAre("user \"ben\" stays merged: the usage domain site merges it"));
  EXPECT_EQ(Merges(), everywhere_);
  grpc::Status status;
  Unmerge("alpha", &status);
  EXPECT_EQ(ReasonOf(status), "MERGE_OF_DOMAIN");
  EXPECT_THAT(status.error_message(), HasSubstr("the usage domain site"));
  EXPECT_EQ(Merges(), everywhere_);
}

TEST_F(DomainMergesTest, AMergeOfTheDomainAloneBecomesOneOfAll) {
  Join({"alpha", "beta"});
  Merge("site");
  EXPECT_THAT(Merges(), ElementsAre("site ben amy"));
  EXPECT_EQ(Merge("site", true).updated(), 1);
  EXPECT_EQ(Merges(), everywhere_);
  EXPECT_EQ(Merge("site").unchanged(), 1);
  EXPECT_EQ(Merges(), everywhere_);
}

TEST_F(DomainMergesTest, AClusterWithoutMembersHasNone) {
  grpc::Status status;
  Merge("site", true, &status);
  EXPECT_EQ(ReasonOf(status), "NO_MEMBERS");
  Join({"alpha"});
  Merge("alpha", true, &status);
  EXPECT_EQ(ReasonOf(status), "NO_MEMBERS");
  EXPECT_THAT(Merges(), IsEmpty());
}

TEST_F(DomainMergesTest, AFormerDomainThatJoinsAnotherKeepsItsMergesAsItsOwn) {
  Join({"alpha"});
  Merge("site", true);
  Leave("alpha");
  RecalculateAllAt(Hour(1));
  v1::UpdateDomainRequest request;
  request.set_cluster("beta");
  request.add_join("site");
  Update(request);
  EXPECT_THAT(Merges(), ElementsAre("site ben amy"));
  request.clear_join();
  request.add_leave("site");
  Update(request);
  EXPECT_THAT(Merges(), ElementsAre("site ben amy"));
}

TEST_F(DomainMergesTest, NoneIsMadeBesideAReplicaThatDoesNotKnowThem) {
  Join({"alpha", "beta"});
  Execute(
      "INSERT INTO priorityd.replica (name, address, version, started_at, leads, host_ahead, "
      "seen_at, known_migration) VALUES ('old', '', '0.3.0', now(), false, 0, clock_timestamp(), "
      "56)");
  grpc::Status status;
  Merge("site", true, &status);
  EXPECT_EQ(ReasonOf(status), "OLD_REPLICA");
  Merge("site");
  EXPECT_THAT(Merges(), ElementsAre("site ben amy"));
}

TEST_F(DomainMergesTest, AnImportLeavesThemAndAnExportOfAMemberLeavesThemOut) {
  Join({"alpha", "beta"});
  Merge("site", true);
  AddUser("site", "a", "zoe");
  AddUser("beta", "a", "zoe");
  for (const char* cluster : {"site", "beta"}) {
    v1::ImportRequest request;
    request.set_cluster(cluster);
    request.set_clean(true);
    AddFile(v1::FILE_KIND_PRIORITYD, "own",
            "Merge - 'zoe':Into='amy':Time='2026-01-05T01:00:00Z'\n", &request);
    EXPECT_THAT(Import(service_, request).warnings(),
                Contains(HasSubstr("the merge of user \"ben\" stays")));
  }
  EXPECT_THAT(Merges(), ElementsAre("site ben amy*", "site zoe amy", "alpha ben amy*",
                                    "beta ben amy*", "beta zoe amy"));
  v1::ExportRequest request;
  request.set_cluster("beta");
  const auto exported = Asked<v1::ExportResponse>(request, nullptr);
  std::string all;
  for (const v1::File& file : exported.files()) all += file.content();
  EXPECT_THAT(all, HasSubstr("Merge - 'zoe'"));
  EXPECT_THAT(all, Not(HasSubstr("Merge - 'ben'")));
}

TEST_F(DomainMergesTest, WhereAnUndoneImportMadeTheMergeTheDomainsHolds) {
  Join({"alpha", "beta"});
  v1::ImportRequest request;
  request.set_cluster("beta");
  AddFile(v1::FILE_KIND_PRIORITYD, "own", "Merge - 'ben':Into='amy':Time='2026-01-05T01:00:00Z'\n",
          &request);
  Import(service_, request);
  Merge("site", true);
  EXPECT_THAT(Merges(), Contains("beta ben amy"));
  v1::UndoImportRequest undo;
  undo.set_cluster("beta");
  Asked<v1::UndoImportResponse>(undo, nullptr);
  EXPECT_EQ(Merges(), everywhere_);
}

// Each would wait for a lock of the other if they were taken in the order of names.
TEST_F(DomainMergesTest, ChangesOfTheSameClustersWaitForEachOtherInOneOrder) {
  ImportCluster("delta", "PriorityDecayHalfLife=1:0:0\n");
  Join({"alpha", "beta"});
  std::vector<std::future<void>> changes;
  const auto repeat = [&](std::function<void()> change) {
    changes.push_back(std::async(std::launch::async, [change] {
      for (int i = 0; i < 20; ++i) change();
    }));
  };
  repeat([&] {
    grpc::Status status;
    Merge("site", true);
    Unmerge("site", &status);
  });
  repeat([&] {
    v1::UpdateDomainRequest refused;  // They are members of another domain.
    refused.set_cluster("delta");
    refused.add_join("beta");
    refused.add_join("alpha");
    grpc::Status status;
    Update(refused, &status);
    EXPECT_EQ(ReasonOf(status), "OTHER_DOMAIN") << status.error_message();
  });
  repeat([&] { Join({"beta", "alpha"}); });
  repeat([&] {  // Refused if the configuration changes meanwhile.
    v1::RecalculateRequest request;
    request.set_cluster("beta");
    *request.mutable_as_of() = ToTimestamp(Hour(1));
    grpc::Status status;
    Asked<v1::Snapshot>(request, &status);
    EXPECT_TRUE(status.ok() || status.error_code() == grpc::ABORTED) << status.error_message();
  });
  for (std::future<void>& change : changes) change.get();
  Merge("site", true);
  EXPECT_EQ(Merges(), everywhere_);
}

TEST(DomainMergeRightsTest, TheCallerNeedsTheRightInEachMember) {
  SecuredReplica replica;
  const auto call = [&](const char* who, const char* method,
                        const google::protobuf::Message& request) {
    return replica.Call(absl::StrCat("priority.v1.AdminService/", method), replica.SlurmToken(who),
                        &request);
  };
  v1::ImportRequest member = SmallSite();
  member.set_cluster("m");
  ASSERT_TRUE(call("root", "Import", member).ok());
  v1::UpdateDomainRequest join;
  join.set_cluster("c");
  join.add_join("m");
  ASSERT_TRUE(call("root", "UpdateDomain", join).ok());
  v1::MergeUsersRequest merge;
  merge.set_cluster("c");
  merge.set_from_user("ben");
  merge.set_into_user("amy");
  merge.set_with_members(true);
  v1::UnmergeUsersRequest unmerge;
  unmerge.set_cluster("c");
  unmerge.set_from_user("ben");
  const grpc::Status refused = call("ope", "MergeUsers", merge);
  EXPECT_EQ(refused.error_code(), grpc::PERMISSION_DENIED);
  EXPECT_THAT(refused.error_message(), HasSubstr("member m: "));
  EXPECT_EQ(call("root", "UnmergeUsers", unmerge).error_code(), grpc::NOT_FOUND);
  ASSERT_TRUE(call("root", "MergeUsers", merge).ok());
  EXPECT_EQ(call("ope", "UnmergeUsers", unmerge).error_code(), grpc::PERMISSION_DENIED);
  EXPECT_TRUE(call("root", "UnmergeUsers", unmerge).ok());
}

}  // namespace
}  // namespace priorityd::rpc
