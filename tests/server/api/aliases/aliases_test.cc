// Aliases through the whole service: records and jobs count for the users behind the names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/aliased_site.h"
#include "tests/server/service/job_requests.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kRunner[] = "system:serviceaccount:chem:runner";

class AliasesTest : public AliasedSite {
 protected:
  std::vector<std::string> Listed(const v1::ListAliasesRequest& request = {}) {
    std::vector<std::string> lines;
    const v1::ListAliasesResponse list = Aliases(request);
    for (const v1::UserAlias& alias : list.aliases()) {
      lines.push_back(absl::StrCat(alias.source(), " ", alias.alias(), " ", alias.user(), " ",
                                   alias.version()));
    }
    return lines;
  }

  std::string RefusalOf(const AliasList& remove, const AliasList& add,
                        std::string* message = nullptr) {
    grpc::Status status;
    Change(remove, add, &status);
    if (message != nullptr) *message = status.error_message();
    return status.ok() ? "" : DetailsOf(status).reason;
  }

  std::string OwnerOf(const std::string& job_id) {
    const v1::ListJobsResponse list = ListJobs(service_);
    for (const v1::TrackedJob& job : list.jobs()) {
      if (job.job().job_id() == job_id) return job.job().user();
    }
    return "";
  }
};

TEST_F(AliasesTest, ARecordOfItsSourceCountsForTheUserAndOneOfAnotherSourceDoesNot) {
  EXPECT_EQ(Send(HourOf("k8s", "1", kRunner)).reason(), v1::REJECTION_REASON_UNKNOWN_USER);
  Change({}, {AliasOf("k8s", kRunner, "amy")});
  EXPECT_EQ(Send(HourOf("k8s", "1", kRunner)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(Send(HourOf("slurm", "1", kRunner)).reason(), v1::REJECTION_REASON_UNKNOWN_USER);
  EXPECT_EQ(HoursOf("amy"), 1);
  EXPECT_EQ(HoursOf("ben"), 0);
}

TEST_F(AliasesTest, WithoutAnAccountTheDefaultAccountOfTheUserIsCharged) {
  Change({}, {AliasOf("", "amy@EXAMPLE.ORG", "amy")});
  v1::UsageRecord record = HourOf("s", "1", "amy@EXAMPLE.ORG");
  record.clear_account();
  EXPECT_EQ(Send(record).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(HoursOf("amy"), 1);
}

TEST_F(AliasesTest, TheAliasOfTheSourceHoldsBeforeThatOfEverySource) {
  Change({}, {AliasOf("", "1000", "amy"), AliasOf("k8s", "1000", "ben")});
  Send(HourOf("k8s", "1", "1000"));
  Send(HourOf("k8s", "2", "1000"));
  Send(HourOf("slurm", "1", "1000"));
  EXPECT_EQ(HoursOf("ben"), 2);
  EXPECT_EQ(HoursOf("amy"), 1);
}

TEST_F(AliasesTest, ARecordStaysWithTheUserOfItsFirstSendingAndIsOneRecord) {
  Change({}, {AliasOf("k8s", kRunner, "amy")});
  Send(HourOf("k8s", "1", kRunner));
  Change({AliasOf("k8s", kRunner)}, {AliasOf("k8s", kRunner, "ben")});
  EXPECT_EQ(Send(HourOf("k8s", "1", kRunner)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  Change({AliasOf("k8s", kRunner)}, {});
  EXPECT_EQ(Send(HourOf("k8s", "1", kRunner)).status(), v1::USAGE_RECORD_STATUS_DUPLICATE);
  EXPECT_EQ(HoursOf("amy"), 1);
  EXPECT_EQ(HoursOf("ben"), 0);
}

TEST_F(AliasesTest, ARecordBelongsToTheNameThatWasSent) {
  Change({}, {AliasOf("k8s", kRunner, "amy")});
  Send(HourOf("k8s", "1", kRunner));
  EXPECT_EQ(Send(HourOf("k8s", "1", "amy")).reason(), v1::REJECTION_REASON_CONFLICT);
}

TEST_F(AliasesTest, ACorrectionMovesTheUsageToTheUserOfToday) {
  Change({}, {AliasOf("k8s", kRunner, "amy")});
  Send(HourOf("k8s", "1", kRunner));
  Change({AliasOf("k8s", kRunner)}, {AliasOf("k8s", kRunner, "ben")});
  v1::UsageRecord correction = HourOf("k8s", "2", kRunner);
  correction.set_replaces_record_id("1");
  EXPECT_EQ(Send(correction).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(HoursOf("amy"), 0);
  EXPECT_EQ(HoursOf("ben"), 1);
}

TEST_F(AliasesTest, AJobBelongsToTheUserBehindTheName) {
  Change({}, {AliasOf("test", kRunner, "amy")});
  v1::Job job = JobOf("1", kRunner);
  job.set_account("a");
  EXPECT_EQ(UpdateJobs(service_, Upserts({job})).upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  EXPECT_EQ(OwnerOf("1"), "amy");
  EXPECT_EQ(UpdateJobs(service_, Upserts({job})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_UNCHANGED);
}

// A change of other fields has no user, and must not look for one.
TEST_F(AliasesTest, AChangeWithoutTheUserKeepsTheUserOfTheJob) {
  UpdateJobs(service_, Upserts({JobOf("1", "ben")}));
  Change({}, {AliasOf("", "-", "amy")});
  v1::UpdateJobsRequest request = Upserts({JobOf("1", "")});
  request.mutable_update_mask()->add_paths("nice");
  request.mutable_upserts(0)->set_nice(5);
  UpdateJobs(service_, request);
  EXPECT_EQ(OwnerOf("1"), "ben");
}

TEST_F(AliasesTest, AliasesOutliveTheProcessAndHoldInEachReplica) {
  Change({}, {AliasOf("k8s", kRunner, "amy"), AliasOf("test", kRunner, "ben")});
  TestService::Options options;
  options.database_url = service_.database_url();
  TestService other(options);
  EXPECT_EQ(SendTo(other, HourOf("k8s", "1", kRunner)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(UpdateJobs(other, Upserts({JobOf("1", kRunner)})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_UPSERTED);
  // The other one has its prices already.
  Change({AliasOf("k8s", kRunner)}, {AliasOf("k8s", kRunner, "ben")});
  EXPECT_EQ(SendTo(other, HourOf("k8s", "2", kRunner)).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  EXPECT_EQ(HoursOf("amy"), 1);
  EXPECT_EQ(HoursOf("ben"), 1);
}

TEST_F(AliasesTest, ConflictsAreRefusedAndNothingIsChanged) {
  Change({}, {AliasOf("k8s", "x", "amy")});
  std::string message;
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "y", "ben"), AliasOf("k8s", "x", "ben")}, &message),
            "ALIAS_TAKEN");
  EXPECT_THAT(message, HasSubstr("add[1].alias: got alias \"x\" of source \"k8s\" for user "
                                 "\"ben\", but it is user \"amy\""));
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "ben", "amy")}), "ALIAS_IS_USER");
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "z", "x")}), "ALIAS_CHAIN");
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "y", "amy"), AliasOf("", "z", "y")}), "ALIAS_CHAIN");
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "z", "zoe")}, &message), "UNKNOWN_USER");
  EXPECT_THAT(message, HasSubstr("add[0].user: got \"zoe\", want a user with an association"));
  EXPECT_EQ(RefusalOf({AliasOf("", "x")}, {}), "UNKNOWN_ALIAS") << "that is of k8s";
  EXPECT_EQ(RefusalOf({AliasOf("k8s", "x", "ben")}, {}), "UNKNOWN_ALIAS") << "that is amy";
  EXPECT_THAT(Listed(), ElementsAre("k8s x amy 1"));
}

