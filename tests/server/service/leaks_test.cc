// What a curious user tries where others' data are private.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/forecasts/books.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LeaksTest : public ::testing::Test {
 protected:
  template <typename Response>
  Response Ask(const std::string& who, const std::string& method,
               const google::protobuf::Message& request, grpc::Status* status = nullptr) {
    return site_.Call<Response>(who, "PriorityService/" + method, request, status);
  }

  // No text of an answer to amy names a stranger or a stranger's data.
  void ExpectNoStranger(const google::protobuf::Message& answer) {
    for (const char* name : {"ben", "cat", "job-held"}) {
      EXPECT_FALSE(Tells(answer, name)) << name << " in " << answer.DebugString();
    }
    EXPECT_FALSE(TextsOf(answer).contains("b")) << answer.DebugString();
  }

  grpc::Status Explain(const std::string& job_id, const std::string& compare_to = "") {
    v1::ExplainPriorityRequest request;
    request.mutable_tracked();
    request.set_job_id(job_id);
    if (!compare_to.empty()) request.mutable_compare_to()->set_job_id(compare_to);
    grpc::Status status;
    Ask<v1::ExplainPriorityResponse>("amy", "ExplainPriority", request, &status);
    return status;
  }

  // What amy is answered about two names must differ in the names only.
  static void ExpectSame(const grpc::Status& a, const std::string& of_a, const grpc::Status& b,
                         const std::string& of_b) {
    EXPECT_EQ(a.error_code(), b.error_code());
    EXPECT_EQ(DetailsOf(a).reason, DetailsOf(b).reason);
    EXPECT_EQ(absl::StrReplaceAll(a.error_message(), {{of_a, "X"}}),
              absl::StrReplaceAll(b.error_message(), {{of_b, "X"}}));
  }

  static void ExpectRoleWanted(const grpc::Status& status) {
    EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED) << status.error_message();
    EXPECT_EQ(DetailsOf(status).reason, "ROLE_REQUIRED");
    EXPECT_THAT(status.error_message(), HasSubstr("with the role user, want one of operator"));
  }

  v1::RankJobsRequest Tracked() {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    request.set_view(v1::RANK_VIEW_FULL);
    return request;
  }

  PrivateSite site_{"all"};
};

// coo is shown everything of account a, and of b nothing.
TEST_F(LeaksTest, AFilterOfUsersFindsNobodyByAnAccountThatIsNotShown) {
  v1::CreateAssociationsRequest create;
  create.add_associations()->set_account("b");
  create.mutable_associations(0)->set_user("ben");
  site_.Call<v1::ChangeResponse>("adm", "AdminService/CreateAssociations", create);
  v1::UpdateUsersRequest update;
  update.mutable_where()->add_names("ben");
  v1::Setting* setting = update.add_settings();
  setting->set_name("Coordinators");
  setting->set_value("b");
  site_.Call<v1::ChangeResponse>("adm", "AdminService/UpdateUsers", update);
  site_.Recalculate();
  const auto found = [&](const std::string& who, const v1::UserFilter& where) {
    v1::ListUsersRequest request;
    *request.mutable_where() = where;
    request.mutable_where()->add_names("ben");
    return site_.Call<v1::ListUsersResponse>(who, "AdminService/ListUsers", request).users_size();
  };
  v1::UserFilter member, coordinates, defaults;
  member.add_accounts("b");
  coordinates.add_coordinated_accounts("b");
  defaults.add_default_accounts("a");
  for (const v1::UserFilter& where : {member, coordinates}) {
    EXPECT_EQ(found("coo", where), 0) << where.ShortDebugString();
    EXPECT_EQ(found("adm", where), 1) << where.ShortDebugString();
  }
  EXPECT_EQ(found("coo", defaults), 1);
}

