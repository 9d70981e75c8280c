// Every RPC that returns rows, by every role, for every word of PrivateData: the rows are those
// that the rights table and Visibility say.
// sizes: allow. One test asks every RPC of the table.
#include "server/transport/viewer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/authorization/rights_table.h"
#include "server/forecasts/books.h"
#include "tests/server/service/private_site.h"
#include "tests/server/service/test_service.h"
#include "tests/server/service/viewed_rows.h"

namespace priorityd::rpc {
namespace {

using authorization::kRightsTable;
using authorization::Right;
using authorization::RightOf;
using authorization::Rpc;
using authorization::Visibility;

class ViewerTest : public ::testing::Test {
 public:
  // What an RPC returned, and what it should have.
  struct Told {
    Rows rows;
    Rows expected;
  };

  Told Rank(const std::string& who, const Visibility& sees) {
    v1::RankJobsRequest request;
    request.mutable_tracked();
    request.set_view(v1::RANK_VIEW_FULL);
    const auto answer = site_.Call<v1::RankJobsResponse>(who, "PriorityService/RankJobs", request);
    EXPECT_EQ(answer.ranked_total(), 3u);
    EXPECT_EQ(answer.ranked_others() + answer.ranked_size(), 3u);
    EXPECT_EQ(answer.ineligible_others() + answer.ineligible_size(), 1u);
    Rows rows = JobIds(answer.ranked());
    rows.merge(JobIds(answer.ineligible()));
    for (const v1::RankedJob& row : answer.ranked()) {
      EXPECT_EQ(row.has_factors(), sees.SeesShares(row.user(), row.account())) << row.job_id();
    }
    return {rows, JobsShown(sees, true)};
  }

  Told Watch(const std::string& who, const Visibility& sees) {
    v1::WatchRankingRequest request;
    request.set_view(v1::RANK_VIEW_FULL);
    request.set_ineligible(true);
    const auto answer =
        site_.Call<v1::WatchRankingResponse>(who, "PriorityService/WatchRanking", request);
    EXPECT_EQ(answer.ranked_total(), 3u);
    EXPECT_EQ(answer.others() + answer.state().ranked_size(), 3u);
    for (const v1::RankedJob& row : answer.state().ranked()) {
      EXPECT_EQ(row.has_factors(), sees.SeesShares(row.user(), row.account())) << row.job_id();
    }
    for (const v1::IneligibleJob& job : answer.state().ineligible()) {
      const bool shares = sees.SeesShares(job.user(), job.account());
      EXPECT_EQ(job.has_factors(), shares) << job.job_id();
      EXPECT_EQ(!job.message().empty(), shares) << job.job_id();
    }
    Rows rows = JobIds(answer.state().ranked());
    rows.merge(JobIds(answer.state().ineligible()));
    return {rows, JobsShown(sees, true)};
  }

  Told Simulate(const std::string& who, const Visibility& sees) {
    v1::SimulateRequest request;
    request.mutable_tracked();
    request.set_view(v1::RANK_VIEW_FULL);
    const auto answer = site_.Call<v1::SimulateResponse>(who, "PriorityService/Simulate", request);
    EXPECT_EQ(answer.rows_total() + answer.rows_others(), 4u);
    for (const v1::SimulatedRow& row : answer.rows()) {
      if (row.job_id() == "job-held") continue;
      EXPECT_EQ(row.before().has_contributions(), sees.SeesShares(row.user(), row.account()));
      EXPECT_EQ(row.after().has_contributions(), sees.SeesShares(row.user(), row.account()));
    }
    return {JobIds(answer.rows()), JobsShown(sees, true)};
  }

  Told ListJobs(const std::string& who, const Visibility& sees) {
    const auto answer =
        site_.Call<v1::ListJobsResponse>(who, "PriorityService/ListJobs", v1::ListJobsRequest());
    Rows rows;
    for (const v1::TrackedJob& job : answer.jobs()) rows.insert(job.job().job_id());
    EXPECT_EQ(answer.total(), rows.size());
    return {rows, JobsShown(sees, true)};
  }

