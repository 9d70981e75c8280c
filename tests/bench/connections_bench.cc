// RankJobs through the real server with 10,000 connections beside it, half of them watches of
// what does not change, 200 slow readers of what does, beside the same with 10 connections;
// and what memory the server takes. Prints one JSON line per figure.
//
// usage: connections_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/crowd.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::WatchRankingRequest;

constexpr int kPort = 17'499;
constexpr int kJobs = 10'000;
constexpr int kRankings = 4000;
constexpr int kFew = 10, kFewSlow = 1;
constexpr int kMany = 10'000, kManySlow = 200;
constexpr double kTarget = 2;
// The default of --memory_budget.
constexpr double kBudgetMib = 1024;
constexpr absl::Duration kBetweenRankings = absl::Milliseconds(2);
constexpr absl::Duration kBetweenChanges = absl::Milliseconds(200);

// Changes a job of account a2.
void Change(PriorityService::Stub& stub, int64_t nice) {
  UpdateJobsRequest request;
  Job* job = request.add_upserts();
  job->set_job_id("changing");
  job->set_user("u2_0");
  job->set_account("a2");
  job->add_partitions("p2");
  job->set_nice(-nice);
  Update(stub, request);
  absl::SleepFor(kBetweenChanges);
}

std::string WatchOf(const char* account) {
  WatchRankingRequest request;
  request.add_accounts(account);
  return request.SerializeAsString();
}

double ResidentMib(pid_t process) {
  std::ifstream file(absl::StrCat("/proc/", process, "/statm"));
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * 4096 / (1 << 20);
}

struct Figures {
  double p50, p99, resident_mib;
};

Figures Measure(const Priorityd& server, PriorityService::Stub& stub, int connections, int slow) {
  const Crowd crowd({.port = kPort,
                     .connections = connections,
                     .slow = slow,
                     .slow_watch = WatchOf("a2"),
                     .idle_watch = WatchOf("a1")});
  const std::vector<double> calls = RankTop(stub, kRankings, kBetweenRankings);
  if (crowd.lost() > 0) Die(absl::StrCat(crowd.lost(), " connections were ended"));
  return {Quantile(calls, 0.5), Quantile(calls, 0.99), ResidentMib(server.pid())};
}

void Run(const char* binary) {
  RaiseFileLimit(kMany + 100);
  const Priorityd server(binary);
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  FillQueue(*stub, kJobs);
  const Repeated changes([&stub](int64_t nice) { Change(*stub, nice); });
  RankTop(*stub, kRankings, kBetweenRankings);  // To warm up.
  const Figures few = Measure(server, *stub, kFew, kFewSlow);
  const Figures many = Measure(server, *stub, kMany, kManySlow);
  Print({"connections_rank_p50_10000", many.p50, few.p50, kTarget, "ms"});
  Print({"connections_rank_p99_10000", many.p99, few.p99, kTarget, "ms"});
  Print({"connections_resident_10000", many.resident_mib, kBudgetMib, 1, "MiB"});
}

int Main(int argc, char** argv) {
  if (argc != 2) Die("usage: connections_bench PRIORITYD");
  Run(argv[1]);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