TEST_F(AliasesTest, TheUserOfAnAliasDoesNotBecomeOneOnceItHasNoAssociation) {
  Change({}, {AliasOf("", "x", "ben")});
  Remove(Where({}, {"ben"}));
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "ben", "amy")}), "ALIAS_CHAIN");
  EXPECT_EQ(Send(HourOf("s", "1", "x")).status(), v1::USAGE_RECORD_STATUS_ACCEPTED);
  RecalculateAt(TestEpoch());
  EXPECT_EQ(UsageOf("a", ""), 3600) << "as usage of ben, who is deleted";
}

TEST_F(AliasesTest, AnAliasHoldsBeforeAUserOfItsNameThatIsCreatedLater) {
  Change({}, {AliasOf("", "zoe", "amy")});
  AddUser("zoe", {"a"});
  Send(HourOf("s", "1", "zoe"));
  EXPECT_EQ(HoursOf("amy"), 1);
  Change({AliasOf("", "zoe")}, {});
  Send(HourOf("s", "2", "zoe"));
  EXPECT_EQ(HoursOf("amy"), 1);
  EXPECT_EQ(HoursOf("zoe"), 1);
}

TEST_F(AliasesTest, AClusterHasAtMostAHundredThousand) {
  Execute(
      "INSERT INTO priorityd.user_alias SELECT id, '', 'n' || i, 'amy', 1 "
      "FROM priorityd.cluster, generate_series(1, 99999) AS i");
  Change({}, {AliasOf("", "x", "amy")});
  std::string message;
  EXPECT_EQ(RefusalOf({}, {AliasOf("", "y", "amy")}, &message), "TOO_MANY_ALIASES");
  EXPECT_THAT(message, HasSubstr("got 100001 aliases of the cluster, want at most 100000"));
}