  Told ListShares(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListSharesResponse>(who, "PriorityService/ListShares",
                                                           v1::ListSharesRequest());
    return {NamesOfRows(answer.shares()), SharesShown(sees, false)};
  }

  Told ListShareHistory(const std::string& who, const Visibility& sees) {
    grpc::Status status;
    const auto answer = site_.Call<v1::ListShareHistoryResponse>(
        who, "PriorityService/ListShareHistory", v1::ListShareHistoryRequest(), &status);
    if (sees.sees_events()) {
      EXPECT_TRUE(status.ok()) << status.error_message();
      return {NamesOfRows(answer.samples()), SharesShown(sees, false)};
    }
    EXPECT_EQ(status.error_code(), grpc::PERMISSION_DENIED);
    EXPECT_EQ(DetailsOf(status).reason, "ROLE_REQUIRED");
    return {NamesOfRows(answer.samples()), {}};
  }

  Told ReportUsage(const std::string& who, const Visibility& sees) {
    v1::ReportUsageRequest request;
    *request.mutable_start_time() = ToTimestamp(TestEpoch() - absl::Hours(24));
    *request.mutable_end_time() = ToTimestamp(TestEpoch());
    request.add_group_by(v1::REPORT_GROUPING_ACCOUNT);
    request.add_group_by(v1::REPORT_GROUPING_USER);
    const auto answer =
        site_.Call<v1::ReportUsageResponse>(who, "PriorityService/ReportUsage", request);
    for (const char* account : {"root", "a", "b"}) {
      const bool told = std::any_of(answer.accounts().begin(), answer.accounts().end(),
                                    [&](const auto& row) { return row.account() == account; });
      EXPECT_EQ(told, sees.SeesShares("", account)) << account;
    }
    return {NamesOfRows(answer.rows()), SharesShown(sees, true)};
  }

  Told ListUsageRecords(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListUsageRecordsResponse>(
        who, "PriorityService/ListUsageRecords", v1::ListUsageRecordsRequest());
    v1::ReportUsageResponse rows;
    for (const v1::LedgerRecord& record : answer.records()) {
      v1::UsageReportRow* row = rows.add_rows();
      row->set_account(record.account());
      row->set_user(record.record().user());
    }
    return {NamesOfRows(rows.rows()), SharesShown(sees, true)};
  }

  // A job that may be explained is one that is shown with its shares.
  Told Explain(const std::string& who, const Visibility& sees) {
    Told told;
    for (const auto& [user, account] : std::vector<std::pair<std::string, std::string>>{
             {"amy", "a"}, {"ben", "a"}, {"cat", "b"}}) {
      v1::ExplainPriorityRequest request;
      request.mutable_tracked();
      request.set_job_id("job-" + user);
      grpc::Status status;
      site_.Call<v1::ExplainPriorityResponse>(who, "PriorityService/ExplainPriority", request,
                                              &status);
      if (status.ok()) told.rows.insert(user);
      if (sees.SeesJob(user, account) && sees.SeesShares(user, account)) told.expected.insert(user);
    }
    return told;
  }

  // Behind one who is not shown, jobs keep their places.
  Told PlanStarts(const std::string& who, const Visibility& sees) {
    v1::PlanStartsRequest request;
    request.mutable_tracked();
    v1::NodeType& type = *request.mutable_description()->add_node_types();
    type.set_name("n");
    type.set_nodes(1);
    (*type.mutable_tres())["cpu"] = 1;
    const auto answer =
        site_.Call<v1::PlanStartsResponse>(who, "PriorityService/PlanStarts", request);
    EXPECT_EQ(answer.others() + answer.starts_size(), 3u);
    Rows rows = JobIds(answer.starts());
    for (const v1::PlannedStart& start : answer.starts()) {
      if (!start.behind_job_id().empty()) rows.insert(start.behind_job_id());
    }
    return {rows, JobsShown(sees, /*with_held=*/false)};
  }

