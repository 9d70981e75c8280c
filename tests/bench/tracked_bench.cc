// UpdateJobs through the real server: durable changes of the tracked queue per
// second, one by one beside pgbench. Prints one JSON line per figure.
//
// usage: tracked_bench PRIORITYD
#include <functional>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"
#include "tests/bench/pgbench_reference.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;

constexpr int kJobs = 200'000;

// Upserts all jobs in batches, after `change` was made to each; how many a second.
double Measure(PriorityService::Stub& stub, const ::priority::v1::RankJobsRequest& queue, int jobs,
               int batch, const std::function<void(Job*)>& change) {
  const absl::Time start = absl::Now();
  UpdateJobsRequest request;
  for (int i = 0; i < jobs; ++i) {
    *request.add_upserts() = queue.jobs().jobs(i);
    change(request.mutable_upserts(request.upserts_size() - 1));
    if (request.upserts_size() < batch && i + 1 < jobs) continue;
    Update(stub, request);
    request.clear_upserts();
  }
  return jobs / absl::ToDoubleSeconds(absl::Now() - start);
}

// One UpdateJobs of one job after another, in turns with pgbench.
void CompareOneByOne(PriorityService::Stub& stub, const ::priority::v1::RankJobsRequest& queue,
                     const PgbenchReference& pgbench) {
  constexpr int kTurns = 4;
  double ours = 0, numbers = 0, jobs = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours += Measure(stub, queue, 2000, 1, [&](Job* job) { job->set_nice(2 + turn); }) / kTurns;
    numbers += pgbench.Numbers() / kTurns;
    jobs += pgbench.Jobs() / kTurns;
  }
  Print({"tracked_one_by_one", ours, numbers, 0.5, "jobs/s", true});
  Print({"tracked_one_by_one_like_jobs", ours, jobs, 0, "jobs/s", true});
}

void Run(const char* binary) {
  const Priorityd server(binary);
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  const ::priority::v1::RankJobsRequest queue = Queue(kJobs);
  Print({"tracked_new_jobs_10000", Measure(*stub, queue, kJobs, 10'000, [](Job*) {}), 0, 0,
         "jobs/s", true});
  Print({"tracked_changed_jobs_1000",
         Measure(*stub, queue, 20'000, 1000, [](Job* job) { job->set_nice(1); }), 0, 0, "jobs/s",
         true});
  CompareOneByOne(*stub, queue, PgbenchReference(server.data_dir()));
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc != 2) priorityd::bench::Die("usage: tracked_bench PRIORITYD");
  priorityd::bench::Run(argv[1]);
}
