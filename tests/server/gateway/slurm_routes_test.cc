// The lists of slurmrestd, asked of a real service over HTTP.
#include "server/gateway/slurm_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "priority/v1/queue.pb.h"
#include "server/authorization/rights_table.h"
#include "server/gateway/slurm_shapes.h"
#include "tests/server/gateway/http_site.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using authorization::Role;
using authorization::RoleSet;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kShares[] = "/slurm/v0.0.42/shares";
constexpr char kJobs[] = "/slurm/v0.0.42/jobs/";
constexpr char kQos[] = "/slurmdb/v0.0.42/qos/";
constexpr char kAssociations[] = "/slurmdb/v0.0.42/associations/";

class SlurmRoutesTest : public testing::Test {
 protected:
  json Read(const std::string& path, const std::string& who = "ope") {
    const auto answer = site_.Get(path, who);
    EXPECT_EQ(answer->status, 200) << path << ": " << answer->body;
    EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
    return json::parse(answer->body);
  }

  void Upsert(const std::vector<std::pair<std::string, std::string>>& jobs_and_users) {
    v1::UpdateJobsRequest request;
    for (const auto& [id, user] : jobs_and_users) {
      v1::Job& job = *request.add_upserts();
      job.set_job_id(id);
      job.set_user(user);
      job.set_cpus(1);
    }
    v1::UpdateJobsResponse response;
    ASSERT_TRUE(site_.replica()
                    .Call("priority.v1.PriorityService/UpdateJobs", site_.AuthorizationOf("ope"),
                          &request, &response)
                    .ok());
    for (const auto& result : response.upserts()) {
      ASSERT_EQ(result.outcome(), v1::UPDATE_OUTCOME_UPSERTED) << result.message();
    }
  }

  HttpSite site_;
};

template <typename Value>
std::vector<Value> Values(const json& rows, const char* field) {
  std::vector<Value> values;
  for (const json& row : rows) values.push_back(row[field]);
  return values;
}

TEST_F(SlurmRoutesTest, SharesAreThoseOfListShares) {
  const json own = json::parse(site_.Get("/v1/PriorityService/ListShares", "ope")->body)["shares"];
  const json answer = Read(kShares);
  const json& rows = answer["shares"]["shares"];
  ASSERT_EQ(rows.size(), own.size());
  EXPECT_EQ(answer["shares"]["total_shares"], own.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string user = own[i]["user"];
    EXPECT_EQ(rows[i]["name"], user.empty() ? own[i]["account"] : own[i]["user"]);
    EXPECT_EQ(rows[i]["shares_normalized"]["number"], own[i]["normShares"]);
    EXPECT_EQ(rows[i]["effective_usage"]["number"], own[i]["effectiveUsage"]);
    EXPECT_EQ(rows[i]["fairshare"]["factor"]["set"], own[i].contains("fairShare"));
    if (own[i].contains("fairShare")) {
      EXPECT_EQ(rows[i]["fairshare"]["factor"]["number"], own[i]["fairShare"]);
    }
    EXPECT_EQ(rows[i]["cluster"], "c");
  }
  EXPECT_EQ(answer["meta"]["slurm"]["cluster"], "c");
  EXPECT_EQ(answer["meta"]["plugin"]["data_parser"], "data_parser/v0.0.42");
  EXPECT_EQ(answer["errors"], json::array());
  EXPECT_EQ(answer["warnings"], json::array());
}

TEST_F(SlurmRoutesTest, ParametersAreListsOfNames) {
  const json rows = Read(absl::StrCat(kShares, "?users=amy%2Ccat"))["shares"]["shares"];
  const std::vector<std::string> names = Values<std::string>(rows, "name");
  EXPECT_THAT(names, testing::IsSupersetOf({"amy", "cat"}));
  EXPECT_THAT(names, Not(testing::Contains("ben")));
}

TEST_F(SlurmRoutesTest, JobsHaveThePriorityAndReasonThatTheRankingGivesThem) {
  Upsert({{"17", "amy"}, {"18", "amy"}, {"pod-7f", "ben"}});
  const json own =
      json::parse(site_.Get("/v1/PriorityService/ListJobs?with_ranking=true", "ope")->body)["jobs"];
  const json answer = Read(kJobs);
  ASSERT_EQ(answer["jobs"].size(), 3u);
  for (size_t i = 0; i < own.size(); ++i) {
    const json& row = answer["jobs"][i];
    EXPECT_EQ(row["priority"]["number"], own[i]["priority"]);
    EXPECT_EQ(row["state_reason"], own[i]["reason"]);
    EXPECT_EQ(row["user_name"], own[i]["job"]["user"]);
  }
  EXPECT_TRUE(answer["last_update"]["set"]);
  EXPECT_THAT(answer["warnings"][0]["description"].get<std::string>(), HasSubstr("job_id 0"));
}

