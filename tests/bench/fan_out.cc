#include "tests/bench/fan_out.h"

#include <grpcpp/grpcpp.h>

#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/bench/bench_site.h"

namespace priorityd::bench {
namespace {

using ::priority::v1::PriorityService;
using ::priority::v1::UpdateJobsRequest;
using ::priority::v1::UpdateJobsResponse;

class FanOut final
    : public PriorityService::WithRawCallbackMethod_WatchRanking<PriorityService::CallbackService> {
 public:
  explicit FanOut(const std::string& message) {
    const grpc::Slice slice(message);
    message_ = grpc::ByteBuffer(&slice, 1);
  }

 private:
  class Stream final : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
   public:
    explicit Stream(FanOut* all) : all_(all) { Write(); }
    void Write() {
      absl::MutexLock lock(&mutex_);
      ++wanted_;
      GoOn();
    }
    void OnWriteDone(bool) override {
      absl::MutexLock lock(&mutex_);
      writes_ = false;
      GoOn();
    }
    void OnCancel() override { Finish(grpc::Status::CANCELLED); }
    void OnDone() override {
      {
        absl::MutexLock lock(&all_->mutex_);
        all_->streams_.erase(this);
      }
      delete this;
    }

   private:
    void GoOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      if (writes_ || wanted_ == 0) return;
      --wanted_;
      writes_ = true;
      writing_ = all_->message_;
      StartWrite(&writing_);
    }

    FanOut* const all_;
    absl::Mutex mutex_;
    int wanted_ ABSL_GUARDED_BY(mutex_) = 0;
    bool writes_ ABSL_GUARDED_BY(mutex_) = false;
    grpc::ByteBuffer writing_ ABSL_GUARDED_BY(mutex_);
  };

  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchRanking(grpc::CallbackServerContext*,
                                                           const grpc::ByteBuffer*) override {
    auto* stream = new Stream(this);
    absl::MutexLock lock(&mutex_);
    streams_.insert(stream);
    return stream;
  }
  grpc::ServerUnaryReactor* UpdateJobs(grpc::CallbackServerContext* context,
                                       const UpdateJobsRequest* request,
                                       UpdateJobsResponse* response) override {
    for (int i = 0; i < request->upserts_size(); ++i) {
      response->add_upserts()->set_outcome(::priority::v1::UPDATE_OUTCOME_UPSERTED);
    }
    {
      absl::MutexLock lock(&mutex_);
      ++updates_;
      changed_.SignalAll();
    }
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  // On a thread of its own: what is written by one of gRPC's goes out only when that
  // has written all.
  void Run() {
    absl::MutexLock lock(&mutex_);
    for (;;) {
      while (updates_ == 0) changed_.Wait(&mutex_);
      --updates_;
      for (Stream* stream : streams_) stream->Write();
    }
  }

  grpc::ByteBuffer message_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  int updates_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_set<Stream*> streams_ ABSL_GUARDED_BY(mutex_);
  std::thread writer_{[this] { Run(); }};
};

}  // namespace

void ServeFanOut(const std::string& address, const std::string& message) {
  FanOut service(message);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) Die("the reference cannot listen");
  server->Wait();
}

}  // namespace priorityd::bench
