#include "tests/bench/watch_audience.h"

#include "absl/time/clock.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {

using ::priority::v1::PriorityService;
using ::priority::v1::WatchRankingRequest;
using ::priority::v1::WatchRankingResponse;

namespace {

constexpr int kStreamsPerConnection = 100;

// Not shared with other channels to the same address.
std::shared_ptr<grpc::Channel> OwnConnection(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

class WatchAudience::Reader : public grpc::ClientReadReactor<WatchRankingResponse> {
 public:
  Reader(WatchAudience* audience, int number, WatchRankingRequest request)
      : audience_(audience), number_(number), request_(std::move(request)) {}

  void Start(PriorityService::Stub& stub) {
    stub.async()->WatchRanking(&context_, &request_, this);
    StartRead(&answer_);
    StartCall();
  }
  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    audience_->Came(number_, answer_);
    StartRead(&answer_);
  }
  void OnDone(const grpc::Status& status) override {
    if (status.error_code() != grpc::StatusCode::CANCELLED) Die(status.error_message());
    audience_->Done();
  }

 private:
  WatchAudience* const audience_;
  const int number_;
  const WatchRankingRequest request_;
  grpc::ClientContext context_;
  WatchRankingResponse answer_;
};

WatchAudience::WatchAudience(const std::string& address,
                             const std::vector<WatchRankingRequest>& requests)
    : expected_(requests.size()), came_(requests.size()), open_(static_cast<int>(requests.size())) {
  ExpectOneEach();
  for (size_t i = 0; i < requests.size(); ++i) {
    if (i % kStreamsPerConnection == 0) {
      stubs_.push_back(PriorityService::NewStub(OwnConnection(address)));
    }
    readers_.push_back(std::make_unique<Reader>(this, static_cast<int>(i), requests[i]));
    readers_.back()->Start(*stubs_.back());
  }
  Await();
}

WatchAudience::~WatchAudience() {
  for (const auto& reader : readers_) reader->Cancel();
  absl::MutexLock lock(&mutex_);
  while (open_ > 0) changed_.Wait(&mutex_);
}

void WatchAudience::ExpectOneEach() {
  absl::MutexLock lock(&mutex_);
  expected_.assign(expected_.size(), true);
  missing_ = static_cast<int>(expected_.size());
}

void WatchAudience::ExpectOne(int watcher) {
  absl::MutexLock lock(&mutex_);
  expected_.assign(expected_.size(), false);
  expected_[watcher] = true;
  missing_ = 1;
}

std::vector<absl::Time> WatchAudience::Await() {
  absl::MutexLock lock(&mutex_);
  while (missing_ > 0) changed_.Wait(&mutex_);
  return came_;
}

std::string WatchAudience::LastMessage() const {
  absl::MutexLock lock(&mutex_);
  return last_.SerializeAsString();
}

void WatchAudience::Came(int watcher, const WatchRankingResponse& answer) {
  const absl::Time now = absl::Now();
  absl::MutexLock lock(&mutex_);
  if (!expected_[watcher]) return;
  expected_[watcher] = false;
  came_[watcher] = now;
  if (--missing_ > 0) return;
  last_ = answer;
  changed_.SignalAll();
}

void WatchAudience::Done() {
  absl::MutexLock lock(&mutex_);
  --open_;
  changed_.SignalAll();
}

}  // namespace priorityd::bench