TEST_F(SlurmRoutesTest, OneJobIsAskedForByItsId) {
  Upsert({{"17", "amy"}, {"18", "amy"}});
  EXPECT_THAT(Values<int>(Read("/slurm/v0.0.40/job/18")["jobs"], "job_id"), ElementsAre(18));
  const auto none = site_.Get("/slurm/v0.0.40/job/19", "ope");
  EXPECT_EQ(none->status, 404);
  const json answer = json::parse(none->body);
  EXPECT_EQ(answer["jobs"], json::array());
  EXPECT_EQ(answer["errors"][0]["error"], "NOT_FOUND");
}

TEST_F(SlurmRoutesTest, QosAndAssociationsAreThoseThatAreSet) {
  EXPECT_THAT(Values<std::string>(Read(kQos)["qos"], "name"), ElementsAre("normal", "double"));
  const json high = Read("/slurmdb/v0.0.41/qos/double")["qos"];
  ASSERT_EQ(high.size(), 1u);
  EXPECT_EQ(high[0]["priority"]["number"], 10);
  EXPECT_EQ(high[0]["usage_factor"]["number"], 2);
  EXPECT_EQ(site_.Get("/slurmdb/v0.0.41/qos/none", "ope")->status, 404);
  const json amy = Read(absl::StrCat(kAssociations, "?user=amy"))["associations"];
  ASSERT_EQ(amy.size(), 1u);
  EXPECT_EQ(amy[0]["account"], "a");
  EXPECT_EQ(amy[0]["shares_raw"], 2);
  EXPECT_EQ(amy[0]["qos"], json::array({"normal", "double"}));
  const json by_id = Read(absl::StrCat(kAssociations, "?id=", amy[0]["id"].get<int>()));
  EXPECT_THAT(Values<std::string>(by_id["associations"], "user"), ElementsAre("amy"));
}

TEST_F(SlurmRoutesTest, EachVersionAndEachWayToWriteAPathIsServed) {
  for (int version = kOldestSlurmVersion; version <= kNewestSlurmVersion; ++version) {
    for (const char* path :
         {"slurm/V/shares", "slurm/V/jobs", "slurm/V/jobs/", "slurmdb/V/qos", "slurmdb/V/qos/",
          "slurmdb/V/associations", "slurmdb/V/association/"}) {
      std::string whole = absl::StrCat("/", path);
      whole.replace(whole.find('V'), 1, absl::StrCat("v0.0.", version));
      Read(whole);
    }
  }
}

TEST_F(SlurmRoutesTest, WhatIsNotThereIsSaidToBeSo) {
  for (const char* path : {"/slurm/v0.0.39/jobs", "/slurm/v0.0.45/jobs", "/slurm/v0.0.40/nodes",
                           "/slurm/v0.0.40/jobs/1/2", "/slurm/", "/slurmdb/v0.0.40/",
                           "/slurm/x/jobs", "/slurm/v0.0.40/job", "/slurm/v0.0.40/shares/a"}) {
    const auto answer = site_.Get(path, "ope");
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(ReasonIn(answer->body), "NO_SUCH_METHOD") << path;
  }
  const auto post = site_.Post(kJobs, "ope", "{}");
  EXPECT_EQ(post->status, 405);
  EXPECT_EQ(post->get_header_value("Allow"), "GET, HEAD");
}

TEST_F(SlurmRoutesTest, AParameterThatWouldChangeTheRowsIsNeverOverlooked) {
  const auto unknown = site_.Get(absl::StrCat(kJobs, "?user_name=amy"), "ope");
  EXPECT_EQ(unknown->status, 400);
  EXPECT_THAT(json::parse(unknown->body)["errors"][0]["description"].get<std::string>(),
              HasSubstr("user_name"));
  EXPECT_EQ(site_.Get(absl::StrCat(kAssociations, "?only_defaults=perhaps"), "ope")->status, 400);
  EXPECT_EQ(site_.Get(absl::StrCat(kAssociations, "?id=x"), "ope")->status, 400);
  const json ignored = Read(absl::StrCat(kAssociations, "?with_deleted=true&format=x"));
  EXPECT_THAT(ignored["warnings"][0]["description"].get<std::string>(), StartsWith("with_deleted"));
}

