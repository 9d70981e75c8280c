// RankJobs with the queue in the request, over loopback, beside an echo RPC that
// carries the same request and the same answer. Prints one JSON line per size.
//
// usage: inline_bench PRIORITYD [JOBS ...]      (default: 1000 10000 100000)
#include <grpcpp/grpcpp.h>
#include <grpcpp/support/message_allocator.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::RankJobsRequest;
using ::priority::v1::RankJobsResponse;

constexpr int kRounds = 9;
constexpr double kTarget = 2;
constexpr int kMaxMessageBytes = 256 << 20;

// Answers every RankJobs with the same answer, parsed request in, serialized
// answer out, and nothing else: the answer is not even copied.
class Echo final : public PriorityService::CallbackService,
                   public grpc::MessageAllocator<RankJobsRequest, RankJobsResponse> {
 public:
  Echo() { SetMessageAllocatorFor_RankJobs(this); }

  RankJobsResponse answer;

 private:
  struct Messages final : grpc::MessageHolder<RankJobsRequest, RankJobsResponse> {
    explicit Messages(RankJobsResponse* answer) {
      set_request(&parsed);
      set_response(answer);
    }
    void Release() override { delete this; }
    RankJobsRequest parsed;
  };

  grpc::MessageHolder<RankJobsRequest, RankJobsResponse>* AllocateMessages() override {
    return new Messages(&answer);
  }

  grpc::ServerUnaryReactor* RankJobs(grpc::CallbackServerContext* context, const RankJobsRequest*,
                                     RankJobsResponse*) override {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

double MillisecondsOf(PriorityService::Stub& stub, const RankJobsRequest& request,
                      RankJobsResponse* response) {
  grpc::ClientContext context;
  const absl::Time start = absl::Now();
  Check(stub.RankJobs(&context, request, response));
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

void Measure(PriorityService::Stub& priorityd, PriorityService::Stub& echo_stub, Echo* echo,
             int jobs) {
  const RankJobsRequest request = Queue(jobs);
  MillisecondsOf(priorityd, request, &echo->answer);
  if (echo->answer.ranked_size() != jobs) {
    Die(absl::StrCat("only ", echo->answer.ranked_size(), " of ", jobs, " jobs were ranked"));
  }
  std::vector<double> values, references;
  for (int round = 0; round < kRounds; ++round) {
    RankJobsResponse response;
    values.push_back(MillisecondsOf(priorityd, request, &response));
    RankJobsResponse copy;
    references.push_back(MillisecondsOf(echo_stub, request, &copy));
  }
  Print({absl::StrCat("inline_rank_jobs_", jobs), Quantile(values, 0.5), Quantile(references, 0.5),
         kTarget, "ms"});
}

int Main(int argc, char** argv) {
  if (argc < 2) Die("usage: inline_bench PRIORITYD [JOBS ...]");
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) {
    int size = 0;
    if (!absl::SimpleAtoi(argv[i], &size) || size < 1) Die("JOBS: want a positive number");
    sizes.push_back(size);
  }
  if (sizes.empty()) sizes = {1000, 10000, 100000};

  Priorityd server(argv[1]);
  auto channel = Connect(server.address());
  ImportSite(channel);

  Echo echo;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.RegisterService(&echo);
  auto echo_server = builder.BuildAndStart();
  auto echo_stub = PriorityService::NewStub(Connect(absl::StrCat("127.0.0.1:", port)));
  auto stub = PriorityService::NewStub(channel);
  for (int size : sizes) Measure(*stub, *echo_stub, &echo, size);
  echo_server->Shutdown();
  return 0;
}

}  // namespace
}  // namespace priorityd::bench

int main(int argc, char** argv) { return priorityd::bench::Main(argc, argv); }
