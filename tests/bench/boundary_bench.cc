// What it costs to count a request before it is parsed, and what it saves: RankJobs of 100,000 jobs
// over loopback, beside the same without the time of the counting; and what the server grows by for
// each byte of empty jobs. Prints one JSON line each.
//
// usage: boundary_bench PRIORITYD
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "server/wire/message_scan.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;

constexpr int kJobs = 100'000;
constexpr int kRounds = 101;
constexpr double kMostSlower = 1.05;
constexpr double kMostGrowth = 8;

double MillisecondsOf(PriorityService::Stub& stub, const RankJobsRequest& request) {
  grpc::ClientContext context;
  RankJobsResponse response;
  const absl::Time start = absl::Now();
  Check(stub.RankJobs(&context, request, &response));
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

double CountingMilliseconds(const std::string& bytes) {
  static const wire::MessageScan scan(*RankJobsRequest::descriptor());
  const absl::Time start = absl::Now();
  if (!scan.Scan({absl::string_view(bytes)}).ok()) Die("the queue is no message");
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

void MeasureCounting(PriorityService::Stub& stub) {
  const RankJobsRequest request = Queue(kJobs);
  const std::string bytes = request.SerializeAsString();
  std::vector<double> calls, counts;
  MillisecondsOf(stub, request);
  for (int round = 0; round < kRounds; ++round) {
    calls.push_back(MillisecondsOf(stub, request));
    counts.push_back(CountingMilliseconds(bytes));
  }
  const double counting = Quantile(counts, 0.5);
  for (const auto& [name, part] : {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}}) {
    const double call = Quantile(calls, part);
    Print({absl::StrCat("boundary_rank_jobs_", kJobs, "_", name), call, call - counting,
           kMostSlower, "ms"});
  }
}

size_t MostBytes(const Priorityd& server) {
  std::ifstream status(absl::StrCat("/proc/", server.pid(), "/status"));
  for (std::string word; status >> word;) {
    size_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib << 10;
  }
  return 0;
}

// It is refused.
void MeasureGrowth(const Priorityd& server, PriorityService::Stub& stub) {
  RankJobsRequest request;
  for (int i = 0; i < 4'000'000; ++i) request.mutable_jobs()->add_jobs();
  const double sent = static_cast<double>(request.ByteSizeLong());
  const size_t before = MostBytes(server);
  grpc::ClientContext context;
  RankJobsResponse response;
  if (stub.RankJobs(&context, request, &response).ok()) Die("empty jobs were taken");
  Print({"boundary_growth_per_hostile_byte", static_cast<double>(MostBytes(server) - before) / sent,
         1, kMostGrowth, "bytes"});
}

int Main(int argc, char** argv) {
  if (argc != 2) Die("usage: boundary_bench PRIORITYD");
  const Priorityd server(argv[1]);
  const auto channel = Connect(server.address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  MeasureGrowth(server, *stub);
  MeasureCounting(*stub);
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