// The same rights as the RPCs that they are.
TEST_F(SlurmRoutesTest, EachListIsForTheRolesOfItsRpc) {
  const std::map<std::string, authorization::Rpc> paths = {
      {kShares, authorization::Rpc::kListShares},
      {kJobs, authorization::Rpc::kListJobs},
      {kQos, authorization::Rpc::kListQos},
      {kAssociations, authorization::Rpc::kListAssociations}};
  const std::vector<std::pair<std::string, RoleSet>> callers = {
      {"amy", {Role::kUser}},
      {"ope", {Role::kUser, Role::kOperator}},
      {"k8s:collector", {Role::kCollector}},
      {"k8s:dashboard", {Role::kDashboard}},
      {"k8s:stranger", {}}};
  for (const auto& [path, rpc] : paths) {
    EXPECT_EQ(site_.Get(path, "")->status, 401) << path;
    for (const authorization::Right& right : authorization::kRightsTable) {
      if (right.rpc != rpc) continue;
      for (const auto& [who, roles] : callers) {
        EXPECT_EQ(site_.Get(path, who)->status, roles.HasAnyOf(right.roles) ? 200 : 403)
            << path << " by " << who;
      }
    }
  }
}

TEST_F(SlurmRoutesTest, SlurmsOwnHeaderProvesWhoAsks) {
  const std::string token = site_.AuthorizationOf("ope").substr(std::string("Bearer ").size());
  EXPECT_EQ(
      site_.Get(kShares, "", {{"X-SLURM-USER-TOKEN", token}, {"X-SLURM-USER-NAME", "adm"}})->status,
      200);
  EXPECT_EQ(site_.Get(kShares, "", {{"X-SLURM-USER-NAME", "adm"}})->status, 401);
}

TEST_F(SlurmRoutesTest, AnUnchangedListIsNotSentAgain) {
  const std::string tag = site_.Get(kShares, "ope")->get_header_value("ETag");
  ASSERT_THAT(tag, StartsWith("W/\"g"));
  EXPECT_EQ(site_.Get(kShares, "ope", {{"If-None-Match", tag}})->status, 304);
  EXPECT_EQ(site_.Get(kShares, "amy", {{"If-None-Match", tag}})->status, 200);
  EXPECT_EQ(site_.Get("/slurm/v0.0.40/shares", "ope", {{"If-None-Match", tag}})->status, 200);
  ASSERT_EQ(site_.Post("/v1/AdminService/Recalculate", "ope", "{}")->status, 200);
  EXPECT_EQ(site_.Get(kShares, "ope", {{"If-None-Match", tag}})->status, 200);
}

TEST_F(SlurmRoutesTest, MarkupInANameIsEscapedAndOddBytesAreText) {
  Upsert({{"<img src=x onerror=alert(1)>", "amy"}});
  const auto jobs = site_.Get(kJobs, "ope");
  EXPECT_THAT(jobs->body, Not(HasSubstr("<img")));
  EXPECT_EQ(jobs->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(json::parse(jobs->body)["jobs"][0]["extra"], "<img src=x onerror=alert(1)>");
  EXPECT_EQ(site_.Get(absl::StrCat(kShares, "?accounts=%ff%00%22"), "ope")->status, 400);
  EXPECT_EQ(site_.Get("/slurm/v0.0.42/job/%ff%22", "ope")->status, 404);
}

// More than one page of ListJobs.
TEST_F(SlurmRoutesTest, AListHasTheRowsOfAllPages) {
  for (int part = 0; part < 2; ++part) {
    std::vector<std::pair<std::string, std::string>> jobs;
    for (int i = 1; i <= 5'500; ++i) jobs.emplace_back(absl::StrCat(part * 5'500 + i), "amy");
    Upsert(jobs);
  }
  const std::vector<int> ids = Values<int>(Read(kJobs)["jobs"], "job_id");
  EXPECT_EQ(ids.size(), 11'000u);
  EXPECT_EQ(std::set<int>(ids.begin(), ids.end()).size(), 11'000u);
}

TEST(SlurmRoutesPrivateTest, AUserGetsNoStrangersRows) {
  HttpSite site({.policy = "PrivateData=jobs,usage,users\n"});
  ASSERT_EQ(site.Post("/v1/PriorityService/UpdateJobs", "ope",
                      R"({"upserts":[{"jobId":"1","user":"amy"},{"jobId":"2","user":"cat"}]})")
                ->status,
            200);
  for (const char* path : {kShares, kJobs, kAssociations}) {
    const auto answer = site.Get(path, "amy");
    EXPECT_EQ(answer->status, 200);
    EXPECT_THAT(answer->body, HasSubstr("\"amy\"")) << path;
    EXPECT_THAT(answer->body, Not(HasSubstr("\"cat\""))) << path;
  }
}

}  // namespace
}  // namespace priorityd::gateway