  Told ForecastStarts(const std::string& who, const Visibility& sees) {
    site_.replica().forecasts().RunTurn();
    const auto answer = site_.Call<v1::ForecastStartsResponse>(
        who, "PriorityService/ForecastStarts", v1::ForecastStartsRequest());
    return {JobIds(answer.forecasts()), JobsShown(sees, false)};
  }

  Told ListQosUsage(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListQosUsageResponse>(who, "PriorityService/ListQosUsage",
                                                             v1::ListQosUsageRequest());
    Rows rows;
    for (const v1::QosUsage& qos : answer.qos()) rows.insert(qos.name());
    // All of them may be used by any user with an association.
    return {rows,
            SharesShown(sees, true).empty() && who != "coo" ? Rows() : Rows{"double", "normal"}};
  }

  Told ListBudgets(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListBudgetsResponse>(who, "PriorityService/ListBudgets",
                                                            v1::ListBudgetsRequest());
    return {NamesOfRows(answer.budgets()), has_budgets_ ? BudgetsShown(sees) : Rows()};
  }

  Told ListBudgetEvents(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListBudgetEventsResponse>(
        who, "PriorityService/ListBudgetEvents", v1::ListBudgetEventsRequest());
    return {NamesOfRows(answer.events()), has_budgets_ ? BudgetsShown(sees) : Rows()};
  }

  Told ListGrants(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListGrantsResponse>(who, "PriorityService/ListGrants",
                                                           v1::ListGrantsRequest());
    Rows rows;
    for (const v1::Grant& grant : answer.grants()) rows.insert(grant.name());
    return {rows, GrantsShown(sees)};
  }

  Told GetGrantStatement(const std::string& who, const Visibility& sees) {
    Rows rows;
    for (const char* name : {"of-a", "of-b", "of-both", "of-amy"}) {
      v1::GetGrantStatementRequest request;
      request.set_name(name);
      grpc::Status status;
      site_.Call<v1::GetGrantStatementResponse>(who, "PriorityService/GetGrantStatement", request,
                                                &status);
      if (status.ok()) {
        rows.insert(name);
      } else {
        EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_GRANT");
      }
    }
    return {rows, GrantsShown(sees)};
  }

  void SetGrants() {
    for (const auto& [name, accounts, user] :
         std::vector<std::array<std::string, 3>>{{"of-a", "a", ""},
                                                 {"of-b", "b", ""},
                                                 {"of-both", "a,b", ""},
                                                 {"of-amy", "a", "amy"}}) {
      v1::UpdateGrantsRequest request;
      request.add_names(name);
      request.set_allow_missing(true);
      for (const auto& [setting, value] : std::vector<std::pair<std::string, std::string>>{
               {"Accounts", accounts}, {"User", user}, {"Amount", "100"}}) {
        v1::Setting* to = request.add_settings();
        to->set_name(setting);
        to->set_value(value);
      }
      site_.Call<v1::ChangeResponse>("root", "AdminService/UpdateGrants", request);
    }
    has_grants_ = true;
  }

  // One of several accounts, to those who are shown all of them.
  Rows GrantsShown(const Visibility& sees) const {
    Rows rows;
    if (!has_grants_) return rows;
    const bool a = sees.SeesShares("", "a");
    const bool b = sees.SeesShares("", "b");
    if (a) rows.insert("of-a");
    if (b) rows.insert("of-b");
    if (a && b) rows.insert("of-both");
    if (sees.SeesShares("amy", "a")) rows.insert("of-amy");
    return rows;
  }

