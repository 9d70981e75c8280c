// WatchRanking through the real server: how long from sending an update until each of
// 1,000 watchers has what changed of the top 100 of 100,000 tracked jobs. Prints one
// JSON line per figure.
//
// The reference is the least that gRPC takes: a server in a process of its own that at
// a call writes the same bytes to 1,000 open streams, and does nothing else. It neither
// commits the update nor ranks.
//
// usage: watch_bench PRIORITYD
//        watch_bench --echo ADDRESS FILE     (is that server; FILE has the message)
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/fan_out.h"
#include "tests/bench/watch_audience.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::WatchRankingRequest;

constexpr int kJobs = 100'000;
constexpr int kWatchers = 1000;
constexpr int kWarmUp = 5;
constexpr int kRounds = 100;
constexpr double kTarget = 3;
constexpr char kEchoAddress[] = "127.0.0.1:17498";
constexpr char kFirst[] = "first";

Job SomeJob(const std::string& id, int account, int user, int64_t nice) {
  Job job;
  job.set_job_id(id);
  job.set_user(absl::StrCat("u", account, "_", user));
  job.set_account(absl::StrCat("a", account));
  job.add_partitions("p2");
  job.set_nice(nice);
  return job;
}

// A job comes to the top, or leaves it: all other rows move.
UpdateJobsRequest NextUpdate(int round) {
  UpdateJobsRequest request;
  if (round % 2 == 1) {
    request.add_removals(kFirst);
  } else {
    *request.add_upserts() = SomeJob(kFirst, 0, 0, -1'000'000'000);
  }
  return request;
}

// Latencies in milliseconds of all watchers in all rounds.
std::vector<double> MeasureSame(PriorityService::Stub& stub, WatchAudience& audience) {
  std::vector<double> all;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    const UpdateJobsRequest request = NextUpdate(round);
    audience.ExpectOneEach();
    const absl::Time start = absl::Now();
    Update(stub, request);
    for (const absl::Time came : audience.Await()) {
      if (round >= kWarmUp) all.push_back(absl::ToDoubleMilliseconds(came - start));
    }
  }
  return all;
}

// Each watches another user. One of these users' jobs changes; from there to the user's
// watcher.
std::vector<double> MeasureFiltered(PriorityService::Stub& stub, WatchAudience& audience) {
  std::mt19937 random(3);
  std::vector<double> all;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    const int watcher = static_cast<int>(random() % kWatchers);
    UpdateJobsRequest request;
    *request.add_upserts() = SomeJob(absl::StrCat("mine ", watcher), watcher / kUsersPerAccount,
                                     watcher % kUsersPerAccount, -1'000'000'000 + round);
    audience.ExpectOne(watcher);
    const absl::Time start = absl::Now();
    Update(stub, request);
    const absl::Time came = audience.Await()[watcher];
    if (round >= kWarmUp) all.push_back(absl::ToDoubleMilliseconds(came - start));
  }
  return all;
}

// A child that is this program under --echo; ends with the object.
class EchoProcess {
 public:
  EchoProcess(const char* self, const std::string& file) : pid_(fork()) {
    if (pid_ != 0) return;
    execl(self, self, "--echo", kEchoAddress, file.c_str(), nullptr);
    _exit(127);
  }
  ~EchoProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  const pid_t pid_;
};

std::vector<double> MeasureEcho(const char* self, const std::string& message) {
  const TemporaryFolder folder;
  const std::string file = absl::StrCat(folder.path(), "/message");
  std::ofstream(file) << message;
  const EchoProcess process(self, file);
  const auto stub = PriorityService::NewStub(Connect(kEchoAddress));
  Update(*stub, {});  // Waits until it listens.
  WatchAudience audience(kEchoAddress, std::vector<WatchRankingRequest>(kWatchers));
  return MeasureSame(*stub, audience);
}

void Run(const char* self, const char* binary) {
  const Priorityd server(binary);
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  FillQueue(*stub, kJobs);
  std::vector<double> same;
  std::string message;
  {
    WatchAudience audience(Priorityd::address(), std::vector<WatchRankingRequest>(kWatchers));
    same = MeasureSame(*stub, audience);
    message = audience.LastMessage();
  }
  const std::vector<double> echo = MeasureEcho(self, message);
  Print({"watch_delta_p50_1000", Quantile(same, 0.5), Quantile(echo, 0.5), kTarget, "ms"});
  Print({"watch_delta_p99_1000", Quantile(same, 0.99), Quantile(echo, 0.99), kTarget, "ms"});
  std::vector<WatchRankingRequest> filtered(kWatchers);
  for (int i = 0; i < kWatchers; ++i) {
    filtered[i].add_users(absl::StrCat("u", i / kUsersPerAccount, "_", i % kUsersPerAccount));
  }
  WatchAudience audience(Priorityd::address(), filtered);
  const std::vector<double> own = MeasureFiltered(*stub, audience);
  Print({"watch_filtered_p50_1000", Quantile(own, 0.5), 0, 0, "ms"});
  Print({"watch_filtered_p99_1000", Quantile(own, 0.99), 0, 0, "ms"});
}

int Main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--echo") == 0) {
    std::ostringstream message;
    message << std::ifstream(argv[3]).rdbuf();
    ServeFanOut(argv[2], message.str());
    return 0;
  }
  if (argc != 2) Die("usage: watch_bench PRIORITYD");
  Run(argv[0], argv[1]);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
