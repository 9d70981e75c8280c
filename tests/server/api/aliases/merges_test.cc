// Two users of one person through the whole service: merged, and parted again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "priority/v1/grant.pb.h"
#include "tests/await.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/merging_site.h"

namespace priorityd::rpc {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class MergesTest : public MergingSite {
 protected:
  void Used(const std::string& id, const std::string& user) { Send(HourOf("s", id, user)); }

  std::vector<std::string> UsersOfA() {
    RecalculateAt(TestEpoch());
    std::vector<std::string> users;
    const v1::ListSharesResponse list = ListShares(service_);
    for (const v1::AssociationShare& row : list.shares()) {
      if (row.account() == "a" && !row.user().empty()) users.push_back(row.user());
    }
    return users;
  }

  v1::ChangeResponse Grant(const std::string& name, const std::string& user,
                           grpc::Status* status = nullptr) {
    v1::UpdateGrantsRequest request;
    request.add_names(name);
    request.set_allow_missing(true);
    request.mutable_options()->set_comment("as agreed");
    AddSettings({"Accounts=a", "User=" + user, "Amount=600", "Begin=2026-01-04T00:00:00Z"},
                &request);
    return Changed(request, status);
  }
  // In CPU minutes.
  double GrantUsed(const std::string& name) {
    RecalculateAt(TestEpoch());
    v1::ListGrantsRequest request;
    request.add_names(name);
    v1::ListGrantsResponse response;
    const grpc::Status done = CallUnary(service_, request, &response);
    EXPECT_TRUE(done.ok() && response.grants_size() == 1) << done.error_message();
    return response.grants_size() == 1 ? response.grants(0).balance().used_minutes() : -1;
  }

