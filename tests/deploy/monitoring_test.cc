// deploy/prometheus and deploy/grafana with Debian's promtool and Prometheus.
// sizes: allow (one list of alerts, each with its cause)
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/transport/admission.h"
#include "storage/database/database.h"
#include "tests/deploy/monitored_rules.h"
#include "tests/deploy/real_prometheus.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/held_lock.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using rpc::TestEpoch;
using rpc::TestService;
using ::testing::HasSubstr;

// What commits of usage records wait for.
constexpr char kLockClusters[] = "SELECT pg_advisory_xact_lock(7412, id) FROM priorityd.cluster";
constexpr char kRules[] = "deploy/prometheus/priorityd.rules.yml";

// --- promtool -----------------------------------------------------------------------------------

TEST(PromtoolTest, TheRulesAndTheExampleOfAScrapeAreValid) {
  std::string output;
  EXPECT_EQ(RunPromtool({"check", "rules", kRules}, &output), 0) << output;
  EXPECT_EQ(RunPromtool({"check", "config", "deploy/prometheus/prometheus.yml"}, &output), 0)
      << output;
}

TEST(PromtoolTest, EachAlertFiresWhenItShouldAndOnlyThen) {
  const std::string folder = storage::NewTestDirectory();
  std::filesystem::copy("tests/deploy/alerts.test.yml", folder);
  std::filesystem::copy(kRules, folder);
  std::string output;
  EXPECT_EQ(RunPromtool({"test", "rules", folder + "/alerts.test.yml"}, &output), 0) << output;
  const std::string tests = ContentOf("tests/deploy/alerts.test.yml");
  for (const auto& [alert, expression] : WatchedExpressions()) {
    EXPECT_THAT(tests, HasSubstr(absl::StrCat("alertname: ", alert, "\n"))) << "not tested";
  }
}

// --- A real server under load -------------------------------------------------------------------

constexpr int kLoadedJobs = 50;

// Calls of every kind, again and again, on a thread of its own.
class Load {
 public:
  explicit Load(const RealPriorityd& priorityd)
      : stub_(v1::PriorityService::NewStub(priorityd.Connect())),
        admin_(v1::AdminService::NewStub(priorityd.Connect())) {
    Import();
    thread_ = std::thread([this] {
      for (int i = 0; !stops_; ++i) Call(i);
    });
  }
  ~Load() {
    stops_ = true;
    thread_.join();
  }

 private:
  void Import() {
    grpc::ClientContext context;
    v1::ImportResponse response;
    const grpc::Status status =
        admin_->Import(&context, rpc::SmallSite("PurgeJobAfter=48hours\n"), &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  template <typename Method, typename Request, typename Response>
  void Do(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(5)));
    ((*stub_).*method)(&context, request, response);
  }

  void Call(int i) {
    using Stub = v1::PriorityService::Stub;
    v1::RecordUsageRequest records;
    *records.add_records() =
        rpc::Usage(absl::StrCat(i), absl::Now() - absl::Minutes(20), absl::Minutes(10), 2);
    v1::RecordUsageResponse recorded;
    Do(&Stub::RecordUsage, records, &recorded);
    v1::UpdateJobsResponse updated;
    Do(&Stub::UpdateJobs, rpc::Upserts({rpc::JobOf(absl::StrCat(i % kLoadedJobs))}), &updated);
    v1::RankJobsResponse ranked;
    v1::RankJobsRequest ranking;
    ranking.mutable_tracked();
    Do(&Stub::RankJobs, ranking, &ranked);
    v1::ListSharesResponse shares;
    Do(&Stub::ListShares, v1::ListSharesRequest(), &shares);
    absl::SleepFor(absl::Milliseconds(50));
  }

