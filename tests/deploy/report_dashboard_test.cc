// deploy/grafana/priorityd-report.json: its queries on the database of a real service, as the role
// that dashboards have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "storage/database/database.h"
#include "tests/deploy/real_prometheus.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/test_service.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using rpc::TestService;
using storage::RowReader;
using storage::Transaction;

// A row's columns do not matter here.
struct AnyRow {};
AnyRow DecodeAny(RowReader& /*row*/) { return {}; }

// Each query of the dashboard by what asks it.
std::map<std::string, std::string> Queries() {
  const auto dashboard = nlohmann::json::parse(ContentOf("deploy/grafana/priorityd-report.json"));
  std::map<std::string, std::string> queries;
  for (const auto& panel : dashboard["panels"]) {
    for (const auto& target : panel.value("targets", nlohmann::json::array())) {
      queries[panel["title"]] = target["rawSql"];
    }
  }
  for (const auto& variable : dashboard["templating"]["list"]) {
    if (variable["type"] == "query") {
      queries[absl::StrCat("$", variable["name"].get<std::string>())] = variable["query"];
    }
  }
  for (const auto& annotation : dashboard["annotations"]["list"]) {
    queries[absl::StrCat("annotation ", annotation["name"].get<std::string>())] =
        annotation["target"]["rawSql"];
  }
  return queries;
}

// As Grafana fills in its variables and macros.
std::string Filled(std::string query) {
  for (size_t at = 0; (at = query.find("$__timeFilter(")) != std::string::npos;) {
    const size_t begin = at + std::string("$__timeFilter(").size();
    const size_t end = query.find(')', begin);
    query.replace(at, end + 1 - at,
                  absl::StrCat(query.substr(begin, end - begin),
                               " BETWEEN '2026-01-01' AND now() + interval '1 day'"));
  }
  return absl::StrReplaceAll(query, {{"$cluster", "c"}, {"$account", "'a','b'"}});
}

class ReportDashboardTest : public ::testing::Test {
 protected:
  // Something of everything; the second recalculation is sampled too.
  void SetUp() override {
    Import(service_, rpc::SmallSite());
    v1::RecordUsageRequest records;
    *records.add_records() = rpc::Usage("r", service_.now() - absl::Hours(30), absl::Hours(6), 2);
    RecordUsage(service_, records);
    v1::Job running = rpc::JobOf("2");
    running.set_state(v1::JOB_STATE_RUNNING);
    v1::Job held = rpc::JobOf("3");
    held.set_hold(v1::HOLD_USER);
    UpdateJobs(service_, rpc::Upserts({rpc::JobOf("1"), running, held}));
    // Of which the record used twelve times as much.
    Do("UPDATE priorityd.association SET grp_tres_mins_names = '{cpu}', "
       "grp_tres_mins_amounts = '{60}' WHERE account = 'a' AND user_name = ''");
    service_.SetNow(service_.now() + absl::Hours(2));
    Recalculate(service_);
  }

  void Do(const char* statements) {
    storage::Database database({.url = service_.database_url()});
    ASSERT_TRUE(database.Write([&](Transaction& t) { return t.ExecuteScript(statements); }).ok());
  }

  template <typename Decode>
  auto Ask(const std::string& query, Decode decode) {
    storage::Database database({.url = service_.database_url()});
    return database.Read([&](Transaction& t) -> decltype(t.Query(decode, query.c_str())) {
      const absl::Status role = t.ExecuteScript("SET LOCAL ROLE priorityd_report");
      if (!role.ok()) return role;
      return t.Query(decode, query.c_str());
    });
  }

  TestService service_;
};

TEST_F(ReportDashboardTest, EachQueryHasDataAsTheRole) {
  const std::map<std::string, std::string> queries = Queries();
  EXPECT_GT(queries.size(), 18u);
  for (const auto& [panel, query] : queries) {
    const auto rows = Ask(Filled(query), DecodeAny);
    ASSERT_TRUE(rows.ok()) << panel << ": " << rows.status();
    EXPECT_FALSE(rows->empty()) << panel << ": " << Filled(query);
  }
}

// What the service itself says.
TEST_F(ReportDashboardTest, SharesAreThoseOfListShares) {
  const auto rows = Ask(
      "SELECT concat_ws(' ', s.account, s.user_name, round(a.path_norm_shares::numeric, 9), "
      "round(s.norm_usage::numeric, 9)) FROM priorityd_report.share s "
      "JOIN priorityd_report.allocation a USING (cluster, association_id) ORDER BY association_id",
      storage::OnlyColumn<std::string>);
  ASSERT_TRUE(rows.ok()) << rows.status();
  std::map<std::string, double> parts = {{"", 1}};
  std::vector<std::string> want;
  const v1::ListSharesResponse shares = rpc::ListShares(service_);
  for (const v1::AssociationShare& share : shares.shares()) {
    const std::string above = share.user().empty() ? share.parent_account() : share.account();
    const double part = parts[above] * share.norm_shares();
    if (share.user().empty()) parts[share.account()] = part;
    want.push_back(absl::StrFormat("%s %s %.9f %.9f", share.account(), share.user(), part,
                                   share.norm_usage()));
  }
  EXPECT_THAT(*rows, ::testing::UnorderedElementsAreArray(want));
}

}  // namespace
}  // namespace priorityd