TEST_F(LeaksTest, NoTextOfAnyAnswerNamesAStranger) {
  ExpectNoStranger(Ask<v1::RankJobsResponse>("amy", "RankJobs", Tracked()));
  v1::WatchRankingRequest watch;
  watch.set_view(v1::RANK_VIEW_FULL);
  watch.set_ineligible(true);
  ExpectNoStranger(Ask<v1::WatchRankingResponse>("amy", "WatchRanking", watch));
  v1::SimulateRequest simulate;
  simulate.mutable_tracked();
  simulate.set_view(v1::RANK_VIEW_FULL);
  ExpectNoStranger(Ask<v1::SimulateResponse>("amy", "Simulate", simulate));
  ExpectNoStranger(Ask<v1::ListJobsResponse>("amy", "ListJobs", v1::ListJobsRequest()));
  ExpectNoStranger(Ask<v1::ListSharesResponse>("amy", "ListShares", v1::ListSharesRequest()));
  v1::ExplainPriorityRequest explain;
  explain.mutable_tracked();
  explain.set_job_id("job-amy");
  ExpectNoStranger(Ask<v1::ExplainPriorityResponse>("amy", "ExplainPriority", explain));
  v1::ReportUsageRequest report;
  *report.mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(24));
  *report.mutable_end_time() = ToTimestamp(TestEpoch());
  report.add_group_by(v1::REPORT_GROUPING_ACCOUNT);
  report.add_group_by(v1::REPORT_GROUPING_USER);
  ExpectNoStranger(Ask<v1::ReportUsageResponse>("amy", "ReportUsage", report));
  ExpectNoStranger(site_.Call<v1::ListAssociationsResponse>("amy", "AdminService/ListAssociations",
                                                            v1::ListAssociationsRequest()));
  ExpectNoStranger(
      site_.Call<v1::ListUsersResponse>("amy", "AdminService/ListUsers", v1::ListUsersRequest()));
  v1::PlanStartsRequest plan;
  plan.mutable_tracked();
  v1::NodeType& type = *plan.mutable_description()->add_node_types();
  type.set_name("n");
  type.set_nodes(1);
  (*type.mutable_tres())["cpu"] = 1;
  ExpectNoStranger(Ask<v1::PlanStartsResponse>("amy", "PlanStarts", plan));
  v1::EstimateJobCostRequest cost;
  cost.mutable_tracked();
  cost.set_job_id("job-amy");
  ExpectNoStranger(Ask<v1::EstimateJobCostResponse>("amy", "EstimateJobCost", cost));
  v1::ForecastStartsRequest forecast;
  forecast.set_influences(true);
  ExpectNoStranger(Ask<v1::ForecastStartsResponse>("amy", "ForecastStarts", forecast));
  ExpectNoStranger(Ask<v1::ListBudgetsResponse>("amy", "ListBudgets", v1::ListBudgetsRequest()));
}

TEST_F(LeaksTest, PlacesAreKeptAndStrangersAreCounted) {
  const auto all = Ask<v1::RankJobsResponse>("ope", "RankJobs", Tracked());
  ASSERT_EQ(all.ranked_size(), 3);
  for (const v1::RankedJob& row : all.ranked()) {
    const auto own = Ask<v1::RankJobsResponse>(row.user(), "RankJobs", Tracked());
    ASSERT_EQ(own.ranked_size(), 1) << row.user();
    EXPECT_EQ(own.ranked(0).DebugString(), row.DebugString());
    EXPECT_EQ(own.ranked_others(), 2u);
    EXPECT_EQ(own.ranked_total(), 3u);
    v1::RankJobsRequest first = Tracked();
    first.set_limit(1);
    const auto top = Ask<v1::RankJobsResponse>(row.user(), "RankJobs", first);
    EXPECT_EQ(top.ranked_size(), row.rank() == 1 ? 1 : 0);
    EXPECT_EQ(top.ranked_others(), row.rank() == 1 ? 0u : 1u);
  }
}

TEST_F(LeaksTest, WhatStandsAheadIsACountAlsoOfStrangers) {
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  const auto all = Ask<v1::RankJobsResponse>("ope", "RankJobs", Tracked());
  const v1::RankedJob& last = all.ranked(2);
  request.set_job_id(last.job_id());
  const auto told = Ask<v1::ExplainPriorityResponse>(last.user(), "ExplainPriority", request);
  EXPECT_EQ(told.rank(), 3u);
  uint32_t ahead = 0;
  for (const v1::RowsAhead& rows : told.ahead()) ahead += rows.rows();
  EXPECT_EQ(ahead, 2u);
}