  std::unique_ptr<v1::PriorityService::Stub> stub_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

pid_t EmbeddedPostgresPid(const std::string& data_dir) {
  pid_t pid = 0;
  std::ifstream(data_dir + "/postgres/postmaster.pid") >> pid;
  EXPECT_GT(pid, 1);
  return pid;
}

TEST(PrometheusTest, EveryPanelAndEveryRuleHasDataOfAServerUnderLoadUntilThatIsKilled) {
  const identity::CertificateAuthority authority;
  const std::string data_dir = storage::NewTestDirectory() + "/data";
  RealPriorityd priorityd({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0", "--cell=a",
                           "--metrics_accounts", "--data_dir=" + data_dir,
                           "--site_factor_ca=" + authority.certificate(),
                           absl::StrCat("--max_all_tracked_jobs=", kLoadedJobs * 6 / 5)});
  ASSERT_TRUE(priorityd.AwaitListening());
  std::string address = priorityd.AwaitLogged("metrics on http://");
  address.resize(address.find('/'));
  const RealPrometheus prometheus({address}, ImpatientRules());
  const auto load = std::make_unique<Load>(priorityd);
  EXPECT_GT(PanelQueries().size(), 40u);
  for (const auto& [panel, query] : PanelQueries()) {
    EXPECT_TRUE(prometheus.AwaitData(query)) << panel << ": " << query;
  }
  for (const char* cell : {".*", "a", "a|b"}) {
    for (const auto& [variable, query] : VariableQueries(cell)) {
      EXPECT_TRUE(prometheus.AwaitData(query)) << variable << ": " << query;
    }
  }
  // A replica of another cell is not offered.
  EXPECT_TRUE(
      prometheus.AwaitData(absl::StrCat("absent(", VariableQueries("b").at("instance"), ")")));
  EXPECT_EQ(WatchedExpressions().size(), 30u);
  // What needs a standby, jobs that start, grants that are used up, or a usage domain.
  const std::set<std::string> others = {"PrioritydStandbyLag", "PrioritydReportsOnPrimary",
                                        "PrioritydForecastsLate", "PrioritydGrantsUsedUp",
                                        "PrioritydDomainStandsStill"};
  for (const auto& [alert, expression] : WatchedExpressions()) {
    if (others.contains(alert)) continue;
    EXPECT_TRUE(prometheus.AwaitData(expression)) << alert << ": " << expression;
  }
  EXPECT_TRUE(prometheus.AwaitData("slurm_user_fairshare{user=\"amy\"}"));
  // A scrape that takes a second fails.
  EXPECT_TRUE(
      prometheus.AwaitData("absent(ALERTS{alertname=\"PrioritydDown\", alertstate=\"firing\"})"));
  // The authority's certificate is valid for two days.
  EXPECT_TRUE(prometheus.AwaitAlert("PrioritydCertificateExpires"));
  EXPECT_TRUE(prometheus.AwaitAlert("PrioritydQuotaNearLimit"));
  // It has made none.
  EXPECT_TRUE(prometheus.AwaitAlert("PrioritydBackupOld"));
  kill(EmbeddedPostgresPid(data_dir), SIGKILL);
  EXPECT_TRUE(prometheus.AwaitAlert("PrioritydPostgresRestarts"));
  priorityd.Signal(SIGKILL);
  EXPECT_TRUE(prometheus.AwaitAlert("PrioritydDown"));
}

// --- Faults -------------------------------------------------------------------------------------

class AlertTest : public ::testing::Test {
 protected:
  void Start(TestService::Options options = {}, const std::string& policy = "", bool leads = true) {
    options.serves_metrics = true;
    service_ = std::make_unique<TestService>(options);
    Import(*service_, rpc::SmallSite(policy));
    Record("first");
    prometheus_ = std::make_unique<RealPrometheus>(
        std::vector<std::string>{service_->http_address()}, ImpatientRules());
    ASSERT_TRUE(prometheus_->AwaitData(leads ? "priorityd_leader == 1" : "priorityd_leader == 0"));
  }

  grpc::Status Record(const std::string& id, absl::Duration ago = absl::Hours(1)) {
    v1::RecordUsageRequest request;
    *request.add_records() =
        rpc::Usage(id, service_->now() - ago - absl::Hours(1), absl::Hours(1), 1);
    grpc::Status status;
    RecordUsage(*service_, request, &status);
    return status;
  }

  void ExpectAlert(const std::string& name) { EXPECT_TRUE(prometheus_->AwaitAlert(name)) << name; }

