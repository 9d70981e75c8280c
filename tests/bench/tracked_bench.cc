// UpdateJobs through the real server: durable changes of the tracked queue per
// second. Prints one JSON line per figure.
//
// usage: tracked_bench PRIORITYD
#include <cstdio>
#include <functional>
#include <memory>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::Job;
using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

constexpr int kJobs = 200'000;

void Update(PriorityService::Stub& stub, const UpdateJobsRequest& request) {
  grpc::ClientContext context;
  UpdateJobsResponse response;
  Check(stub.UpdateJobs(&context, request, &response));
  for (const auto& result : response.upserts()) {
    if (result.outcome() != ::priority::v1::UPDATE_OUTCOME_UPSERTED) Die(result.message());
  }
}

// Upserts all jobs in batches, after `change` was made to each.
void Measure(PriorityService::Stub& stub, const char* name,
             const ::priority::v1::RankJobsRequest& queue, int jobs, int batch,
             const std::function<void(Job*)>& change) {
  const absl::Time start = absl::Now();
  UpdateJobsRequest request;
  for (int i = 0; i < jobs; ++i) {
    *request.add_upserts() = queue.jobs().jobs(i);
    change(request.mutable_upserts(request.upserts_size() - 1));
    if (request.upserts_size() < batch && i + 1 < jobs) continue;
    Update(stub, request);
    request.clear_upserts();
  }
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  std::printf("%s\n", absl::StrFormat("{\"name\": \"%s_%d\", \"value\": %.0f, \"unit\": "
                                      "\"jobs/s\", \"higher_is_better\": true}",
                                      name, batch, jobs / seconds)
                          .c_str());
  std::fflush(stdout);
}

void Run(const char* binary) {
  const Priorityd server(binary);
  const auto channel = Connect(Priorityd::address());
  ImportSite(channel);
  const auto stub = PriorityService::NewStub(channel);
  const ::priority::v1::RankJobsRequest queue = Queue(kJobs);
  Measure(*stub, "tracked_new_jobs", queue, kJobs, 10'000, [](Job*) {});
  Measure(*stub, "tracked_changed_jobs", queue, 20'000, 1000, [](Job* job) { job->set_nice(1); });
  Measure(*stub, "tracked_changed_jobs", queue, 500, 1, [](Job* job) { job->set_nice(2); });
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) {
  if (argc != 2) priorityd::bench::Die("usage: tracked_bench PRIORITYD");
  priorityd::bench::Run(argv[1]);
}
