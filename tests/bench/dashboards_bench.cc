// RankJobs through the real server with 1,000 event streams and 200 polling dashboards beside it
// over HTTP, beside the same alone, while a job changes five times a second. Prints one JSON line
// per figure.
//
// usage: dashboards_bench PRIORITYD
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/http_crowd.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

constexpr int kHttpPort = 17'498;
constexpr int kJobs = 10'000;
constexpr int kRankings = 3000;
constexpr int kStreams = 1000, kDashboards = 200;
constexpr double kTarget = 2;
constexpr absl::Duration kBetweenRankings = absl::Milliseconds(5);
constexpr absl::Duration kBetweenChanges = absl::Milliseconds(200);
// The page asks for shares every 15 seconds.
constexpr absl::Duration kBetweenPolls = absl::Seconds(5);

void Update(PriorityService::Stub& stub, const UpdateJobsRequest& request) {
  grpc::ClientContext context;
  UpdateJobsResponse response;
  Check(stub.UpdateJobs(&context, request, &response));
}

// Changes a job far down in the order, again and again: nobody's top changes.
class Changes {
 public:
  explicit Changes(PriorityService::Stub* stub)
      : thread_([this, stub] {
          for (int64_t nice = 0; !ends_; ++nice, absl::SleepFor(kBetweenChanges)) {
            UpdateJobsRequest request;
            auto* job = request.add_upserts();
            job->set_job_id("changing");
            job->set_user("u2_0");
            job->set_account("a2");
            job->set_nice(1'000'000 + nice);
            Update(*stub, request);
          }
        }) {}
  ~Changes() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

struct Percentiles {
  double p50, p99;
};

// Milliseconds.
Percentiles Rank(PriorityService::Stub& stub) {
  RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(100);
  std::vector<double> all;
  for (int i = 0; i < kRankings; ++i, absl::SleepFor(kBetweenRankings)) {
    grpc::ClientContext context;
    RankJobsResponse response;
    const absl::Time begin = absl::Now();
    Check(stub.RankJobs(&context, request, &response));
    all.push_back(absl::ToDoubleMilliseconds(absl::Now() - begin));
  }
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all[all.size() * 99 / 100]};
}

void Print(const char* name, double value, double reference) {
  absl::PrintF(
      "{\"name\":\"%s\",\"value\":%.2f,\"reference\":%.2f,\"ratio\":%.2f,\"target\":%g,"
      "\"higher_is_better\":false,\"unit\":\"ms\"}\n",
      name, value, reference, value / reference, kTarget);
  std::fflush(stdout);
}

Percentiles RankBesideACrowd(PriorityService::Stub& stub) {
  const HttpCrowd crowd({.port = kHttpPort,
                         .streams = kStreams,
                         .dashboards = kDashboards,
                         .watch = "/v1/PriorityService/WatchRanking?limit=100",
                         .polls = {"/v1/PriorityService/ListShares?accountsOnly=true",
                                   "/v1/PriorityService/ListJobs?pageSize=100&withRanking=true"},
                         .interval = kBetweenPolls});
  const Percentiles beside = Rank(stub);
  if (crowd.lost() > 0) Die(absl::StrCat(crowd.lost(), " connections were ended"));
  std::fprintf(stderr, "%ld answers, %ld of them unchanged; %ld bytes of events\n",
               static_cast<long>(crowd.answers()), static_cast<long>(crowd.unchanged()),
               static_cast<long>(crowd.event_bytes()));
  return beside;
}

void RaiseFileLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void Run(const char* binary) {
  RaiseFileLimit();
  const Priorityd server(binary, Priorityd::address(),
                         {absl::StrCat("--http_listen=127.0.0.1:", kHttpPort),
                          // All streams come from one address, and none is a service's.
                          "--quota=http_streams=100%", "--quota=services=0%"},
                         "/dev/null");
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  UpdateJobsRequest queue;
  *queue.mutable_upserts() = Queue(kJobs).jobs().jobs();
  Update(*stub, queue);
  const Changes changes(stub.get());
  Rank(*stub);  // To warm up.
  const Percentiles alone = Rank(*stub);
  const Percentiles beside = RankBesideACrowd(*stub);
  Print("dashboards_rank_p50_1000", beside.p50, alone.p50);
  Print("dashboards_rank_p99_1000", beside.p99, alone.p99);
}

int Main(int argc, char** argv) {
  if (argc != 2) Die("usage: dashboards_bench PRIORITYD");
  Run(argv[1]);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
