#include "tests/bench/greedy_caller.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

namespace v1 = ::priority::v1;

constexpr int kOwnJobs = 10'000;
constexpr int kUpsertsAtOnce = 1'000;
constexpr int64_t kMostUpserts = 1'000'000;
constexpr uint32_t kRowsOfWatch = 10'000;
constexpr size_t kMostWatches = 200;
constexpr size_t kMostStreams = 200;
constexpr int kRankingConnections = 4;
constexpr int kUpsertingConnections = 2;
constexpr absl::Duration kPauseOfOpening = absl::Milliseconds(20);

}  // namespace

struct GreedyCaller::Watch {
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> reader;
};

GreedyCaller::GreedyCaller(const GreedyOptions& options)
    : options_(options), own_jobs_(Queue(kOwnJobs)) {
  for (int i = 0; i < kRankingConnections; ++i) Start(&GreedyCaller::RankOwnJobs);
  for (int i = 0; i < kUpsertingConnections; ++i) Start(&GreedyCaller::UpsertJobs);
  Start(&GreedyCaller::RankTrackedJobs);
  Start(&GreedyCaller::OpenWatch);
  Start(&GreedyCaller::OpenEventStream);
}

GreedyCaller::~GreedyCaller() {
  ends_ = true;
  for (std::thread& thread : threads_) thread.join();
  for (Watch& watch : watches_) {
    watch.context.TryCancel();
    watch.reader->Finish();
  }
}

void GreedyCaller::Start(void (GreedyCaller::*call)(Stub&)) {
  threads_.emplace_back([this, call] {
    const auto stub = v1::PriorityService::NewStub(ConnectAlone(options_.address));
    while (!ends_) (this->*call)(*stub);
  });
}

void GreedyCaller::RankOwnJobs(Stub& stub) {
  grpc::ClientContext context;
  Authorize(&context);
  v1::RankJobsResponse response;
  Count(stub.RankJobs(&context, own_jobs_, &response));
}

void GreedyCaller::RankTrackedJobs(Stub& stub) {
  grpc::ClientContext context;
  Authorize(&context);
  v1::RankJobsRequest request;
  request.mutable_tracked();
  v1::RankJobsResponse response;
  Count(stub.RankJobs(&context, request, &response));
}

void GreedyCaller::UpsertJobs(Stub& stub) {
  v1::UpdateJobsRequest request;
  for (int i = 0; i < kUpsertsAtOnce; ++i) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(absl::StrCat("greedy-", upserts_++ % kMostUpserts));
    job->set_user(options_.user);
    job->set_account("a0");
  }
  grpc::ClientContext context;
  Authorize(&context);
  v1::UpdateJobsResponse response;
  Count(stub.UpdateJobs(&context, request, &response));
}

// The first message alone is read, so that the others wait in the server.
void GreedyCaller::OpenWatch(Stub& stub) {
  absl::SleepFor(kPauseOfOpening);
  if (watches_.size() >= kMostWatches) return;
  Watch& watch = watches_.emplace_back();
  Authorize(&watch.context);
  v1::WatchRankingRequest request;
  request.set_limit(kRowsOfWatch - static_cast<uint32_t>(watches_.size()));
  watch.reader = stub.WatchRanking(&watch.context, request);
  v1::WatchRankingResponse first;
  if (watch.reader->Read(&first)) return Count(grpc::Status::OK);
  Count(watch.reader->Finish());
  watches_.pop_back();
}

void GreedyCaller::OpenEventStream(Stub&) {
  absl::SleepFor(kPauseOfOpening);
  if (streams_.size() >= kMostStreams) streams_.pop_front();
  streams_.emplace_back(options_.http_port)
      .Send(absl::StrCat("GET /v1/PriorityService/WatchRanking?limit=10000 HTTP/1.1\r\n",
                         "Host: localhost\r\nAuthorization: ", options_.proof, "\r\n\r\n"));
}

void GreedyCaller::Authorize(grpc::ClientContext* context) const {
  context->AddMetadata("authorization", options_.proof);
}

void GreedyCaller::Count(const grpc::Status& status) {
  if (status.ok()) {
    ++served_;
  } else if (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED) {
    ++refused_;
  } else {
    Die(absl::StrCat("the greedy caller: ", status.error_message()));
  }
}

}  // namespace priorityd::bench
