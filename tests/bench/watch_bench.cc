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
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
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
using ::priority::v1::UpdateJobsResponse;
using ::priority::v1::WatchRankingRequest;

constexpr int kJobs = 100'000;
constexpr int kWatchers = 1000;
constexpr int kWarmUp = 5;
constexpr int kRounds = 100;
constexpr double kTarget = 3;
constexpr char kEchoAddress[] = "127.0.0.1:17498";
constexpr char kFirst[] = "first";

void Update(PriorityService::Stub& stub, const UpdateJobsRequest& request) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  UpdateJobsResponse response;
  Check(stub.UpdateJobs(&context, request, &response));
  for (const auto& result : response.upserts()) {
    if (result.outcome() != ::priority::v1::UPDATE_OUTCOME_UPSERTED) Die(result.message());
  }
}

void FillQueue(PriorityService::Stub& stub) {
  const ::priority::v1::RankJobsRequest queue = Queue(kJobs);
  UpdateJobsRequest request;
  for (const Job& job : queue.jobs().jobs()) {
    *request.add_upserts() = job;
    if (request.upserts_size() < 10'000) continue;
    Update(stub, request);
    request.Clear();
  }
}

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

struct Percentiles {
  double p50;
  double p99;
};

Percentiles Of(std::vector<double> values) {
  const auto at = [&](double part) {
    const auto place = values.begin() + static_cast<int64_t>(part * (values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  return {at(0.5), at(0.99)};
}

// Latencies in milliseconds of all watchers in all rounds.
Percentiles MeasureSame(PriorityService::Stub& stub, WatchAudience& audience) {
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
  return Of(std::move(all));
}

// Each watches another user. One of these users' jobs changes; from there to the user's
// watcher.
Percentiles MeasureFiltered(PriorityService::Stub& stub, WatchAudience& audience) {
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
  return Of(std::move(all));
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

void Print(const char* name, double value, double reference) {
  absl::PrintF("{\"name\":\"%s\",\"value\":%.2f,", name, value);
  if (reference > 0) {
    absl::PrintF("\"reference\":%.2f,\"ratio\":%.2f,\"target\":%g,", reference, value / reference,
                 kTarget);
  }
  absl::PrintF("\"higher_is_better\":false,\"unit\":\"ms\"}\n");
  std::fflush(stdout);
}

Percentiles MeasureEcho(const char* self, const std::string& message) {
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
  FillQueue(*stub);
  Percentiles same = {};
  std::string message;
  {
    WatchAudience audience(Priorityd::address(), std::vector<WatchRankingRequest>(kWatchers));
    same = MeasureSame(*stub, audience);
    message = audience.LastMessage();
  }
  const Percentiles echo = MeasureEcho(self, message);
  Print("watch_delta_p50_1000", same.p50, echo.p50);
  Print("watch_delta_p99_1000", same.p99, echo.p99);
  std::vector<WatchRankingRequest> filtered(kWatchers);
  for (int i = 0; i < kWatchers; ++i) {
    filtered[i].add_users(absl::StrCat("u", i / kUsersPerAccount, "_", i % kUsersPerAccount));
  }
  WatchAudience audience(Priorityd::address(), filtered);
  const Percentiles own = MeasureFiltered(*stub, audience);
  Print("watch_filtered_p50_1000", own.p50, 0);
  Print("watch_filtered_p99_1000", own.p99, 0);
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