  v1::RankJobsResponse RankOne(const std::string& user) { return RankOne(service_, user); }
  static v1::RankJobsResponse RankOne(TestService& service, const std::string& user) {
    v1::RankJobsRequest request;
    request.set_view(v1::RANK_VIEW_FULL);
    v1::Job* job = request.mutable_jobs()->add_jobs();
    *job = JobOf("1", user);
    job->set_account("a");
    job->set_cpus(1);
    job->mutable_time_limit()->set_seconds(3600);
    return RankJobs(service, request);
  }
  // What the fair-share contributes to the priority of a job; -1 = it is not ranked.
  double FairShareOf(const std::string& user) {
    const v1::RankJobsResponse ranked = RankOne(user);
    EXPECT_EQ(ranked.ranked_size(), 1) << user;
    return ranked.ranked_size() == 1 ? ranked.ranked(0).contributions().fair_share() : -1;
  }
  // The ids of the tracked jobs that RankJobs ranks for these users.
  std::vector<std::string> RankedOf(const Names& users) {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    for (const std::string& user : users) request.add_users(user);
    std::vector<std::string> ids;
    const v1::RankJobsResponse response = RankJobs(service_, request);
    for (const v1::RankedJob& job : response.ranked()) ids.push_back(job.job_id());
    return ids;
  }
};

TEST_F(MergesTest, UsageBeforeAndAfterCountsAsTheOthersAndComesBackWithTheUndo) {
  Used("1", "amy");
  Used("2", "a.smith");
  EXPECT_EQ(HoursOf("amy"), 1);
  Merge("a.smith", "amy");
  EXPECT_EQ(HoursOf("amy"), 2);
  Used("3", "a.smith");
  EXPECT_EQ(HoursOf("amy"), 3);
  EXPECT_THAT(UsersOfA(), UnorderedElementsAre("amy", "ben"));
  const v1::AssociationShare amy = ShareOf(ListShares(service_), "a", "amy");
  EXPECT_EQ(amy.level_shares(), 3) << "2 of amy and 1 of ben";
  EXPECT_EQ(amy.sibling_count(), 2);
  EXPECT_THAT(amy.merged_users(), ElementsAre("a.smith"));
  EXPECT_EQ(UsageOf("a", ""), 3 * 3600);
  Unmerge("a.smith");
  EXPECT_EQ(HoursOf("amy"), 1);
  EXPECT_EQ(HoursOf("a.smith"), 2) << "also what was sent meanwhile";
  EXPECT_EQ(ShareOf(ListShares(service_), "a", "amy").level_shares(), 6);
}

TEST_F(MergesTest, AnAliasOfAMergedUserCountsAsTheOther) {
  Change({}, {AliasOf("", "a@EXAMPLE.ORG", "a.smith")});
  Merge("a.smith", "amy");
  Used("1", "a@EXAMPLE.ORG");
  EXPECT_EQ(HoursOf("amy"), 1);
  Unmerge("a.smith");
  EXPECT_EQ(HoursOf("a.smith"), 1);
}

TEST_F(MergesTest, JobsUnderTheOldNameRankAsTheOthersAndKeepTheirName) {
  Apply("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityWeightFairshare=1000\n");
  Used("1", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_GT(FairShareOf("a.smith"), FairShareOf("amy")) << "who alone has used something";
  v1::Job job = JobOf("7", "a.smith");
  job.set_account("a");
  UpdateJobs(service_, Upserts({job, JobOf("8", "amy")}));
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(FairShareOf("a.smith"), FairShareOf("amy"));
  EXPECT_THAT(RankedOf({"amy"}), UnorderedElementsAre("7", "8"));
  EXPECT_THAT(RankedOf({"a.smith"}), ElementsAre("7"));
  UpdateJobs(service_, Removal("8"));
  v1::ListJobsRequest of_amy;
  of_amy.add_users("amy");
  const v1::ListJobsResponse list = ListJobs(service_, of_amy);
  ASSERT_EQ(list.jobs_size(), 1);
  EXPECT_EQ(list.jobs(0).job().user(), "a.smith");
  EXPECT_EQ(UpdateJobs(service_, Upserts({job})).upserts(0).outcome(),
            v1::UPDATE_OUTCOME_UNCHANGED);
  Unmerge("a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_THAT(ListJobs(service_, of_amy).jobs(), IsEmpty());
  EXPECT_THAT(RankedOf({"amy"}), IsEmpty());
  EXPECT_GT(FairShareOf("a.smith"), FairShareOf("amy"));
}

// Its own association would take the QOS, and the other's would not.
TEST_F(MergesTest, ASubmissionUnderTheOldNameIsTakenOrRefusedAsTheOthers) {
  Apply("AccountingStorageEnforce=associations,qos\n");
  Modify(Where({"a"}, {"amy"}), {"qos=normal"});
  RecalculateAt(TestEpoch());
  v1::Job job = JobOf("7", "a.smith");
  job.set_account("a");
  job.add_qos("double");
  const auto submit = [&](const std::string& id) {
    job.set_job_id(id);
    return UpdateJobs(service_, Upserts({job})).upserts(0);
  };
  EXPECT_EQ(submit("7").outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(submit("8").reason(), "InvalidQOS");
  Modify(Where({"a"}, {"amy"}), {"qos+=double"});
  EXPECT_EQ(submit("8").outcome(), v1::UPDATE_OUTCOME_UPSERTED)
      << "the next recalculation takes it";
}

TEST_F(MergesTest, TheExplanationSaysWhoseUsageCounts) {
  Apply("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityWeightFairshare=1000\n");
  Used("1", "a.smith");
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  v1::ExplainPriorityRequest request;
  v1::Job* job = request.mutable_jobs()->add_jobs();
  *job = JobOf("1", "amy");
  job->set_account("a");
  const v1::ExplainPriorityResponse explained = ExplainPriority(service_, request);
  EXPECT_THAT(explained.sentences(),
              Contains("Usage and jobs of a.smith count as amy's: the users are merged."));
  Unmerge("a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_THAT(ExplainPriority(service_, request).sentences(), Not(Contains(HasSubstr("merged"))));
}

// amy's job is before ben's while neither has used anything.
TEST_F(MergesTest, ASupposedUsageOfAMergedUserIsTheOthers) {
  Apply("PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\nPriorityWeightFairshare=1000\n");
  RecalculateAt(TestEpoch());
  v1::SimulateRequest request;
  *request.mutable_jobs()->add_jobs() = JobOf("1", "amy");
  *request.mutable_jobs()->add_jobs() = JobOf("2", "ben");
  v1::SupposedUsage* usage = request.add_usage();
  usage->set_account("a");
  usage->set_user("a.smith");
  usage->set_usage(3600);
  const auto moved_down = [&] {
    v1::SimulateResponse response;
    const grpc::Status done = CallUnary(service_, request, &response);
    EXPECT_TRUE(done.ok()) << done.error_message();
    return response.moved_down();
  };
  EXPECT_EQ(moved_down(), 0);
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(moved_down(), 1);
}

TEST_F(MergesTest, LimitsOnUsageCountTheMergedUsage) {
  Modify(Where({"a"}, {"amy"}), {"GrpTRESMins=cpu=60"});
  Used("1", "a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(RankOne("amy").ranked_size(), 1);
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  ASSERT_EQ(RankOne("amy").ineligible_size(), 1) << "all 60 minutes are used";
  EXPECT_EQ(RankOne("a.smith").ineligible_size(), 1);
  Unmerge("a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(RankOne("amy").ranked_size(), 1);
  EXPECT_EQ(RankOne("a.smith").ranked_size(), 1);
}

TEST_F(MergesTest, LimitsOnJobsCountTheJobsOfBoth) {
  Modify(Where({"a"}, {"amy"}), {"MaxJobs=1"});
  v1::Job running = JobOf("7", "a.smith");
  running.set_account("a");
  running.set_state(v1::JOB_STATE_RUNNING);
  *running.mutable_start_time() = ToTimestamp(TestEpoch());
  UpdateJobs(service_, Upserts({running, JobOf("8", "amy")}));
  RecalculateAt(TestEpoch());
  v1::RankJobsRequest tracked;
  tracked.mutable_tracked();
  EXPECT_EQ(RankJobs(service_, tracked).ranked_size(), 1);
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(RankJobs(service_, tracked).ineligible_size(), 1);
  Unmerge("a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_EQ(RankJobs(service_, tracked).ranked_size(), 1);
}

TEST_F(MergesTest, AGrantOfTheOtherCountsAllRecordsOfBothAndPartsThemAgain) {
  Used("1", "amy");
  Used("2", "a.smith");
  Grant("of-amy", "amy");
  EXPECT_EQ(GrantUsed("of-amy"), 60);
  Merge("a.smith", "amy");
  EXPECT_EQ(GrantUsed("of-amy"), 120);
  Used("3", "a.smith");
  EXPECT_EQ(GrantUsed("of-amy"), 180);
  Unmerge("a.smith");
  EXPECT_EQ(GrantUsed("of-amy"), 60);
}

TEST_F(MergesTest, AGrantOfAMergedUserIsWarnedOfAndANewOneIsRefused) {
  Grant("old", "a.smith");
  const v1::ChangeResponse merged = Merge("a.smith", "amy");
  EXPECT_THAT(merged.warnings(), ElementsAre("grant \"old\" of user \"a.smith\" holds for nobody "
                                             "while the user is merged"));
  grpc::Status status;
  Grant("new", "a.smith", &status);
  EXPECT_THAT(status.error_message(), HasSubstr("want a user of the account"));
}

TEST_F(MergesTest, EveryReplicaMergesAndParts) {
  Used("1", "a.smith");
  TestService::Options options;
  options.database_url = service_.database_url();
  TestService other(options);
  Merge("a.smith", "amy");
  RecalculateAt(TestEpoch());
  EXPECT_TRUE(Await([&] { return RowsOf(other) == RowsOf(service_); }));
  EXPECT_EQ(ShareOf(ListShares(other), "a", "amy").raw_usage(), 3600);
  Unmerge("a.smith");
  RecalculateAt(TestEpoch());
  EXPECT_TRUE(Await([&] { return RowsOf(other) == RowsOf(service_); }));
  EXPECT_EQ(ShareOf(ListShares(other), "a", "a.smith").raw_usage(), 3600);
}

// As in a rolling restart.
TEST_F(MergesTest, AReplicaThatStartsLaterHasTheMergeWithItsLimitsAndGrants) {
  Modify(Where({"a"}, {"amy"}), {"GrpTRESMins=cpu=60"});
  Grant("of-amy", "amy");
  Used("1", "a.smith");
  Merge("a.smith", "amy");
  EXPECT_EQ(GrantUsed("of-amy"), 60);
  TestService::Options options;
  options.database_url = service_.database_url();
  TestService later(options);
  EXPECT_TRUE(Await([&] { return RowsOf(later) == RowsOf(service_); }));
  EXPECT_EQ(ShareOf(ListShares(later), "a", "amy").raw_usage(), 3600);
  for (const char* user : {"amy", "a.smith"}) {
    EXPECT_EQ(RankOne(later, user).ineligible_size(), 1) << "all 60 minutes are used: " << user;
  }
  Used("2", "a.smith");
  EXPECT_EQ(GrantUsed("of-amy"), 120);
  Unmerge("a.smith");
  EXPECT_EQ(GrantUsed("of-amy"), 0);
  EXPECT_TRUE(Await([&] { return RowsOf(later) == RowsOf(service_); }));
  EXPECT_EQ(RankOne(later, "amy").ranked_size(), 1);
}

}  // namespace
}  // namespace priorityd::rpc
