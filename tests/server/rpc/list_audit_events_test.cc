#include "server/rpc/list_audit_events.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "tests/server/rpc/stubs.h"
#include "tests/server/rpc/test_service.h"

namespace priorityd::rpc {
namespace {

class ListAuditEventsTest : public ::testing::Test {
 protected:
  ListAuditEventsTest() { Import(service_, SmallSite()); }

  void Apply(const std::string& text, const std::string& comment = "") {
    v1::ApplyPolicyRequest request;
    request.set_text(text);
    request.set_comment(comment);
    ApplyPolicy(service_, request);
  }
  v1::ListAuditEventsResponse List(const v1::ListAuditEventsRequest& request = {}) {
    grpc::ClientContext context;
    v1::ListAuditEventsResponse response;
    status_ = AdminStub(service_).ListAuditEvents(&context, request, &response);
    return response;
  }
  std::string Actions(const v1::ListAuditEventsRequest& request) {
    std::string actions;
    const auto list = List(request);
    for (const v1::AuditEvent& event : list.events()) actions += event.action() + " ";
    return actions;
  }

  TestService service_;
  grpc::Status status_;
};

TEST_F(ListAuditEventsTest, AnAppliedPolicyTellsWhichParametersAreOthersNowAndWhy) {
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

TEST_F(ListAuditEventsTest, AResetTellsItsCommentApart) {
  v1::ResetUsageRequest request;
  request.set_account("a");
  request.set_comment("new year");
  v1::ResetUsageResponse response;
  grpc::ClientContext context;
  ASSERT_TRUE(AdminStub(service_).ResetUsage(&context, request, &response).ok());
  const v1::AuditEvent event = List().events(0);
  EXPECT_EQ(event.action(), "ResetUsage");
  EXPECT_TRUE(absl::StrContains(event.object(), "account a")) << event.object();
  EXPECT_EQ(event.comment(), "new year");
  EXPECT_FALSE(absl::StrContains(event.after(), "new year")) << event.after();
}

TEST_F(ListAuditEventsTest, FiltersLeaveWhatFitsThemAll) {
  Apply("PriorityWeightAge=7\n");
  Apply("PriorityWeightAge=8\n");
  v1::ListAuditEventsRequest request;
  EXPECT_EQ(Actions(request), "ApplyPolicy ApplyPolicy Import ");
  request.add_actions("Import");
  EXPECT_EQ(Actions(request), "Import ");
  request.set_object_contains("luster");
  EXPECT_EQ(Actions(request), "Import ");
  request.set_object_contains("account");
  EXPECT_EQ(Actions(request), "");
  request = {};
  request.add_principals("nobody");
  EXPECT_EQ(Actions(request), "");
  const std::string who = List().events(0).principal();
  request.add_principals(who.substr(0, who.find(" (")));
  EXPECT_EQ(Actions(request), "ApplyPolicy ApplyPolicy Import ");
  request = {};
  *request.mutable_end_time() = List().events(2).time();
  EXPECT_EQ(Actions(request), "");
  request = {};
  *request.mutable_start_time() = List().events(2).time();
  EXPECT_EQ(Actions(request), "ApplyPolicy ApplyPolicy Import ");
}

TEST_F(ListAuditEventsTest, PagesGoOnWhereTheOneBeforeEnded) {
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
  EXPECT_EQ(versions, "AA AA I ");
  request.set_page_token("nonsense");
  List(request);
  EXPECT_EQ(DetailsOf(status_).Fields(), "page_token");
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