  // A job with a returned cost is one that is shown; its effect on shares, where those are too.
  Told EstimateJobCost(const std::string& who, const Visibility& sees) {
    Told told;
    for (const auto& [user, account] : std::vector<std::pair<std::string, std::string>>{
             {"amy", "a"}, {"ben", "a"}, {"cat", "b"}}) {
      v1::EstimateJobCostRequest request;
      request.mutable_tracked();
      request.set_job_id("job-" + user);
      grpc::Status status;
      const auto answer = site_.Call<v1::EstimateJobCostResponse>(
          who, "PriorityService/EstimateJobCost", request, &status);
      if (sees.SeesJob(user, account)) told.expected.insert(user);
      if (!status.ok()) {
        EXPECT_EQ(DetailsOf(status).reason, "UNKNOWN_JOB");
        continue;
      }
      told.rows.insert(user);
      EXPECT_EQ(answer.costs(0).has_fair_share(), sees.SeesShares(user, account)) << user;
      EXPECT_EQ(answer.costs(0).sentences_size() > 1, sees.SeesShares(user, account)) << user;
    }
    return told;
  }

  // Each has used 60 % of a budget of its own. Jobs wait for them.
  void SetBudgets() {
    v1::ImportRequest request;
    AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
            "Cluster - 'c':Fairshare=1\nParent - 'root'\n"
            "Account - 'a':Fairshare=1:GrpTRESMins=cpu=300\n"
            "Account - 'b':Fairshare=1:GrpTRESMins=cpu=400\n"
            "Parent - 'a'\n"
            "User - 'amy':DefaultAccount='a':Fairshare=2:GrpTRESMins=cpu=100\n"
            "User - 'ben':DefaultAccount='a':Fairshare=1:GrpTRESMins=cpu=200\n"
            "Parent - 'b'\n"
            "User - 'cat':DefaultAccount='b':Fairshare=1:GrpTRESMins=cpu=400\n",
            &request);
    site_.Call<v1::ImportResponse>("root", "AdminService/Import", request);
    has_budgets_ = true;
  }

  static Rows BudgetsShown(const Visibility& sees) {
    Rows rows = SharesShown(sees, true);
    for (const char* account : {"a", "b"}) {
      if (sees.SeesShares("", account)) rows.insert(absl::StrCat(account, "/"));
    }
    return rows;
  }

  Told LintPolicy(const std::string& who, const Visibility& sees) {
    grpc::Status status;
    site_.Call<v1::LintPolicyResponse>(who, "PriorityService/LintPolicy", v1::LintPolicyRequest(),
                                       &status);
    return {status.ok() ? Rows{"ranges"} : Rows(),
            sees.sees_all_shares() ? Rows{"ranges"} : Rows()};
  }

  // The jobs whose removal is refused, which shows that they exist.
  Told UpdateJobs(const std::string& who, const Visibility& sees) {
    if (who != "amy") return {};
    v1::UpdateJobsRequest request;
    request.add_removals("job-cat");
    const auto answer =
        site_.Call<v1::UpdateJobsResponse>(who, "PriorityService/UpdateJobs", request);
    const bool refused = answer.removals(0).outcome() == v1::UPDATE_OUTCOME_REFUSED;
    EXPECT_TRUE(refused || answer.removals(0).outcome() == v1::UPDATE_OUTCOME_UNCHANGED);
    return {refused ? Rows{"job-cat"} : Rows(),
            sees.SeesJob("cat", "b") ? Rows{"job-cat"} : Rows()};
  }

  Told ListAssociations(const std::string& who, const Visibility& sees) {
    const auto answer = site_.Call<v1::ListAssociationsResponse>(
        who, "AdminService/ListAssociations", v1::ListAssociationsRequest());
    return {NamesOfRows(answer.associations()), SharesShown(sees, false)};
  }

