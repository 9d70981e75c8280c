// Associations listed, created, changed and deleted over gRPC, as sacctmgr does it.
#include "server/api/administration/administer_associations.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/job_requests.h"

namespace priorityd::rpc {
namespace {

using ::testing::HasSubstr;

class AdministerAssociationsTest : public AdministeredSite {
 protected:
  std::vector<storage::AuditEvent> AuditRows() {
    return *service_.database().Read([](storage::Transaction& transaction) {
      const int32_t id = storage::ClusterStore(transaction).Require("c")->id;
      return storage::AuditStore(transaction).List(id, 0, 1000);
    });
  }
  void ExpectRefused(const grpc::Status& status, grpc::StatusCode code, const std::string& text) {
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(text));
  }

  grpc::Status status_;
};

TEST_F(AdministerAssociationsTest, NewOnesHaveWhatWasSetAndSlurmsDefaults) {
  AddAccount("chem", "root", {"Fairshare=40", "MaxSubmitJobs=7", "DefaultQOS=normal"});
  AddAccount("chem2", "chem", {"Description=the second", "fair=parent"});
  const v1::ChangeResponse added = AddUser("eve", {"chem2"});
  EXPECT_EQ(added.created(), 2);  // The user as well.
  EXPECT_EQ(added.changes(0).object(), "user eve account chem2");
  EXPECT_EQ(added.changes(0).kind(), v1::CHANGE_KIND_CREATED);
  EXPECT_EQ(added.changes(0).after(), "Fairshare=1");
  EXPECT_EQ(added.changes(1).object(), "user eve");
  EXPECT_EQ(added.changes(1).after(), "DefaultAccount=chem2");
  EXPECT_EQ(One("chem2").parent_account(), "chem");
  EXPECT_EQ(Attribute("chem", "", "Fairshare"), "40");
  EXPECT_EQ(Attribute("chem", "", "Description"), "chem");
  EXPECT_EQ(Attribute("chem2", "", "Description"), "the second");
  EXPECT_EQ(Attribute("chem2", "", "Organization"), "chem");
  EXPECT_EQ(Attribute("chem2", "", "Fairshare"), "parent");
  EXPECT_EQ(Attribute("chem2", "eve", "MaxSubmitJobs"), "unset");
  EXPECT_EQ(Inherited("chem2", "eve", "MaxSubmitJobs"), "7");
  EXPECT_EQ(Inherited("chem2", "eve", "DefaultQOS"), "normal");
  EXPECT_EQ(Inherited("chem2", "eve", "QOS"), "normal,double");
  EXPECT_EQ(UserText("eve"), "chem2/None/");
}

TEST_F(AdministerAssociationsTest, TheTreeIsListedParentsFirstAndInPages) {
  AddAccount("a2", "a");
  AddUser("amy", {"a2"});
  const std::string all = "root/ a/ a/amy a/ben a2/ a2/amy b/ b/cat ";
  EXPECT_EQ(Listed({}), all);
  EXPECT_EQ(Listed(Where({"a"}, {})), "a/ a/amy a/ben ");
  EXPECT_EQ(Listed(Where({}, {"amy"})), "a/amy a2/amy ");
  EXPECT_EQ(Listed(Where({"b", "a2"}, {""})), "a2/ b/ ");
  v1::AssociationFilter below = Where({"a"}, {});
  below.set_with_sub_accounts(true);
  EXPECT_EQ(Listed(below), "a/ a/amy a/ben a2/ a2/amy ");
  v1::AssociationFilter defaults = Where({}, {"amy"});
  defaults.set_only_defaults(true);
  EXPECT_EQ(Listed(defaults), "a/amy ");
  v1::AssociationFilter parents;
  parents.add_parents("a");
  EXPECT_EQ(Listed(parents), "a/amy a/ben a2/ ");
  for (int size : {1, 3}) {
    v1::ListAssociationsRequest request;
    request.set_page_size(size);
    std::string text;
    do {
      const v1::ListAssociationsResponse page = List(request);
      EXPECT_LE(page.associations_size(), size);
      for (const auto& row : page.associations()) text += row.account() + "/" + row.user() + " ";
      request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());
    EXPECT_EQ(text, all);
  }
  v1::ListAssociationsRequest bad;
  bad.set_page_token("x");
  List(bad, &status_);
  EXPECT_EQ(DetailsOf(status_).reason, "INVALID_PAGE_TOKEN");
}

TEST_F(AdministerAssociationsTest, AListContinuesAfterARowThatIsGone) {
  v1::ListAssociationsRequest request;
  request.set_page_size(3);
  const v1::ListAssociationsResponse first = List(request);
  EXPECT_EQ(first.associations(2).user(), "amy");
  Remove(Where({"a"}, {"amy"}));
  request.set_page_token(first.next_page_token());
  EXPECT_EQ(List(request).associations(0).user(), "ben");
  Remove(Where({"a"}, {}));
  EXPECT_EQ(List(request).associations(0).account(), "b");
}

TEST_F(AdministerAssociationsTest, AWhereClauseChangesManyAndReportsEach) {
  const v1::ChangeResponse changed = Modify(Where({"a"}, {"amy", "ben"}), {"fairshare=2"});
  EXPECT_EQ(changed.updated(), 1);
  EXPECT_EQ(changed.unchanged(), 1);
  ASSERT_EQ(changed.changes_size(), 1);
  EXPECT_EQ(changed.changes(0).object(), "user ben account a");
  EXPECT_EQ(changed.changes(0).before(), "Fairshare=1");
  EXPECT_EQ(changed.changes(0).after(), "Fairshare=2");
  RecalculateAt(Hour(0));
  EXPECT_DOUBLE_EQ(ShareOf(ListShares(service_), "a", "ben").norm_shares(), 0.5);
}

TEST_F(AdministerAssociationsTest, WordsMayBeShortOldOrInAnyCase) {
  Modify(Where({"a"}, {""}),
         {"SHARES=9", "desc=all of it", "grpcpumins=100", "maxsubmit=3", "MaxWall=1-0",
          "grptresmins=gres/gpu=5", "GrpTRES=mem=3000,cpu=4", "maxj=6", "pri=11"});
  EXPECT_EQ(Attribute("a", "", "Fairshare"), "9");
  EXPECT_EQ(Attribute("a", "", "Description"), "all of it");
  EXPECT_EQ(Attribute("a", "", "GrpTRESMins"), "cpu=100,gres/gpu=5");
  EXPECT_EQ(Attribute("a", "", "MaxSubmitJobs"), "3");
  EXPECT_EQ(Attribute("a", "", "MaxWallDurationPerJob"), "1-00:00:00");
  EXPECT_EQ(Attribute("a", "", "GrpTRES"), "cpu=4,mem=3000M");
  EXPECT_EQ(Attribute("a", "", "MaxJobs"), "6");
  EXPECT_EQ(Attribute("a", "", "Priority"), "11");
  // Of a list of TRES the others stay; -1 takes one away.
  Modify(Where({"a"}, {""}), {"GrpTRESMins=cpu=-1,mem=2G", "MaxJobs=-1", "GrpTRES=", "pri=-1"});
  EXPECT_EQ(Attribute("a", "", "GrpTRESMins"), "gres/gpu=5,mem=2G");
  EXPECT_EQ(Attribute("a", "", "MaxJobs"), "unset");
  EXPECT_EQ(Attribute("a", "", "GrpTRES"), "unset");
  EXPECT_EQ(Attribute("a", "", "Priority"), "unset");
}

TEST_F(AdministerAssociationsTest, WhatIsWrongIsNamedByItsPlaceAndNothingChanges) {
  const std::string etag = List().etag();
  Modify(Where({"a"}, {""}),
         {"Fairshare=-3", "Shape=round", "GrpWall=soon", "RawUsage=7", "MaxJobs+=3", "p=1"},
         &status_);
  EXPECT_EQ(status_.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status_).Fields(),
            "settings[0].value,settings[1].name,settings[2].value,settings[3].value,"
            "settings[4].operator,settings[5].name");
  Modify(Where({"a"}, {""}), {"QOS=normal,gold"}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "settings[0].value: got \"gold\"");
  Modify(Where({"a"}, {"amy"}), {"Description=x"}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "settings[0].name: got Description of user amy");
  Modify(Where({"a", "chme"}, {"zoe"}), {"Fairshare=1"}, &status_);
  ExpectRefused(status_, grpc::NOT_FOUND, "where.accounts[1]: got \"chme\"");
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_ASSOCIATION");
  Modify({}, {"Fairshare=1"}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "where");
  AddUser("eve", {"chme"}, {}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "associations[0].account: got \"chme\"");
  AddAccount("x", "chme", {}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "associations[0].parent_account: got \"chme\"");
  AddAccount("a", "root", {}, &status_);
  EXPECT_EQ(status_.error_code(), grpc::ALREADY_EXISTS);
  AddAccount(std::string(300, 'x'), "root", {}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "associations[0].account");
  AddAccount("x\ny", "root", {}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "associations[0].account");
  AddAccount("x", "root", {"Description=" + std::string(2000, 'x')}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  v1::CreateAssociationsRequest large;
  *large.add_settings() = ToSetting("QOS=" + std::string(60'000, 'q'));
  for (int i = 0; i < 2000; ++i) large.add_associations()->set_account(absl::StrCat("x", i));
  Create(large, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  large.mutable_settings(0)->set_value(
      absl::StrReplaceAll(std::string(30'000, 'q'), {{"qqqqqq", "qqqqq,"}}));
  for (int i = 2000; i < 4000; ++i) large.add_associations()->set_account(absl::StrCat("x", i));
  Create(large, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings");
  EXPECT_EQ(List().etag(), etag);
}

TEST_F(AdministerAssociationsTest, ThoseThatAreThereMayBeAskedFor) {
  v1::CreateAssociationsRequest request;
  request.set_allow_existing(true);
  for (const char* account : {"a", "new"}) request.add_associations()->set_account(account);
  const v1::ChangeResponse created = Create(request);
  EXPECT_EQ(created.created(), 1);
  EXPECT_EQ(created.unchanged(), 1);
  request.add_associations()->set_account("twice");
  request.add_associations()->set_account("twice");
  Create(request, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "associations[3]");
}

TEST_F(AdministerAssociationsTest, DeletedUsersLeaveTheirUsageToTheAccount) {
  Record({Hour(0), Hour(2), 3});
  Record({Hour(0), Hour(2), 1}, "ben");
  RecalculateAt(Hour(3));
  const double before = UsageOf("a", "");
  const v1::ChangeResponse gone = Remove(Where({}, {"amy"}));
  EXPECT_EQ(gone.deleted(), 2);
  EXPECT_EQ(UserText("amy"), "");
  RecalculateAt(Hour(3));
  ExpectClose(UsageOf("a", ""), before);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(AdministerAssociationsTest, AMovedAccountTakesItsUsageAlong) {
  AddAccount("a2", "a", {"Fairshare=3"});
  AddUser("eve", {"a2"});
  Record({Hour(0), Hour(2), 3}, "eve", "a2");
  Record({Hour(0), Hour(2), 1});
  Record({Hour(0), Hour(2), 1}, "cat", "b");
  Remove(Where({"a2"}, {"eve"}));  // eve's usage is the account's.
  RecalculateAt(Hour(3));
  const double moved = UsageOf("a2", "");
  const double of_a = UsageOf("a", "");
  const double of_b = UsageOf("b", "");
  const v1::ChangeResponse changed = Modify(Where({"a2"}, {""}), {"Parent=b"});
  EXPECT_EQ(changed.changes(0).before(), "Parent=a");
  EXPECT_EQ(changed.changes(0).after(), "Parent=b");
  RecalculateAt(Hour(3));
  ExpectClose(UsageOf("a2", ""), moved);
  ExpectClose(UsageOf("a", ""), of_a - moved);
  ExpectClose(UsageOf("b", ""), of_b + moved);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(AdministerAssociationsTest, RootStaysWhereItIsAndNoAccountStandsBelowItself) {
  AddAccount("a2", "a");
  AddAccount("a3", "a2");
  for (const char* parent : {"a", "a2", "a3"}) {
    Modify(Where({"a"}, {""}), {std::string("Parent=") + parent}, &status_);
    ExpectRefused(status_, grpc::INVALID_ARGUMENT, "settings[0].value: got ");
  }
  Modify(Where({"root"}, {""}), {"Parent=a"}, &status_);
  EXPECT_EQ(status_.error_code(), grpc::FAILED_PRECONDITION);
  Modify(Where({"a"}, {"amy"}), {"Parent=b"}, &status_);
  EXPECT_EQ(DetailsOf(status_).Fields(), "settings[0].value");
  Remove(Where({"root"}, {""}), &status_);
  EXPECT_EQ(status_.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(DetailsOf(status_).reason, "ROOT_STAYS");
  v1::AssociationFilter all = Where({"root"}, {});
  all.set_with_sub_accounts(true);
  EXPECT_EQ(Remove(all).deleted(), 10);  // Seven associations, three users.
  EXPECT_EQ(Listed({}), "root/ ");
  EXPECT_EQ(Users().users_size(), 0);
}

TEST_F(AdministerAssociationsTest, ADefaultAccountIsRemovedOnlyWithTheLastOne) {
  AddUser("amy", {"b"});
  Remove(Where({"a"}, {""}), &status_);
  ExpectRefused(status_, grpc::FAILED_PRECONDITION, "amy (a)");
  Remove(Where({"a"}, {"amy"}), &status_);
  EXPECT_EQ(DetailsOf(status_).reason, "DEFAULT_ACCOUNT");
  ModifyUser("amy", {"DefaultAccount=b"});
  ModifyUser("cat", {"Coordinators=a,b"});
  const v1::ChangeResponse gone = Remove(Where({"a"}, {""}));
  EXPECT_EQ(gone.deleted(), 4);  // a, amy and ben in it, and ben, who is nowhere else.
  EXPECT_EQ(gone.updated(), 1);
  EXPECT_EQ(UserText("amy"), "b/None/");
  EXPECT_EQ(UserText("ben"), "");
  EXPECT_EQ(UserText("cat"), "b/None/b ");
}

TEST_F(AdministerAssociationsTest, TrackedJobsOfADeletedAccountAreReported) {
  v1::UpdateJobsRequest jobs = Upserts({JobOf("1", "amy"), JobOf("2", "ben")});
  for (v1::Job& job : *jobs.mutable_upserts()) job.set_account("a");
  RecalculateAt(Hour(0));
  UpdateJobs(service_, jobs);
  v1::ChangeOptions look;
  look.set_validate_only(true);
  const v1::ChangeResponse gone = Remove(Where({"a"}, {}), nullptr, look);
  ASSERT_EQ(gone.warnings_size(), 1);
  EXPECT_THAT(gone.warnings(0), HasSubstr("2 tracked jobs"));
}

TEST_F(AdministerAssociationsTest, AnEtagKeepsFromOverwritingWhatSomebodyElseChanged) {
  v1::ChangeOptions options;
  options.set_etag(List().etag());
  const v1::ChangeResponse first = Modify(Where({"a"}, {""}), {"Fairshare=5"}, nullptr, options);
  EXPECT_NE(first.etag(), options.etag());
  EXPECT_EQ(first.etag(), List().etag());
  Modify(Where({"a"}, {""}), {"Fairshare=6"}, &status_, options);
  EXPECT_EQ(status_.error_code(), grpc::ABORTED);
  EXPECT_EQ(DetailsOf(status_).reason, "ETAG_MISMATCH");
  EXPECT_EQ(Attribute("a", "", "Fairshare"), "5");
  options.set_etag(first.etag());
  Modify(Where({"a"}, {""}), {"Fairshare=6"}, nullptr, options);
}

TEST_F(AdministerAssociationsTest, ValidateOnlyReportsAllAndChangesNothing) {
  const std::string etag = List().etag();
  const size_t rows = AuditRows().size();
  v1::ChangeOptions look;
  look.set_validate_only(true);
  const v1::ChangeResponse would = Remove(Where({"a"}, {}), nullptr, look);
  EXPECT_EQ(would.deleted(), 5);
  EXPECT_EQ(would.etag(), etag);
  EXPECT_FALSE(would.has_takes_effect_at());
  EXPECT_EQ(List().etag(), etag);
  EXPECT_EQ(AuditRows().size(), rows);
  EXPECT_EQ(Listed(Where({"a"}, {})), "a/ a/amy a/ben ");
}

TEST_F(AdministerAssociationsTest, EachChangeHasItsAuditRow) {
  const size_t before = AuditRows().size();
  AddUser("eve", {"a", "b"});
  Modify(Where({"a"}, {"eve"}), {"Fairshare=4"});
  Modify(Where({"a"}, {"eve"}), {"Fairshare=4"});
  const std::vector<storage::AuditEvent> rows = AuditRows();
  ASSERT_EQ(rows.size(), before + 4);
  EXPECT_EQ(rows[0].action, "UpdateAssociations");
  EXPECT_EQ(rows[0].object, "user eve account a");
  EXPECT_EQ(rows[0].before, "Fairshare=1");
  EXPECT_EQ(rows[0].after, "Fairshare=4");
  EXPECT_EQ(rows[3].action, "CreateAssociations");
  EXPECT_EQ(rows[3].object, "user eve account a");
}

TEST_F(AdministerAssociationsTest, QosListsAreSetAddedToAndInherited) {
  Modify(Where({"a"}, {"amy"}), {"QOS-=double"});
  EXPECT_EQ(Attribute("a", "amy", "QOS"), "normal");
  Modify(Where({"a"}, {"amy"}), {"qos+=double"});
  EXPECT_EQ(Attribute("a", "amy", "QOS"), "normal,double");
  Modify(Where({"a"}, {"amy"}), {"QosLevel="});
  EXPECT_EQ(Attribute("a", "amy", "QOS"), "unset");
  EXPECT_EQ(Inherited("a", "amy", "QOS"), "normal,double");
  Modify(Where({"a"}, {""}), {"QOS=normal"});
  Modify(Where({"a"}, {"amy"}), {"DefaultQOS=double"}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "settings[0].value: got \"double\"");
  Modify(Where({"a"}, {"amy"}), {"DefaultQOS=normal"});
  Modify(Where({"root"}, {""}), {"QOS=double"});  // a has a list of its own.
  Modify(Where({"a"}, {""}), {"QOS="}, &status_);
  ExpectRefused(status_, grpc::FAILED_PRECONDITION, "user amy account a");
  Modify(Where({"a"}, {""}), {"QOS-=normal"}, &status_);
  ExpectRefused(status_, grpc::INVALID_ARGUMENT, "leaves no QOS");
  v1::AssociationFilter filter;
  filter.add_qos("double");
  EXPECT_EQ(Listed(filter), "root/ b/ b/cat ");
  v1::AssociationFilter default_qos;
  default_qos.add_default_qos("normal");
  EXPECT_EQ(Listed(default_qos), "a/amy ");
}

TEST_F(AdministerAssociationsTest, RawUsageOfZeroResetsIt) {
  Record({Hour(0), Hour(2), 3});
  Record({Hour(0), Hour(2), 1}, "ben");
  RecalculateAt(Hour(3));
  const double ben = UsageOf("a", "ben");
  const v1::ChangeResponse reset = Modify(Where({"a"}, {"amy"}), {"RawUsage=0", "Fairshare=7"});
  EXPECT_EQ(reset.changes(0).after(), "Fairshare=7 RawUsage=0");
  RecalculateAt(Hour(3));
  EXPECT_EQ(UsageOf("a", "amy"), 0);
  ExpectClose(UsageOf("a", ""), ben);
  Modify(Where({"a"}, {""}), {"RawUsage=0"});
  RecalculateAt(Hour(3));
  EXPECT_EQ(UsageOf("a", ""), 0);
  EXPECT_EQ(Rebuild(true).different_rows(), 0);
}

TEST_F(AdministerAssociationsTest, APartitionHasItsOwnAssociation) {
  v1::CreateAssociationsRequest request;
  v1::NewAssociation* wanted = request.add_associations();
  wanted->set_account("a");
  wanted->set_user("amy");
  wanted->set_partition("main");
  const v1::ChangeResponse created = Create(request);
  EXPECT_EQ(created.changes(0).object(), "user amy account a partition main");
  v1::AssociationFilter where = Where({}, {"amy"});
  where.add_partitions("main");
  Modify(where, {"Fairshare=9"});
  where.set_partitions(0, "");
  EXPECT_EQ(Listed(where), "a/amy ");
  EXPECT_EQ(Remove(where).deleted(), 1);
  EXPECT_EQ(Attribute("a", "amy", "Fairshare"), "9");
}

}  // namespace
}  // namespace priorityd::rpc