// A filter by user or account would count the jobs of those named.
TEST_F(LeaksTest, AFilterRevealsNothingAboutTheNamedUser) {
  for (const auto& [user, account] :
       std::vector<std::pair<std::string, std::string>>{{"cat", ""}, {"", "b"}, {"nobody", ""}}) {
    v1::RankJobsRequest request = Tracked();
    if (!user.empty()) request.add_users(user);
    if (!account.empty()) request.add_accounts(account);
    const auto answer = Ask<v1::RankJobsResponse>("amy", "RankJobs", request);
    EXPECT_EQ(answer.ranked_total() + answer.ineligible_total() + answer.running_total(), 0u);
    EXPECT_EQ(answer.ranked_others() + answer.ineligible_others(), 0u);
    v1::WatchRankingRequest watch;
    *watch.mutable_users() = request.users();
    *watch.mutable_accounts() = request.accounts();
    watch.set_ineligible(true);
    const auto top = Ask<v1::WatchRankingResponse>("amy", "WatchRanking", watch);
    EXPECT_EQ(top.ranked_total() + top.others() + top.ineligible_total(), 0u);
    v1::ListJobsRequest list;
    *list.mutable_users() = request.users();
    *list.mutable_accounts() = request.accounts();
    EXPECT_EQ(Ask<v1::ListJobsResponse>("amy", "ListJobs", list).total(), 0u);
    // The accounts above a user show the user's place.
    v1::ListSharesRequest shares;
    *shares.mutable_users() = request.users();
    *shares.mutable_accounts() = request.accounts();
    EXPECT_EQ(Ask<v1::ListSharesResponse>("amy", "ListShares", shares).shares_size(), 0);
  }
  v1::RankJobsRequest own = Tracked();
  own.add_accounts("a");
  const auto answer = Ask<v1::RankJobsResponse>("amy", "RankJobs", own);
  EXPECT_EQ(answer.ranked_total(), 1u);
  ASSERT_EQ(answer.ranked_size(), 1);
  EXPECT_EQ(answer.ranked(0).rank(), 1u);
}

TEST_F(LeaksTest, AStrangersJobIsAnsweredLikeOneThatIsNotThere) {
  ExpectSame(Explain("job-cat"), "job-cat", Explain("job-404"), "job-404");
  EXPECT_EQ(Explain("job-cat").error_code(), grpc::NOT_FOUND);
  ExpectSame(Explain("job-amy", "job-cat"), "job-cat", Explain("job-amy", "job-404"), "job-404");
  EXPECT_TRUE(Explain("job-amy").ok());
  v1::UpdateJobsRequest removals;
  for (const char* id : {"job-cat", "job-404", "job-cat", "job-404"}) removals.add_removals(id);
  const auto answer = Ask<v1::UpdateJobsResponse>("amy", "UpdateJobs", removals);
  for (int i : {0, 2}) {
    EXPECT_EQ(answer.removals(i).outcome(), answer.removals(i + 1).outcome());
    EXPECT_EQ(answer.removals(i).message(), answer.removals(i + 1).message());
  }
  EXPECT_EQ(Ask<v1::ListJobsResponse>("ope", "ListJobs", v1::ListJobsRequest()).total(), 4u);
}

TEST_F(LeaksTest, AnAccountIsAnsweredLikeOneThatIsNotThere) {
  std::vector<std::string> messages;
  for (const char* account : {"b", "x"}) {
    v1::RankJobsRequest request;
    v1::Job job = JobOf("1");
    job.set_account(account);
    *request.mutable_jobs()->add_jobs() = job;
    const auto answer = Ask<v1::RankJobsResponse>("amy", "RankJobs", request);
    ASSERT_EQ(answer.ineligible_size(), 1);
    messages.push_back(answer.ineligible(0).message());
  }
  EXPECT_EQ(messages[0], absl::StrReplaceAll(messages[1], {{"account x", "account b"}}));
  for (const char* user : {"", "amy"}) {
    std::vector<grpc::Status> statuses;
    for (const char* account : {"b", "x"}) {
      v1::SimulateRequest request;
      *request.mutable_jobs()->add_jobs() = JobOf("1");
      v1::SupposedShares* shares = request.add_shares();
      shares->set_account(account);
      shares->set_user(user);
      shares->set_raw_shares(5);
      Ask<v1::SimulateResponse>("amy", "Simulate", request, &statuses.emplace_back());
    }
    EXPECT_EQ(statuses[0].error_message(), statuses[1].error_message());
    ExpectRoleWanted(statuses[0]);
  }
}