  // The users with a visible association.
  Told ListUsers(const std::string& who, const Visibility& sees) {
    const auto answer =
        site_.Call<v1::ListUsersResponse>(who, "AdminService/ListUsers", v1::ListUsersRequest());
    Told told;
    for (const v1::ClusterUser& user : answer.users()) {
      told.rows.insert(user.name());
      EXPECT_TRUE(sees.SeesShares(user.name(), user.default_account())) << user.name();
    }
    for (const auto& [user, account] : std::vector<std::pair<std::string, std::string>>{
             {"amy", "a"}, {"ben", "a"}, {"cat", "b"}, {"ope", "a"}, {"adm", "a"}, {"coo", "a"}}) {
      if (sees.SeesShares(user, account)) told.expected.insert(user);
    }
    return told;
  }

  // What others may use partitions with.
  Told ListPartitions(const std::string& who, const Visibility& sees) {
    Told told{{}, SharesShown(sees, /*used=*/true)};
    for (const char* user : {"amy", "ben", "cat"}) {
      v1::ListPartitionsRequest request;
      request.set_user(user);
      const auto answer =
          site_.Call<v1::ListPartitionsResponse>(who, "AdminService/ListPartitions", request);
      for (const v1::Partition& partition : answer.partitions()) {
        for (const std::string& account : partition.usable_accounts()) {
          told.rows.insert(absl::StrCat(account, "/", user));
        }
      }
    }
    return told;
  }

  Told ListReservations(const std::string& who, const Visibility& sees) {
    return {site_.ReservationsOf(who), ReservationsShown(sees)};
  }

  // The same of a job that amy must not put first.
  Told TopJobs(const std::string& who, const Visibility& sees) {
    if (who != "amy") return {};
    v1::TopJobsRequest request;
    request.add_job_ids("job-cat");
    const auto answer = site_.Call<v1::TopJobsResponse>(who, "PriorityService/TopJobs", request);
    const bool refused = answer.results(0).outcome() == v1::UPDATE_OUTCOME_REFUSED;
    EXPECT_TRUE(refused || answer.results(0).outcome() == v1::UPDATE_OUTCOME_NOT_FOUND);
    return {refused ? Rows{"job-cat"} : Rows(),
            sees.SeesJob("cat", "b") ? Rows{"job-cat"} : Rows()};
  }

