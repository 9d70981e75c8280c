// RankJobs through the real server with 1,000 event streams and 200 polling dashboards beside it
// over HTTP, beside the same alone, while a job changes five times a second. Prints one JSON line
// per figure.
//
// usage: dashboards_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/http_crowd.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;

constexpr int kHttpPort = 17'498;
constexpr int kJobs = 10'000;
constexpr int kRankings = 3000;
constexpr int kStreams = 1000, kDashboards = 200;
constexpr double kTarget = 2;
constexpr absl::Duration kBetweenRankings = absl::Milliseconds(5);
constexpr absl::Duration kBetweenChanges = absl::Milliseconds(200);
// The page asks for shares every 15 seconds.
constexpr absl::Duration kBetweenPolls = absl::Seconds(5);

// Changes a job far down in the order: nobody's top changes.
void Change(PriorityService::Stub& stub, int64_t nice) {
  UpdateJobsRequest request;
  auto* job = request.add_upserts();
  job->set_job_id("changing");
  job->set_user("u2_0");
  job->set_account("a2");
  job->set_nice(1'000'000 + nice);
  Update(stub, request);
  absl::SleepFor(kBetweenChanges);
}

std::vector<double> Rank(PriorityService::Stub& stub) {
  return RankTop(stub, kRankings, kBetweenRankings);
}

std::vector<double> RankBesideACrowd(PriorityService::Stub& stub) {
  const HttpCrowd crowd({.port = kHttpPort,
                         .streams = kStreams,
                         .dashboards = kDashboards,
                         .watch = "/v1/PriorityService/WatchRanking?limit=100",
                         .polls = {"/v1/PriorityService/ListShares?accountsOnly=true",
                                   "/v1/PriorityService/ListJobs?pageSize=100&withRanking=true"},
                         .interval = kBetweenPolls});
  std::vector<double> beside = Rank(stub);
  if (crowd.lost() > 0) Die(absl::StrCat(crowd.lost(), " connections were ended"));
  std::fprintf(stderr, "%ld answers, %ld of them unchanged; %ld bytes of events\n",
               static_cast<long>(crowd.answers()), static_cast<long>(crowd.unchanged()),
               static_cast<long>(crowd.event_bytes()));
  return beside;
}

void Run(const char* binary) {
  RaiseFileLimit(kStreams + kDashboards);
  const Priorityd server(binary, Priorityd::address(),
                         {absl::StrCat("--http_listen=127.0.0.1:", kHttpPort),
                          // All streams come from one address, and none is a service's.
                          "--quota=http_streams=100%", "--quota=services=0%"},
                         "/dev/null");
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  FillQueue(*stub, kJobs);
  const Repeated changes([&stub](int64_t nice) { Change(*stub, nice); });
  Rank(*stub);  // To warm up.
  const std::vector<double> alone = Rank(*stub);
  const std::vector<double> beside = RankBesideACrowd(*stub);
  Print({"dashboards_rank_p50_1000", Quantile(beside, 0.5), Quantile(alone, 0.5), kTarget, "ms"});
  Print({"dashboards_rank_p99_1000", Quantile(beside, 0.99), Quantile(alone, 0.99), kTarget, "ms"});
}

int Main(int argc, char** argv) {
  if (argc != 2) Die("usage: dashboards_bench PRIORITYD");
  Run(argv[1]);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