  std::unique_ptr<TestService> service_;
  std::unique_ptr<RealPrometheus> prometheus_;
};

// Calls `work` again and again until it goes.
class Repeatedly {
 public:
  explicit Repeatedly(std::function<void(int)> work)
      : thread_([this, work = std::move(work)] {
          for (int i = 0; !stops_; ++i) {
            work(i);
            absl::SleepFor(absl::Milliseconds(20));
          }
        }) {}
  ~Repeatedly() {
    stops_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

TEST_F(AlertTest, ADatabaseThatIsGoneTakesLeaderSnapshotsAndRecords) {
  storage::PostgresServer postgres;
  postgres.Run("psql", {"-X", "-d", postgres.Url("postgres"), "-c", "CREATE DATABASE site"});
  Start({.database_url = postgres.Url("site")});
  postgres.Kill();
  const Repeatedly calls([this](int i) { Record(absl::StrCat(i)); });
  for (const char* alert : {"PrioritydNoLeader", "PrioritydDatabaseErrors", "PrioritydErrors",
                            "PrioritydSnapshotsStale"}) {
    ExpectAlert(alert);
  }
  postgres.Start();
}

TEST_F(AlertTest, AStandbyThatReplaysNothingIsBehindAndThePrimaryServesReports) {
  storage::PostgresServer primary;
  storage::PostgresServer standby(&primary);
  primary.Run("psql", {"-X", "-d", primary.Url("postgres"), "-c", "CREATE DATABASE site"});
  Start({.database_url = primary.Url("site"), .reports_database_url = standby.Url("site")});
  EXPECT_TRUE(prometheus_->AwaitData("priorityd_reports_standby_serves == 1"));
  standby.Run("psql", {"-X", "-d", standby.Url("postgres"), "-c", "SELECT pg_wal_replay_pause()"});
  ExpectAlert("PrioritydStandbyLag");
  ExpectAlert("PrioritydReportsOnPrimary");
}

TEST_F(AlertTest, AClusterWhoseMoveWasInterruptedIsFrozen) {
  Start();
  v1::MoveClusterRequest move;
  move.set_cluster("c");
  move.set_cell("b");
  for (const v1::MoveStep step : {v1::MOVE_STEP_LEAVE, v1::MOVE_STEP_FREEZE}) {
    move.set_step(step);
    v1::ClusterMove moved;
    const grpc::Status status = CallUnary(*service_, move, &moved);
    ASSERT_TRUE(status.ok()) << status.error_message();
    move.set_move_id(moved.move_id());
  }
  ExpectAlert("PrioritydClusterFrozen");
}

TEST_F(AlertTest, AClusterThatSomebodyLocksStallsItsRecords) {
  Start();
  storage::HeldLock lock(service_->database_url(), kLockClusters);
  std::thread recorder([this] { Record("second"); });
  ExpectAlert("PrioritydRecordingStalled");
  ExpectAlert("PrioritydCommitsSlow");
  lock.Release();
  recorder.join();
}

TEST_F(AlertTest, ARecalculationThatHangsIsLateAndOneThatFailsIsReported) {
  Start();
  {
    storage::HeldLock lock(service_->database_url(),
                           "LOCK TABLE priorityd.publication IN ACCESS EXCLUSIVE MODE");
    // It gives up after a while, and is due again only when time goes on.
    const Repeatedly time([this](int i) {
      if (i % 50 == 0) service_->SetNow(service_->now() + absl::Minutes(10));
    });
    ExpectAlert("PrioritydRecalculationLate");
    lock.Release();
  }
  storage::Database database({.url = service_->database_url()});
  const auto rename = [&](const char* statement) {
    EXPECT_TRUE(database
                    .Write([&](storage::Transaction& transaction) {
                      return transaction.Execute(statement).status();
                    })
                    .ok());
  };
  rename("ALTER TABLE priorityd.publication RENAME TO elsewhere");
  {
    const Repeatedly calls([this](int) {
      grpc::Status status;
      rpc::Recalculate(*service_, {}, &status);
    });
    ExpectAlert("PrioritydRecalculationFails");
  }
  rename("ALTER TABLE priorityd.elsewhere RENAME TO publication");
}

TEST_F(AlertTest, AClockThatIsOffIsReportedAndTheReplicaIsNotReady) {
  Start();
  service_->SetHostIsAhead(absl::Minutes(1));
  ExpectAlert("PrioritydClockOff");
  ExpectAlert("PrioritydNotReady");
}

TEST_F(AlertTest, ASnapshotOfTheFutureIsReported) {
  Start();
  const absl::Time now = service_->now();
  service_->SetNow(now + absl::Hours(24 * 400));
  rpc::Recalculate(*service_);
  service_->SetNow(now);
  ExpectAlert("PrioritydSnapshotInFuture");
}

TEST_F(AlertTest, StreamsThatFillTheMemoryAndCallsThatAreRefusedAreReported) {
  // Three quarters are for requests; what these leave is room for the page of metrics.
  Start({.memory_budget = 256 * rpc::kCallBytes});
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<
      std::unique_ptr<grpc::ClientReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>>
      streams;
  for (int i = 0; i < 165; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    streams.push_back(rpc::PriorityStub(*service_).StreamUsage(contexts.back().get()));
  }
  ExpectAlert("PrioritydMemoryNearBudget");
  const Repeatedly calls([this](int) {
    v1::RecordUsageRequest request;
    for (int i = 0; i < 500; ++i) {
      *request.add_records() =
          rpc::Usage(absl::StrCat(i), TestEpoch() - absl::Hours(2), absl::Hours(1), 1);
    }
    grpc::Status status;
    RecordUsage(*service_, request, &status);
  });
  ExpectAlert("PrioritydRefusals");
  for (const auto& context : contexts) context->TryCancel();
}

TEST_F(AlertTest, CallsThatHaveEveryConnectionLetOthersWait) {
  // The calls of one caller never have all operating threads, but all but one.
  Start({.database_connections = rpc::kOperatingThreads - 1});
  // Those who ask for a policy wait for it, each with a connection.
  storage::HeldLock lock(service_->database_url(),
                         "LOCK TABLE priorityd.policy_version IN ACCESS EXCLUSIVE MODE");
  std::vector<std::unique_ptr<Repeatedly>> calls;
  for (int i = 0; i < rpc::kOperatingThreads; ++i) {
    calls.push_back(std::make_unique<Repeatedly>([this](int) {
      v1::Policy policy;
      CallUnary(*service_, v1::GetPolicyRequest(), &policy);
    }));
  }
  const Repeatedly report([this](int) {
    v1::ReportUsageResponse answer;
    CallUnary(*service_, v1::ReportUsageRequest(), &answer);
  });
  ExpectAlert("PrioritydDatabaseConnectionsShort");
  ExpectAlert("PrioritydCallsQueued");
  lock.Release();
}

TEST_F(AlertTest, RecordsOfAnUnknownUserAreRejectedAndReportedBySource) {
  Start();
  const Repeatedly calls([this](int i) {
    v1::RecordUsageRequest request;
    *request.add_records() = rpc::Usage(absl::StrCat("rejected", i),
                                        service_->now() - absl::Hours(2), absl::Hours(1), 1);
    request.mutable_records(0)->set_user("nobody");
    RecordUsage(*service_, request);
  });
  ExpectAlert("PrioritydRecordsRejected");
}

TEST_F(AlertTest, AReplicaThatComputesOtherValuesThanTheLeaderIsReported) {
  TestService leader;
  Start({.database_url = leader.database_url()}, "", /*leads=*/false);
  const auto set_digest = leader.database().Write([](storage::Transaction& transaction) {
    return transaction.ExecuteScript(
        "CREATE FUNCTION other_digest() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN NEW.digest := NEW.digest + 1; RETURN NEW; END';"
        "CREATE TRIGGER other_digest BEFORE INSERT OR UPDATE ON priorityd.publication "
        "FOR EACH ROW EXECUTE FUNCTION other_digest()");
  });
  ASSERT_TRUE(set_digest.ok()) << set_digest;
  const Repeatedly calls([&](int) { rpc::Recalculate(leader); });
  ExpectAlert("PrioritydValuesDiffer");
}

TEST_F(AlertTest, ALedgerThatIsNotRolledUpLags) {
  // The service does not roll up by itself.
  Start({}, "TimeZone=UTC\nPurgeJobAfter=2hours\n");
  EXPECT_TRUE(Record("old", absl::Hours(30)).ok());
  service_->SetNow(service_->now() + absl::Minutes(10));
  ExpectAlert("PrioritydRetentionLags");
}

}  // namespace
}  // namespace priorityd