TEST_F(AliasesTest, WrongFieldsAreNamed) {
  grpc::Status status;
  Change({AliasOf("s", "")},
         {AliasOf(std::string(257, 's'), std::string(257, 'a'), ""), AliasOf("", "x", "x"),
          AliasOf("", "x", "amy")},
         &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(),
            "remove[0].alias,add[0].source,add[0].alias,add[2],add[0].user,add[1].user");
  Change({},
         {AliasOf("",
                  "a\x1b"
                  "b",
                  "amy"),
          AliasOf("", "c\xc2\x85", "amy")},
         &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "add[0].alias,add[1].alias") << "control characters";
  Change({},
         {AliasOf("", "\xe2\x80\xaexob", "amy"), AliasOf("k8s\xe2\x80\x8b", "b", "amy"),
          AliasOf("", "cafe\xcc\x81", "amy")},
         &status);
  EXPECT_EQ(DetailsOf(status).Fields(), "add[0].alias,add[1].source,add[2].alias")
      << "what Import leaves out too";
  EXPECT_EQ(Change({}, {AliasOf("", "caf\xc3\xa9", "amy")}).created(), 1);
  AliasList many;
  for (int i = 0; i < 1001; ++i) many.push_back(AliasOf("", absl::StrCat("x", i), "amy"));
  Change({}, many, &status);
  EXPECT_THAT(status.error_message(), HasSubstr("got 1001, want at most 1000 a call"));
  many.pop_back();
  EXPECT_EQ(Change({}, many).created(), 1000);
}

TEST_F(AliasesTest, ChangesHaveVersionsEtagsAndAuditEvents) {
  const std::string etag = Aliases().etag();
  EXPECT_EQ(Aliases().version(), 0);
  v1::ChangeOptions options;
  options.set_validate_only(true);
  EXPECT_EQ(Change({}, {AliasOf("k8s", "x", "amy")}, nullptr, options).created(), 1);
  EXPECT_THAT(Listed(), IsEmpty());
  options.set_validate_only(false);
  options.set_etag(etag);
  options.set_comment("as agreed");
  Change({}, {AliasOf("k8s", "x", "amy")}, nullptr, options);
  grpc::Status status;
  Change({}, {AliasOf("k8s", "y", "amy")}, &status, options);
  EXPECT_EQ(DetailsOf(status).reason, "ETAG_MISMATCH");
  EXPECT_EQ(Change({}, {AliasOf("k8s", "x", "amy")}).unchanged(), 1);
  Change({}, {AliasOf("", "y", "ben")});
  EXPECT_THAT(Listed(), ElementsAre(" y ben 2", "k8s x amy 1"));
  EXPECT_EQ(Aliases().version(), 2);
  v1::ListAuditEventsRequest audit;
  audit.add_actions("UpdateAliases");
  const auto events = Called<v1::ListAuditEventsResponse>(audit, nullptr);
  ASSERT_EQ(events.events_size(), 2);
  EXPECT_EQ(events.events(1).object(), "alias \"x\" of source \"k8s\"");
  EXPECT_EQ(events.events(1).after(), "User=amy");
  EXPECT_EQ(events.events(1).comment(), "as agreed");
}

TEST_F(AliasesTest, PagesHaveEachAliasOnceInBytewiseOrder) {
  Change({}, {AliasOf("b", "x", "amy"), AliasOf("", "z", "amy"), AliasOf("b", "Y", "ben"),
              AliasOf("a", "x", "ben"), AliasOf("", "a", "amy")});
  std::vector<std::string> all;
  v1::ListAliasesRequest request;
  request.set_page_size(2);
  do {
    const v1::ListAliasesResponse page = Aliases(request);
    for (const v1::UserAlias& alias : page.aliases()) {
      all.push_back(absl::StrCat(alias.source(), "/", alias.alias()));
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_THAT(all, ElementsAre("/a", "/z", "a/x", "b/Y", "b/x"));
  request.add_sources("b");
  request.add_users("amy");
  EXPECT_THAT(Listed(request), ElementsAre("b x amy 1"));
}

}  // namespace
}  // namespace priorityd::rpc
