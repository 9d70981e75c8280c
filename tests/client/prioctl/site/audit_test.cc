#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(PrioctlTest, AuditPrintsTheActorTheActionAndTheObject) {
  fake_.list_audit_events.Answer([](const auto&, v1::ListAuditEventsResponse* response) {
    v1::AuditEvent* event = response->add_events();
    event->set_principal("amy (MUNGE, uid 1000; ipv4:127.0.0.1:1)");
    event->set_action("UpdateQos");
    event->set_object("qos high");
    event->set_before("Priority=1");
    event->set_after("Priority=2");
    event->set_comment("for the deadline");
    return grpc::Status::OK;
  });
  const std::string out = Output({"audit"});
  for (const char* cell :
       {"amy", "UpdateQos", "qos high", "Priority=1", "Priority=2", "for the deadline"}) {
    EXPECT_THAT(out, HasSubstr(cell));
  }
  EXPECT_THAT(out, Not(HasSubstr("MUNGE")));
  EXPECT_THAT(Run({"audit", "--json"}).out, HasSubstr("MUNGE"));
}

TEST_F(PrioctlTest, AuditSaysThatNothingWasChanged) {
  fake_.list_audit_events.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"audit", "--actions", "Import"}).out, "no changes\n");
}

TEST_F(PrioctlTest, AuditSendsItsFilters) {
  fake_.list_audit_events.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  Output({"audit", "-u", "amy,ben", "--actions", "Import", "--object", "chem", "--start",
          "2026-11-20T00:00:00Z", "--end", "2026-11-21T00:00:00Z", "--limit", "7"});
  const v1::ListAuditEventsRequest request = fake_.list_audit_events.requests()[0];
  EXPECT_THAT(request.principals(), ElementsAre("amy", "ben"));
  EXPECT_THAT(request.actions(), ElementsAre("Import"));
  EXPECT_EQ(request.object_contains(), "chem");
  EXPECT_EQ(request.end_time().seconds() - request.start_time().seconds(), 86400);
  EXPECT_EQ(request.page_size(), 7);
}

TEST_F(PrioctlTest, AuditReadsAsManyPagesAsItTakes) {
  fake_.list_audit_events.Answer(
      [](const v1::ListAuditEventsRequest& request, v1::ListAuditEventsResponse* response) {
        for (int i = 0; i < std::min(request.page_size(), 2); ++i) response->add_events();
        response->set_next_page_token("more");
        return grpc::Status::OK;
      });
  const Finished run = Run({"audit", "--limit", "3"});
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 4);  // With a heading.
}

}  // namespace
}  // namespace priorityd
