#include "server/api/administration/list_audit_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

class ListAuditEventsTest : public ::testing::Test {
 protected:
  ListAuditEventsTest() {
    Import(service_, SmallSite());
    imported_ = List().events_size();
    EXPECT_GT(imported_, 1);
  }

  void Apply(const std::string& text, const std::string& comment = "") {
    v1::ApplyPolicyRequest request;
    request.set_text(text);
    request.set_comment(comment);
    ApplyPolicy(service_, request);
  }
  v1::ListAuditEventsResponse List(const v1::ListAuditEventsRequest& request = {}) {
    v1::ListAuditEventsResponse response;
    status_ = CallUnary(service_, request, &response);
    return response;
  }
  std::string Actions(const v1::ListAuditEventsRequest& request) {
    std::string actions;
    const auto list = List(request);
    for (const v1::AuditEvent& event : list.events()) actions += event.action() + " ";
    return actions;
  }
  // The actions since the import that made the site, and the number of the import's rows.
  std::string ActionsSinceImport(const v1::ListAuditEventsRequest& request) {
    const std::string actions = Actions(request);
    const size_t end = std::min(actions.find("Import "), actions.size());
    for (size_t at = end; at < actions.size(); at += sizeof("Import")) {
      EXPECT_EQ(actions.substr(at, sizeof("Import")), "Import ");
    }
    imports_ = static_cast<int>((actions.size() - end) / sizeof("Import"));
    return actions.substr(0, end);
  }

  TestService service_;
  grpc::Status status_;
  int imported_ = 0;
  int imports_ = 0;
};

TEST_F(ListAuditEventsTest, AnAppliedPolicyListsTheChangedParametersAndItsComment) {
  Apply("PriorityWeightAge=7\nPriorityFavorSmall=YES\n", "a trial");
  const v1::AuditEvent event = List().events(0);
  EXPECT_EQ(event.action(), "ApplyPolicy");
  EXPECT_EQ(event.object(), "cluster c");
  EXPECT_EQ(event.before(), "policy version 1 PriorityFavorSmall=NO PriorityWeightAge=0");
  EXPECT_EQ(event.after(), "policy version 2 PriorityFavorSmall=YES PriorityWeightAge=7");
  EXPECT_EQ(event.comment(), "a trial");
  EXPECT_NE(event.principal(), "");
  EXPECT_GT(event.time().seconds(), 0);
}

TEST_F(ListAuditEventsTest, AResetListsItsCommentSeparately) {
  v1::ResetUsageRequest request;
  request.set_account("a");
  request.set_comment("new year");
  v1::ResetUsageResponse response;
  ASSERT_TRUE(CallUnary(service_, request, &response).ok());
  const v1::AuditEvent event = List().events(0);
  EXPECT_EQ(event.action(), "ResetUsage");
  EXPECT_TRUE(absl::StrContains(event.object(), "account a")) << event.object();
  EXPECT_EQ(event.comment(), "new year");
  EXPECT_FALSE(absl::StrContains(event.after(), "new year")) << event.after();
}

TEST_F(ListAuditEventsTest, AWordThatIsNoActionIsRefusedWithTheListOfActions) {
  for (const char* action : {"Imprt", "import", "ListQos", "RankJobs", ""}) {
    v1::ListAuditEventsRequest request;
    request.add_actions("Import");
    request.add_actions(action);
    List(request);
    EXPECT_EQ(status_.error_code(), grpc::INVALID_ARGUMENT) << action;
    EXPECT_THAT(
        status_.error_message(),
        ::testing::AllOf(
            ::testing::HasSubstr(absl::StrCat("actions[1]: got \"", action, "\", want one of ")),
            ::testing::HasSubstr(", LeaseBegin, "), ::testing::HasSubstr(" ApplyPolicy, "),
            ::testing::Not(::testing::HasSubstr("ListQos, "))));
  }
}

TEST_F(ListAuditEventsTest, FiltersLeaveWhatFitsThemAll) {
  Apply("PriorityWeightAge=7\n");
  Apply("PriorityWeightAge=8\n");
  v1::ListAuditEventsRequest request;
  EXPECT_EQ(ActionsSinceImport(request), "ApplyPolicy ApplyPolicy ");
  EXPECT_EQ(imports_, imported_);
  request.add_actions("Import");
  EXPECT_EQ(ActionsSinceImport(request), "");
  EXPECT_EQ(imports_, imported_);
  request.set_object_contains("luster");
  EXPECT_EQ(Actions(request), "Import Import ");  // Its totals, and all of it.
  request.set_object_contains("none such");
  EXPECT_EQ(Actions(request), "");
  request = {};
  request.add_principals("nobody");
  EXPECT_EQ(Actions(request), "");
  const std::string who = List().events(0).principal();
  request.add_principals(who.substr(0, who.find(" (")));
  EXPECT_EQ(ActionsSinceImport(request), "ApplyPolicy ApplyPolicy ");
  request = {};
  *request.mutable_end_time() = List().events(2).time();
  EXPECT_EQ(Actions(request), "");
  request = {};
  *request.mutable_start_time() = List().events(2).time();
  EXPECT_EQ(ActionsSinceImport(request), "ApplyPolicy ApplyPolicy ");
  EXPECT_EQ(imports_, imported_);
}