  PrivateSite site_;
  bool has_budgets_ = false;
  bool has_grants_ = false;
};

TEST_F(ViewerTest, EveryRpcReturnsToEachRoleTheRowsOfTheTable) {
  using Ask = Told (ViewerTest::*)(const std::string&, const Visibility&);
  const std::map<Rpc, Ask> asks = {{Rpc::kRankJobs, &ViewerTest::Rank},
                                   {Rpc::kExplainPriority, &ViewerTest::Explain},
                                   {Rpc::kWatchRanking, &ViewerTest::Watch},
                                   {Rpc::kSimulate, &ViewerTest::Simulate},
                                   {Rpc::kLintPolicy, &ViewerTest::LintPolicy},
                                   {Rpc::kPlanStarts, &ViewerTest::PlanStarts},
                                   {Rpc::kForecastStarts, &ViewerTest::ForecastStarts},
                                   {Rpc::kUpdateJobs, &ViewerTest::UpdateJobs},
                                   {Rpc::kTopJobs, &ViewerTest::TopJobs},
                                   {Rpc::kListJobs, &ViewerTest::ListJobs},
                                   {Rpc::kListShares, &ViewerTest::ListShares},
                                   {Rpc::kListQosUsage, &ViewerTest::ListQosUsage},
                                   {Rpc::kListBudgets, &ViewerTest::ListBudgets},
                                   {Rpc::kListBudgetEvents, &ViewerTest::ListBudgetEvents},
                                   {Rpc::kListGrants, &ViewerTest::ListGrants},
                                   {Rpc::kGetGrantStatement, &ViewerTest::GetGrantStatement},
                                   {Rpc::kEstimateJobCost, &ViewerTest::EstimateJobCost},
                                   {Rpc::kReportUsage, &ViewerTest::ReportUsage},
                                   {Rpc::kListUsageRecords, &ViewerTest::ListUsageRecords},
                                   {Rpc::kListAssociations, &ViewerTest::ListAssociations},
                                   {Rpc::kListUsers, &ViewerTest::ListUsers},
                                   {Rpc::kListShareHistory, &ViewerTest::ListShareHistory},
                                   {Rpc::kListPartitions, &ViewerTest::ListPartitions},
                                   {Rpc::kListReservations, &ViewerTest::ListReservations}};
  for (const Word& word : Words()) {
    site_.SetPrivateData(word.text);
    for (const Right& right : kRightsTable) {
      if (!right.reveals.any()) continue;
      ASSERT_TRUE(asks.contains(right.rpc)) << right.method << " tells rows and is not asked here";
      for (const Asker& asker : Askers()) {
        if (!asker.roles.HasAnyOf(right.roles)) continue;
        SCOPED_TRACE(absl::StrCat(right.method, " by ", asker.name, " with ", word.text));
        const Told told = (this->*asks.at(right.rpc))(asker.name, Expected(right, asker, word));
        EXPECT_EQ(told.rows, told.expected);
      }
    }
  }
}

TEST_F(ViewerTest, BudgetsAndTheirEventsAreVisibleToCallersWhoSeeTheShares) {
  SetBudgets();
  for (const Word& word : Words()) {
    site_.SetPrivateData(word.text);
    for (const Asker& asker : Askers()) {
      SCOPED_TRACE(absl::StrCat(asker.name, " with ", word.text));
      const Visibility sees = Expected(RightOf(Rpc::kListBudgets), asker, word);
      const Told budgets = ListBudgets(asker.name, sees);
      EXPECT_EQ(budgets.rows, budgets.expected);
      const Told events = ListBudgetEvents(asker.name, sees);
      EXPECT_EQ(events.rows, events.expected);
    }
  }
}

// Hidden events must not be counted by pages.
TEST_F(ViewerTest, AListOfBudgetEventsDoesNotShowThatThereAreOthers) {
  SetBudgets();
  site_.SetPrivateData("usage");
  v1::ListBudgetEventsRequest request;
  request.set_page_size(1);
  const auto list = [&](const std::string& who) {
    return site_.Call<v1::ListBudgetEventsResponse>(who, "PriorityService/ListBudgetEvents",
                                                    request);
  };
  request.add_users("cat");
  EXPECT_EQ(list("root").events_size(), 1);
  const auto hidden = list("amy");
  EXPECT_EQ(hidden.events_size() + hidden.more() + hidden.last_event_id(), 0)
      << hidden.DebugString();
  request.clear_users();
  Rows own;
  for (bool more = true; more;) {
    const auto page = list("amy");
    ASSERT_EQ(page.events_size(), 1) << page.DebugString();
    EXPECT_EQ(page.last_event_id(), page.events(0).event_id());
    own.merge(NamesOfRows(page.events()));
    request.set_after_event_id(page.last_event_id());
    more = page.more();
  }
  EXPECT_EQ(own, (Rows{"a/", "a/amy"}));
}

TEST_F(ViewerTest, GrantsAreVisibleToCallersWhoSeeTheSharesOfAllTheirAccounts) {
  SetGrants();
  for (const Word& word : Words()) {
    site_.SetPrivateData(word.text);
    for (const Asker& asker : Askers()) {
      SCOPED_TRACE(absl::StrCat(asker.name, " with ", word.text));
      const Visibility sees = Expected(RightOf(Rpc::kListGrants), asker, word);
      const Told listed = ListGrants(asker.name, sees);
      EXPECT_EQ(listed.rows, listed.expected);
      const Told statements = GetGrantStatement(asker.name, sees);
      EXPECT_EQ(statements.rows, statements.expected);
    }
  }
}

}  // namespace
}  // namespace priorityd::rpc
