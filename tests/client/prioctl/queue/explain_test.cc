// The lines of prioctl explain before its tables.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "client/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ExplainTest : public PrioctlTest {
 protected:
  void Answer(const v1::ExplainPriorityResponse& explanation) {
    fake_.explain.Answer([explanation](const auto&, v1::ExplainPriorityResponse* response) {
      *response = explanation;
      return grpc::Status::OK;
    });
  }
};

TEST_F(ExplainTest, TheFirstLineSaysWhenTheJobStarts) {
  v1::ExplainPriorityResponse response;
  response.set_job_id("17");
  response.set_user("ann");
  response.set_account("chem");
  response.set_partition("main");
  response.set_priority(1234);
  response.set_rank(4);
  *response.mutable_as_of() = client::ToTimestamp(absl::FromUnixSeconds(1'780'000'000));
  *response.mutable_planned_start()->mutable_expected_start() =
      client::ToTimestamp(absl::FromUnixSeconds(1'780'000'000) + absl::Minutes(167));
  response.mutable_planned_start()->set_behind_job_id("12");
  response.add_sentences("It is number 4 of 17 in the start order.");
  response.add_sentences("Age gives 250 of at most 1000 (100%).");
  Answer(response);
  const std::string out = Output({"explain", "--job", "17"});
  EXPECT_THAT(out, StartsWith("job 17: It starts about "));
  EXPECT_THAT(out, HasSubstr(" (in 2 h 47 min) behind job 12, if running jobs take all their "
                             "time.\n"
                             "It is number 4 of 17 in the start order.\n\n"
                             "user ann, account chem, partition main, priority 1234\n\n"
                             "Age gives 250 of at most 1000 (100%).\n"));
}

TEST_F(ExplainTest, ReservesHaveAColumnWhereThereAreAny) {
  v1::ExplainPriorityResponse response;
  response.set_job_id("17");
  v1::AssociationShare& share = *response.add_fair_share_path();
  share.set_account("chem");
  share.set_raw_usage(28800);
  Answer(response);
  EXPECT_THAT(Run({"explain", "--job", "17"}).out, Not(HasSubstr("RESERVED")));
  response.mutable_fair_share_path(0)->set_reserved_usage(21600);
  Answer(response);
  const std::string out = Run({"explain", "--job", "17"}).out;
  EXPECT_THAT(out, HasSubstr("RESERVED"));
  EXPECT_THAT(out, HasSubstr("21,600"));
}

TEST_F(ExplainTest, ANumberIsAJobOfTheTrackedQueueUnlessAFileHasItsName) {
  v1::ExplainPriorityResponse response;
  response.set_job_id("17_2");
  Answer(response);
  EXPECT_EQ(Run({"explain", "17_2"}).exit_code, 0);
  EXPECT_EQ(fake_.explain.requests().back().job_id(), "17_2");
  EXPECT_TRUE(fake_.explain.requests().back().has_tracked());
  const Finished other = Run({"explain", "jobs.jsonl"});
  EXPECT_THAT(other.err, HasSubstr("jobs.jsonl: No such file"));
}

TEST_F(ExplainTest, TheFirstTwoLinesSayWhyAJobCannotStartAndWhatHelps) {
  v1::ExplainPriorityResponse response;
  response.set_job_id("18");
  response.set_user("ann");
  response.set_account("chem");
  response.set_ineligible_reason("InvalidQOS");
  response.add_sentences("It cannot start now (InvalidQOS): QOS gone does not exist.");
  response.add_sentences("Name one of the QOS normal.");
  Answer(response);
  const std::string out = Output({"explain", "--job", "18"});
  EXPECT_THAT(out, StartsWith("job 18: It cannot start now (InvalidQOS): QOS gone does not "
                              "exist.\n"
                              "Name one of the QOS normal.\n\n"
                              "user ann, account chem\n"));
  // There is no row, so no figure of one is printed.
  EXPECT_THAT(out, Not(HasSubstr("billing")));
  EXPECT_THAT(out, Not(HasSubstr("factors")));
}

TEST_F(ExplainTest, TimesInSentencesAreWrittenAsAllOthers) {
  v1::ExplainPriorityResponse response;
  response.set_job_id("19");
  response.add_sentences("It cannot begin before 2026-11-26T11:35:36+02:00, see 2026-11-26.");
  Answer(response);
  const std::string local = absl::FormatTime(
      "%Y-%m-%dT%H:%M:%S",
      absl::FromCivil(absl::CivilSecond(2026, 11, 26, 9, 35, 36), absl::UTCTimeZone()),
      absl::LocalTimeZone());
  EXPECT_THAT(Run({"explain", "--job", "19"}).out,
              HasSubstr(absl::StrCat("It cannot begin before ", local, ", see 2026-11-26.\n")));
}

}  // namespace
}  // namespace priorityd
