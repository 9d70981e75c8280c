// A replica that restarts beside a running PostgreSQL, with 100,000 associations that all have
// usage and 200,000 tracked jobs: seconds from its start until it ranks them, the median of some
// kills. Prints one JSON line.
//
// usage: restart_bench PRIORITYD [ROUNDS]
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "storage/database/database.h"
#include "tests/bench/bench_database.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/figures.h"

namespace priorityd::bench {
namespace {

namespace v1 = ::priority::v1;

constexpr int kAccountsOfSite = 1000;
constexpr int kUsersOfAccount = 99;  // And the account's own association.
constexpr int kTrackedJobs = 200'000;
constexpr int kBatch = 10'000;
constexpr double kTarget = 1.5;  // Seconds.
constexpr char kListen[] = "127.0.0.1:16829";

constexpr char kUsage[] =
    "INSERT INTO priorityd.association_usage (association_id, cluster_id, value, as_of, tres_ids, "
    "tres_seconds, wall_seconds) SELECT id, cluster_id, 1e9 / (3 + id % 1009), "
    "now() - id % 1013 * interval '1 second', '{1,2,4}', "
    "ARRAY[id / 3.0, id / 7.0, id / 9.0], id / 11.0 FROM priorityd.association "
    "WHERE user_name <> ''; ANALYZE";

std::string AccountOf(int i) { return absl::StrCat("account", i); }
std::string UserOf(int account, int i) { return absl::StrCat("user", account, "_", i); }

v1::ImportRequest Site() {
  std::string dump = "Cluster - 'bench':Fairshare=1\nParent - 'root'\n";
  for (int a = 0; a < kAccountsOfSite; ++a) {
    absl::StrAppend(&dump, "Account - '", AccountOf(a), "':Fairshare=", 1 + a % 7, "\n");
  }
  for (int a = 0; a < kAccountsOfSite; ++a) {
    absl::StrAppend(&dump, "Parent - '", AccountOf(a), "'\n");
    for (int u = 0; u < kUsersOfAccount; ++u) {
      absl::StrAppend(&dump, "User - '", UserOf(a, u), "':DefaultAccount='", AccountOf(a),
                      "':Fairshare=", 1 + u % 5, "\n");
    }
  }
  v1::ImportRequest request;
  const auto add = [&](v1::FileKind kind, std::string content) {
    v1::File* file = request.add_files();
    file->set_name("file");
    file->set_kind(kind);
    file->set_content(std::move(content));
  };
  add(v1::FILE_KIND_SLURM_CONF,
      "ClusterName=bench\nPriorityWeightAge=1000\nPriorityWeightFairshare=10000\n"
      "PriorityWeightJobSize=1000\nNodeName=n[1-400] CPUs=64 RealMemory=256000\n"
      "PartitionName=p1 Nodes=ALL Default=YES TRESBillingWeights=CPU=1.0,Mem=0.25G\n");
  add(v1::FILE_KIND_SACCTMGR_DUMP, std::move(dump));
  return request;
}

v1::Job TrackedJob(int i, int64_t now) {
  v1::Job job;
  const int account = i % kAccountsOfSite;
  job.set_job_id(absl::StrCat(1'000'000 + i));
  job.set_user(UserOf(account, i / 7 % kUsersOfAccount));
  job.set_account(AccountOf(account));
  job.add_partitions("p1");
  job.set_nodes(1 + i % 16);
  job.set_cpus(job.nodes() * 64);
  job.mutable_submit_time()->set_seconds(now - i % 600'000);
  job.mutable_time_limit()->set_seconds(60 * (1 + i % 2000));
  (*job.mutable_tres())["cpu"] = job.cpus();
  (*job.mutable_tres())["mem"] = 1000 * job.cpus();
  return job;
}

// A replica on kListen, killed at the end.
class Replica {
 public:
  Replica(const char* binary, const std::string& url) : pid_(fork()) {
    if (pid_ != 0) return;
    execl(binary, binary, absl::StrCat("--database_url=", url).c_str(),
          absl::StrCat("--listen=", kListen).c_str(), "--history_interval=0", nullptr);
    _exit(127);
  }
  ~Replica() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Replica(const Replica&) = delete;
  Replica& operator=(const Replica&) = delete;

 private:
  const pid_t pid_;
};

template <typename Method, typename Request, typename Response, typename Stub>
void Call(Stub& stub, Method method, const Request& request, Response* response) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(2));
  Check((stub.*method)(&context, request, response));
}

void Fill(storage::Database& database) {
  const auto channel = Connect(kListen);
  AwaitOpen(channel);
  const auto admin = v1::AdminService::NewStub(channel);
  const auto service = v1::PriorityService::NewStub(channel);
  v1::ImportResponse imported;
  Call(*admin, &v1::AdminService::Stub::Import, Site(), &imported);
  RunScript(database, kUsage);
  v1::Snapshot snapshot;
  Call(*admin, &v1::AdminService::Stub::Recalculate, v1::RecalculateRequest(), &snapshot);
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  for (int first = 0; first < kTrackedJobs; first += kBatch) {
    v1::UpdateJobsRequest request;
    for (int i = first; i < first + kBatch; ++i) *request.add_upserts() = TrackedJob(i, now);
    v1::UpdateJobsResponse response;
    Call(*service, &v1::PriorityService::Stub::UpdateJobs, request, &response);
  }
}

// Asks until the first of all jobs are ranked. Each call has a connection of its own: one that
// waits for a listener retries at its own pace.
void AwaitRanking() {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(100);
  for (;;) {
    grpc::ClientContext context;
    v1::RankJobsResponse response;
    const auto stub = v1::PriorityService::NewStub(ConnectAlone(kListen));
    if (stub->RankJobs(&context, request, &response).ok()) {
      if (response.ranked_total() == kTrackedJobs) return;
      Die(absl::StrCat("ranked: got ", response.ranked_total(), " jobs, want ", kTrackedJobs));
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
}

void Run(const char* binary, const std::string& url, int rounds) {
  storage::Database database({.url = url, .pool_size = 1});
  {
    const Replica first(binary, url);
    Fill(database);
  }
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const absl::Time begin = absl::Now();
    const Replica again(binary, url);
    AwaitRanking();
    seconds.push_back(absl::ToDoubleSeconds(absl::Now() - begin));
  }
  Print({"restart_ranks_200000", Quantile(seconds, 0.5), kTarget, 1, "s"});
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  if (argc < 2 || rounds < 1) {
    std::fprintf(stderr, "usage: restart_bench PRIORITYD [ROUNDS]\n");
    return 1;
  }
  priorityd::bench::WithPostgres(
      [&](const std::string& url) { priorityd::bench::Run(argv[1], url, rounds); });
  return 0;
}