TEST_F(ListAuditEventsTest, PagesContinueWhereTheOneBeforeEnded) {
  for (int i = 1; i <= 4; ++i) Apply("PriorityWeightAge=" + std::to_string(i) + "\n");
  v1::ListAuditEventsRequest request;
  request.set_page_size(2);
  std::string versions;
  do {
    const v1::ListAuditEventsResponse page = List(request);
    ASSERT_TRUE(status_.ok()) << status_.error_message();
    for (const v1::AuditEvent& event : page.events()) versions += event.action().substr(0, 1);
    versions += " ";
    request.set_page_token(page.next_page_token());
    // Newer ones do not move those that come.
    if (versions == "AA ") Apply("PriorityWeightAge=99\n");
  } while (!request.page_token().empty());
  EXPECT_EQ(versions.substr(0, 7), "AA AA I");
  EXPECT_EQ(std::count(versions.begin(), versions.end(), 'I'), imported_);
  request.set_page_token("nonsense");
  List(request);
  EXPECT_EQ(DetailsOf(status_).Fields(), "page_token");
}

// What a line of the import's audit says of an object.
TEST_F(ListAuditEventsTest, AnImportReportsEachObjectBeforeAndAfter) {
  v1::ImportRequest request = SmallSite();
  std::string* qos = request.mutable_files(1)->mutable_content();
  *qos = "Name|Priority|UsageFactor\nnormal|5|1\ndouble|10|2\n";
  request.mutable_files(2)->set_content(
      "Cluster - 'c':Fairshare=1:QOS='normal,double'\n"
      "Parent - 'root'\n"
      "Account - 'a':Fairshare=7:GrpTRESMins='cpu=100'\n"
      "Account - 'new':Fairshare=1\n"
      "Parent - 'a'\n"
      "User - 'amy':DefaultAccount='a':AdminLevel='Operator':Fairshare=2\n"
      "User - 'ben':DefaultAccount='a':Fairshare=1\n");
  request.set_clean(true);
  Import(service_, request);
  const v1::ListAuditEventsResponse list = List();
  std::map<std::string, std::string> told;
  for (int i = 1; i < list.events_size() - imported_; ++i) {
    const v1::AuditEvent& event = list.events(i);
    EXPECT_EQ(event.action(), "Import");
    told[event.object()] = event.before() + " -> " + event.after();
  }
  EXPECT_EQ(told["qos normal"], "Priority=0 -> Priority=5");
  EXPECT_EQ(told["account a"], "Fairshare=1 GrpTRESMins= -> Fairshare=7 GrpTRESMins=cpu=100");
  EXPECT_EQ(told["user amy"], "AdminLevel= -> AdminLevel=Operator");
  EXPECT_EQ(told["user cat"].substr(0, 21), "DefaultAccount=b -> ");
  EXPECT_TRUE(absl::StrContains(told["user cat account b"], "Fairshare=1"));
  EXPECT_TRUE(absl::EndsWith(told["account b"], " -> ")) << told["account b"];
  EXPECT_TRUE(absl::StartsWith(told["account new"], " -> ")) << told["account new"];
  EXPECT_TRUE(absl::StrContains(told["account new"], "Parent=root"));
  EXPECT_EQ(told.size(), 7u);
  // The newest is about all of it.
  const v1::AuditEvent& whole = list.events(0);
  EXPECT_EQ(whole.object(), "cluster c");
  EXPECT_EQ(whole.before(), "policy version 1");
  EXPECT_EQ(whole.after(),
            "associations: 1 created, 1 updated, 2 deleted; qos: 0 created, 1 updated, 0 deleted; "
            "partitions: 0 created, 0 updated, 0 deleted; opening usage: 0 created, 0 updated, 0 "
            "deleted; import 1; policy version 1");
}

TEST_F(ListAuditEventsTest, AnImportReportsTheChangedParameters) {
  Import(service_, SmallSite("PriorityWeightAge=7\n"));
  const v1::AuditEvent event = List().events(0);
  EXPECT_EQ(event.before(), "policy version 1 PriorityWeightAge=0");
  EXPECT_TRUE(absl::EndsWith(event.after(), "; policy version 2 PriorityWeightAge=7"))
      << event.after();
}

TEST_F(ListAuditEventsTest, AnImportStatesTotalsWithEveryDigit) {
  Import(service_, SmallSite("NodeName=m1 RealMemory=1541001\n"));
  Import(service_, SmallSite("NodeName=m1 RealMemory=1541002\n"));
  const v1::ListAuditEventsResponse list = List();
  const auto is_change = [](const v1::AuditEvent& event) {
    return event.object() == "cluster c" && event.before() == "mem=1551001" &&
           event.after() == "mem=1551002";
  };
  EXPECT_TRUE(std::any_of(list.events().begin(), list.events().end(), is_change))
      << list.ShortDebugString();
}

TEST_F(ListAuditEventsTest, AClusterThatNeverWasIsNotFound) {
  v1::ListAuditEventsRequest request;
  request.set_cluster("nowhere");
  List(request);
  EXPECT_EQ(status_.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailsOf(status_).reason, "UNKNOWN_CLUSTER");
}

}  // namespace
}  // namespace priorityd::rpc
