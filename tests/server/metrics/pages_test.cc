// The pages of a whole service over HTTP.
#include "server/metrics/pages.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/forecasts/books.h"
#include "server/replica.h"
#include "tests/await.h"
#include "tests/server/metrics/documented_metrics.h"
#include "tests/server/service/administered_site.h"
#include "tests/server/service/ended_jobs_site.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::metrics {
namespace {

namespace v1 = ::priority::v1;

using rpc::TestEpoch;
using rpc::TestService;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kPolicy[] =
    "TimeZone=UTC\nPurgeJobAfter=48hours\nPriorityDecayHalfLife=1-0\nUsageFromJobEnd=yes\n";

// What commits of usage records wait for.
constexpr char kLockClusters[] = "SELECT pg_advisory_xact_lock(7412, id) FROM priorityd.cluster";

class PagesTest : public ::testing::Test {
 protected:
  void Start(TestService::Options options = {}) {
    options.serves_metrics = true;
    service_ = std::make_unique<TestService>(options);
  }

  httplib::Result Get(const std::string& path, const std::string& accept = "") {
    httplib::Client client("http://" + service_->http_address());
    client.set_read_timeout(60);
    auto result = client.Get(path.c_str(), {{"Accept", accept}});
    EXPECT_TRUE(result) << path << ": " << httplib::to_string(result.error());
    return result;
  }
  std::string Scrape() { return Get("/metrics")->body; }

  // The value of a series; -1 if there is none.
  double Value(const std::string& series) {
    const std::string text = "\n" + Scrape();
    const size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1
                                   : std::strtod(text.c_str() + at + series.size() + 2, nullptr);
  }
  // Waits a minute at most for a series to have that value.
  void AwaitValue(const std::string& series, double value) {
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    while (Value(series) != value && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(20));
    EXPECT_EQ(Value(series), value) << series;
  }

  // Work of each kind, so that every metric has a series.
  void Load() {
    Import(*service_, rpc::SmallSite(kPolicy));
    v1::RecordUsageRequest records;
    *records.add_records() = rpc::Usage("1", TestEpoch() - absl::Hours(2), absl::Hours(1), 4);
    *records.add_records() = rpc::Usage("1", TestEpoch() - absl::Hours(2), absl::Hours(1), 4);
    RecordUsage(*service_, records);
    v1::Job held = rpc::JobOf("2", "ben");
    held.set_hold(v1::HOLD_USER);
    const rpc::RunOfJob ended{"3", TestEpoch() - absl::Hours(1), TestEpoch(), 1};
    UpdateJobs(*service_, rpc::Upserts({rpc::JobOf("1"), held, rpc::EndedJob(ended)}));
    v1::RankJobsRequest ranking;
    ranking.mutable_tracked();
    RankJobs(*service_, ranking);
    ListShares(*service_);
    // The horizon of the ledger is there once it was rolled up.
    service_->SetNow(TestEpoch() + absl::Minutes(6));
  }

  // A forecast of a job is scored.
  void StartAJob() {
    v1::Job job = rpc::JobOf("4");
    for (const v1::JobState state : {v1::JOB_STATE_PENDING, v1::JOB_STATE_RUNNING}) {
      job.set_state(state);
      UpdateJobs(*service_, rpc::Upserts({job}));
      service_->forecasts().RunTurn();
    }
  }

  // A grant is in force.
  void GrantSomething(const std::vector<std::string>& settings = {"Accounts=a", "Amount=1000",
                                                                  "Consequence=warn"}) {
    v1::UpdateGrantsRequest request;
    request.add_names("q4");
    request.set_allow_missing(true);
    rpc::AddSettings(settings, &request);
    v1::ChangeResponse response;
    ASSERT_TRUE(CallUnary(*service_, request, &response).ok());
    rpc::Recalculate(*service_);
  }

  // A usage domain of which the cluster is a member.
  void JoinADomain() {
    v1::ImportRequest import = rpc::SmallSite(kPolicy);
    for (auto& file : *import.mutable_files()) {
      file.set_content(absl::StrReplaceAll(file.content(), {{"ClusterName=c\n", "ClusterName=d\n"},
                                                            {"Cluster - 'c'", "Cluster - 'd'"}}));
    }
    Import(*service_, import);
    v1::UpdateDomainRequest request;
    request.set_cluster("d");
    request.add_join("c");
    v1::ChangeResponse response;
    ASSERT_TRUE(CallUnary(*service_, request, &response).ok());
  }