TEST_F(LeaksTest, NoAnswerShowsWhetherAnAccountOfStrangersIsThere) {
  std::vector<std::string> messages[2];
  for (const char* account : {"b", "x"}) {
    v1::Job job = JobOf("new");
    job.set_account(account);
    v1::EstimateJobCostRequest cost;
    *cost.mutable_jobs()->add_jobs() = job;
    grpc::Status status;
    Ask<v1::EstimateJobCostResponse>("amy", "EstimateJobCost", cost, &status);
    messages[0].push_back(status.error_message());
    v1::UpdateJobsRequest update;
    *update.add_upserts() = job;
    const auto updated = Ask<v1::UpdateJobsResponse>("amy", "UpdateJobs", update);
    messages[1].push_back(updated.upserts(0).DebugString());
  }
  for (const std::vector<std::string>& two : messages) {
    EXPECT_NE(two[0], "");
    EXPECT_EQ(absl::StrReplaceAll(two[0], {{"account b", "X"}, {"\"b\"", "X"}}),
              absl::StrReplaceAll(two[1], {{"account x", "X"}, {"\"x\"", "X"}}));
  }
}

// Beside enough own jobs with other nice values, its place would show the stranger's
// fair-share to any precision.
TEST_F(LeaksTest, AnInlineJobInTheNameOfAStrangerIsRefusedWhereSharesArePrivate) {
  v1::InlineJobs jobs;
  *jobs.add_jobs() = JobOf("1");
  *jobs.add_jobs() = JobOf("2", "ben");
  const auto ask = [&](const std::string& who, const std::string& method) {
    v1::RankJobsRequest rank;
    *rank.mutable_jobs() = jobs;
    v1::ExplainPriorityRequest explain;
    *explain.mutable_jobs() = jobs;
    explain.set_job_id("1");
    v1::SimulateRequest simulate;
    *simulate.mutable_jobs() = jobs;
    grpc::Status status;
    if (method == "RankJobs") Ask<v1::RankJobsResponse>(who, method, rank, &status);
    if (method == "Simulate") Ask<v1::SimulateResponse>(who, method, simulate, &status);
    if (method == "ExplainPriority") {
      Ask<v1::ExplainPriorityResponse>(who, method, explain, &status);
    }
    v1::ForecastStartsRequest forecast;
    *forecast.mutable_jobs() = jobs;
    if (method == "ForecastStarts") Ask<v1::ForecastStartsResponse>(who, method, forecast, &status);
    return status;
  };
  site_.replica().forecasts().RunTurn();
  for (const char* words : {"usage", "users"}) {
    site_.SetPrivateData(words);
    for (const char* method : {"RankJobs", "ExplainPriority", "Simulate", "ForecastStarts"}) {
      ExpectRoleWanted(ask("amy", method));
      EXPECT_TRUE(ask("coo", method).ok());
      EXPECT_TRUE(ask("frontend", method).ok());
    }
  }
  // Callers see the jobs that they send.
  site_.SetPrivateData("jobs");
  EXPECT_TRUE(ask("amy", "RankJobs").ok());
  EXPECT_TRUE(ask("amy", "ExplainPriority").ok());
}

// A forecast knows the other jobs of the account.
TEST_F(LeaksTest, NoForecastIsOfAnAccountThatIsNotShown) {
  site_.replica().forecasts().RunTurn();
  const auto ask = [&](const std::string& who, const std::string& account) {
    v1::ForecastStartsRequest request;
    *request.mutable_jobs()->add_jobs() = JobOf("1");
    request.mutable_jobs()->mutable_jobs(0)->set_account(account);
    grpc::Status status;
    Ask<v1::ForecastStartsResponse>(who, "ForecastStarts", request, &status);
    return status;
  };
  ExpectRoleWanted(ask("amy", "b"));
  EXPECT_EQ(ask("amy", "b").error_message(), ask("amy", "x").error_message());
  for (const char* account : {"", "a"}) EXPECT_TRUE(ask("amy", account).ok()) << account;
  EXPECT_TRUE(ask("frontend", "b").ok());
}