  std::unique_ptr<TestService> service_;
};

std::string Page() {
  std::ifstream file("docs/metrics.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(PagesTest, ThePageListsTheMetricsThatAServerUnderLoadHasAndNoOthers) {
  const storage::PostgresServer primary;
  const storage::PostgresServer standby(&primary);
  primary.Run("psql", {"-X", "-d", primary.Url("postgres"), "-c", "CREATE DATABASE site"});
  Start({.database_url = primary.Url("site"),
         .reports_database_url = standby.Url("site"),
         .retention_period = absl::Minutes(1)});
  Load();
  GrantSomething();
  StartAJob();
  JoinADomain();
  std::vector<std::string> faults;
  const MetricList documented = ReadPage(Page(), &faults);
  EXPECT_THAT(faults, IsEmpty());
  std::vector<std::string> differences;
  const absl::Time deadline = absl::Now() + absl::Minutes(2);
  do {
    differences = Differences(documented, ReadScrape(Scrape()));
  } while (!differences.empty() && absl::Now() < deadline);
  EXPECT_THAT(differences, IsEmpty()) << absl::StrJoin(differences, "\n");
}

TEST_F(PagesTest, AGrantWithoutAConsequenceHasItsAmountsAndIsNotCounted) {
  Start();
  Load();
  GrantSomething({"Accounts=a", "Amount=1000"});
  const std::string grant = "{cluster=\"c\",grant=\"q4\",tres=\"billing\"}";
  EXPECT_EQ(Value("priorityd_grant_available_tres_seconds" + grant), 60'000);
  EXPECT_EQ(Value("priorityd_grant_left_tres_seconds" + grant), 60'000);
  EXPECT_EQ(Value("priorityd_grants_in_force{cluster=\"c\"}"), 0);
  GrantSomething({"Consequence=warn"});
  EXPECT_EQ(Value("priorityd_grants_in_force{cluster=\"c\"}"), 1);
}

// 2 CPUs for an hour; nothing is recorded.
TEST_F(PagesTest, TheRunningReserveOfAGrantIsThatOfListGrants) {
  Start();
  Import(*service_, rpc::SmallSite(kPolicy));
  GrantSomething({"Accounts=a", "TRES=cpu", "Amount=1000"});
  v1::Job job = rpc::JobOf("1");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_cpus(2);
  job.mutable_time_limit()->set_seconds(3600);
  UpdateJobs(*service_, rpc::Upserts({job}));
  AwaitValue("priorityd_grant_running_tres_seconds{cluster=\"c\",grant=\"q4\",tres=\"cpu\"}", 7200);
  v1::ListGrantsResponse listed;
  ASSERT_TRUE(CallUnary(*service_, v1::ListGrantsRequest(), &listed).ok());
  ASSERT_EQ(listed.grants_size(), 1);
  EXPECT_EQ(listed.grants(0).running_minutes(), 120);
}

TEST_F(PagesTest, ADeletedClusterHasNoSamples) {
  Start();
  Load();
  rpc::Recalculate(*service_);
  ASSERT_THAT(Scrape(), HasSubstr("priorityd_usage_records_total{cluster=\"c\""));
  ASSERT_THAT(Scrape(), HasSubstr("priorityd_recalculations_total{cluster=\"c\""));
  v1::DeleteClusterRequest request;
  request.set_name("c");
  v1::DeleteClusterResponse response;
  ASSERT_TRUE(CallUnary(*service_, request, &response).ok());
  EXPECT_TRUE(Await([&] { return Scrape().find("cluster=\"c\"") == std::string::npos; }))
      << Scrape();
}

TEST_F(PagesTest, AMissingRowAMetricTooManyAndAWrongCellAreSeen) {
  const std::string row = "| `a_seconds` | gauge | seconds | cluster | How long |\n";
  const std::string scrape =
      "# HELP a_seconds How long\n# TYPE a_seconds gauge\n"
      "a_seconds{cluster=\"x=\\\"y\\\"\"} 1\n";
  std::vector<std::string> faults;
  EXPECT_THAT(Differences(ReadPage(row, &faults), ReadScrape(scrape)), IsEmpty());
  EXPECT_THAT(Differences(ReadPage("", &faults), ReadScrape(scrape)),
              ElementsAre("not documented: " + row.substr(0, row.size() - 1)));
  EXPECT_THAT(Differences(ReadPage(row, &faults), ReadScrape("")),
              ElementsAre("not in the scrape: a_seconds"));
  EXPECT_THAT(faults, IsEmpty());
  for (const char* wrong : {"| `a_seconds` | counter | seconds | cluster | How long |",
                            "| `a_seconds` | gauge | seconds |  | How long |",
                            "| `a_seconds` | gauge | seconds | cluster | How short |"}) {
    EXPECT_THAT(Differences(ReadPage(wrong, &faults), ReadScrape(scrape)),
                ElementsAre(StartsWith("documented otherwise: ")));
  }
  ReadPage("| `a_seconds` | gauge | bytes | cluster | How long |", &faults);
  EXPECT_THAT(faults, ElementsAre(StartsWith("unit: ")));
}

TEST_F(PagesTest, WhatWasDoneIsCounted) {
  Start();
  Load();
  EXPECT_EQ(Value("priorityd_rpcs_total{method=\"RecordUsage\",code=\"OK\"}"), 1);
  EXPECT_EQ(Value("priorityd_usage_records_total{cluster=\"c\",outcome=\"accepted\"}"), 1);
  EXPECT_EQ(Value("priorityd_usage_records_total{cluster=\"c\",outcome=\"duplicate\"}"), 1);
  EXPECT_EQ(Value("priorityd_usage_commit_records_sum"), 2);
  EXPECT_EQ(Value("priorityd_usage_record_lateness_seconds_sum"), 3600);
  EXPECT_GE(Value("priorityd_recalculations_total{cluster=\"c\",outcome=\"ok\"}"), 1);
  EXPECT_EQ(Value("priorityd_recalculations_total{cluster=\"c\",outcome=\"failed\"}"), 0);
  EXPECT_EQ(Value("priorityd_leader"), 1);
  EXPECT_EQ(Value("priorityd_users{cluster=\"c\"}"), 3);
  EXPECT_EQ(Value("priorityd_qos{cluster=\"c\"}"), 2);
  const std::string jobs = "priorityd_tracked_jobs{cluster=\"c\",state=\"pending\",reason=";
  EXPECT_EQ(Value(jobs + "\"Priority\"}"), 1);
  EXPECT_EQ(Value(jobs + "\"JobHeldUser\"}"), 1);
  EXPECT_EQ(Value("priorityd_connections"), 1);
  grpc::Status status;
  v1::RankJobsRequest nowhere;
  nowhere.set_cluster("nowhere");
  nowhere.mutable_tracked();
  RankJobs(*service_, nowhere, &status);
  EXPECT_EQ(Value("priorityd_rpcs_total{method=\"RankJobs\",code=\"NOT_FOUND\"}"), 1);
}

TEST_F(PagesTest, AccountsHaveTheFairShareAndUsageOfListShares) {
  Start();
  Load();
  rpc::Recalculate(*service_);
  const v1::ListSharesResponse shares = ListShares(*service_);
  const v1::AssociationShare amy = rpc::ShareOf(shares, "a", "amy");
  const std::string labels = "{cluster=\"c\",account=\"a\",user=\"amy\"}";
  EXPECT_NEAR(Value("slurm_user_fairshare" + labels), amy.fair_share(), 1e-9);
  EXPECT_NEAR(Value("slurm_user_fairshare_raw_usage_cpu_seconds" + labels), amy.raw_usage(),
              amy.raw_usage() * 1e-5);
  EXPECT_EQ(Value("slurm_user_fairshare_raw_shares" + labels), 2);
  EXPECT_GT(Value("slurm_account_fairshare_raw_usage_cpu_seconds{cluster=\"c\",account=\"a\"}"), 0);
}

TEST_F(PagesTest, WatchersAreCountedWhileTheyWatch) {
  Start();
  Load();
  grpc::ClientContext context;
  const auto watch = rpc::PriorityStub(*service_).WatchRanking(&context, {});
  v1::WatchRankingResponse first;
  ASSERT_TRUE(watch->Read(&first));
  EXPECT_EQ(Value("priorityd_watchers"), 1);
  EXPECT_EQ(Value("priorityd_watch_views"), 1);
  context.TryCancel();
  watch->Finish();
  AwaitValue("priorityd_watchers", 0);
}

TEST_F(PagesTest, AScrapeDoesNotWaitForWhoHoldsTheDatabase) {
  Start();
  Load();
  storage::HeldLock lock(service_->database_url(), kLockClusters);
  std::thread recorder([&] {
    v1::RecordUsageRequest records;
    *records.add_records() = rpc::Usage("9", TestEpoch() - absl::Hours(2), absl::Hours(1), 4);
    RecordUsage(*service_, records);
  });
  lock.AwaitWaiters();
  // Each scrape is answered while the lock is held.
  double at_work = 0;
  for (const absl::Time deadline = absl::Now() + absl::Minutes(1);
       at_work == 0 && absl::Now() < deadline;) {
    at_work = Value("priorityd_usage_commit_at_work_seconds");
  }
  EXPECT_GT(at_work, 0);
  lock.Release();
  recorder.join();
  AwaitValue("priorityd_usage_commit_at_work_seconds", 0);
}

TEST_F(PagesTest, TheFormatIsTheOneThatIsAskedFor) {
  Start();
  const auto open = Get("/metrics", "application/openmetrics-text; version=1.0.0");
  EXPECT_THAT(open->get_header_value("Content-Type"),
              StartsWith("application/openmetrics-text; version=1.0.0"));
  EXPECT_THAT(open->body, testing::EndsWith("\n# EOF\n"));
  const auto plain = Get("/metrics");
  EXPECT_THAT(plain->get_header_value("Content-Type"), StartsWith("text/plain; version=0.0.4"));
  EXPECT_THAT(plain->body, Not(HasSubstr("# EOF")));
}

TEST_F(PagesTest, AProcessThatAnswersIsAliveAndReady) {
  Start();
  EXPECT_EQ(Get("/healthz")->status, 200);
  EXPECT_EQ(Get("/readyz")->status, 200);
  EXPECT_EQ(Value("priorityd_healthy{part=\"snapshots\"}"), 1);
}

TEST_F(PagesTest, AClockThatIsOffIsAReasonNotToBeReady) {
  Start({.host_is_ahead = absl::Hours(1)});
  const auto page = Get("/readyz");
  EXPECT_EQ(page->status, 503);
  EXPECT_THAT(page->body, StartsWith("clock: this host's clock differs from the database's by "));
  EXPECT_THAT(page->body, HasSubstr("want at most 10s (--max_clock_offset)\n"));
  EXPECT_EQ(Get("/healthz")->status, 200);
  EXPECT_EQ(Value("priorityd_healthy{part=\"clock\"}"), 0);
  EXPECT_NEAR(Value("priorityd_clock_offset_seconds"), 3600, 60);
}

TEST_F(PagesTest, ACommitThatHangsIsAReasonNotToBeReady) {
  Start({.max_commit = absl::Milliseconds(50)});
  Load();
  storage::HeldLock lock(service_->database_url(), kLockClusters);
  std::thread recorder([&] {
    v1::RecordUsageRequest records;
    *records.add_records() = rpc::Usage("9", TestEpoch() - absl::Hours(2), absl::Hours(1), 4);
    RecordUsage(*service_, records);
  });
  lock.AwaitWaiters();
  auto page = Get("/readyz");
  for (const absl::Time deadline = absl::Now() + absl::Minutes(1);
       page->status == 200 && absl::Now() < deadline; page = Get("/readyz")) {
  }
  EXPECT_EQ(page->status, 503);
  EXPECT_THAT(page->body, StartsWith("recording: a commit has been running for "));
  lock.Release();
  recorder.join();
}

TEST_F(PagesTest, WhoDrainsIsNotReady) {
  Start();
  service_->Drain();
  const auto page = Get("/readyz");
  EXPECT_EQ(page->status, 503);
  EXPECT_EQ(page->body, "accepting: the service is stopping and accepts no more calls\n");
}

}  // namespace
}  // namespace priorityd::metrics