TEST_F(LeaksTest, AJobThatIsShownIsNotExplainedWhereItsSharesArePrivate) {
  site_.SetPrivateData("usage");
  ExpectRoleWanted(Explain("job-cat"));
  ExpectRoleWanted(Explain("job-amy", "job-cat"));
  EXPECT_TRUE(Explain("job-amy").ok());
}

TEST_F(LeaksTest, TheTokenOfAnothersListContinuesWithOnesOwn) {
  v1::ListJobsRequest request;
  request.set_page_size(1);
  const auto first = Ask<v1::ListJobsResponse>("ope", "ListJobs", request);
  ASSERT_NE(first.next_page_token(), "");
  EXPECT_EQ(first.total(), 4u);
  request.set_page_token(first.next_page_token());
  // The list that the operator began is kept.
  EXPECT_EQ(Ask<v1::ListJobsResponse>("ope", "ListJobs", request).jobs(0).job().job_id(),
            "job-ben");
  const auto stolen = Ask<v1::ListJobsResponse>("amy", "ListJobs", request);
  ExpectNoStranger(stolen);
  EXPECT_EQ(stolen.total(), 1u);
  EXPECT_EQ(stolen.jobs_size(), 0);
  const auto hers = Ask<v1::ListJobsResponse>("ben", "ListJobs", request);
  ASSERT_EQ(hers.jobs_size(), 1);
  EXPECT_EQ(hers.jobs(0).job().job_id(), "job-ben");
}

TEST_F(LeaksTest, PagesOfSharesHoldWhatIsShownAndNoGaps) {
  v1::ListSharesRequest request;
  request.set_page_size(1);
  std::vector<std::string> rows;
  for (int page = 0; page < 10; ++page) {
    const auto answer = Ask<v1::ListSharesResponse>("cat", "ListShares", request);
    ASSERT_EQ(answer.shares_size(), 1);
    rows.push_back(absl::StrCat(answer.shares(0).account(), "/", answer.shares(0).user()));
    if (answer.next_page_token().empty()) break;
    request.set_page_token(answer.next_page_token());
  }
  EXPECT_THAT(rows, ElementsAre("root/", "b/", "b/cat"));
}

// A sum of everybody's would show the usage of the others.
TEST_F(LeaksTest, AReportSumsUpOnesOwnRecordsOnly) {
  v1::ReportUsageRequest request;
  *request.mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(24));
  *request.mutable_end_time() = ToTimestamp(TestEpoch());
  const auto cpu_hours = [&](const std::string& who) {
    const auto answer = Ask<v1::ReportUsageResponse>(who, "ReportUsage", request);
    return answer.rows_size() == 0 ? 0 : answer.rows(0).tres_seconds().at("cpu") / 3600;
  };
  EXPECT_EQ(cpu_hours("amy"), 1);
  EXPECT_EQ(cpu_hours("ben"), 2);
  EXPECT_EQ(cpu_hours("cat"), 4);
  EXPECT_EQ(cpu_hours("coo"), 3);  // Of account a.
  EXPECT_EQ(cpu_hours("ope"), 7);
  request.add_users("cat");
  EXPECT_EQ(cpu_hours("amy"), 0);
  EXPECT_EQ(cpu_hours("coo"), 0);
  EXPECT_EQ(cpu_hours("ope"), 4);
}

// Whose name is no user's of the association data sees nobody's rows, and no account's own.
TEST_F(LeaksTest, AUserWhoIsNotInTheAssociationDataSeesNothing) {
  EXPECT_EQ(Ask<v1::ListJobsResponse>("zoe", "ListJobs", v1::ListJobsRequest()).total(), 0u);
  EXPECT_EQ(Ask<v1::ListSharesResponse>("zoe", "ListShares", v1::ListSharesRequest()).shares_size(),
            0);
}

}  // namespace
}  // namespace priorityd::rpc
