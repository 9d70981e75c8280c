#include "client/usage_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/retry.h"
#include "client/rpc_error.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::client {

// One stream. Answers are read as they arrive, also while a batch is being written: the service,
// which reads only so many batches ahead, may block until we read them.
class UsageStream::Connection {
 public:
  explicit Connection(const PriorityClient& client)
      : stream_(client.PrepareStreamUsage(&context_, &queue_)) {}
  ~Connection() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  absl::Status Open(absl::Time deadline) {
    stream_->StartCall(&begun_);
    if (!Await(&begun_, deadline)) return End(deadline);
    stream_->Read(&reading_, &read_);
    return absl::OkStatus();
  }
  // False if the stream has ended; Read returns the reason after the remaining answers.
  bool Write(const v1::StreamUsageRequest& request, absl::Time deadline) {
    stream_->Write(request, &written_);
    return Await(&written_, deadline);
  }
  absl::Status Read(v1::StreamUsageResponse* response, absl::Time deadline) {
    while (came_.empty() && !ended_) Await(&read_, deadline);
    if (came_.empty()) return End(deadline);
    *response = std::move(came_.front());
    came_.pop_front();
    return absl::OkStatus();
  }

 private:
  struct Operation {};

  // Waits for `operation`; returns whether it succeeded.
  bool Await(Operation* operation, absl::Time deadline) {
    void* tag = nullptr;
    bool ok = false;
    while (tag != operation) {
      const auto next = queue_.AsyncNext(&tag, &ok, absl::ToChronoTime(deadline));
      if (next == grpc::CompletionQueue::TIMEOUT) {
        timed_out_ = true;
        context_.TryCancel();
        deadline = absl::InfiniteFuture();
      } else if (tag == &read_) {
        TakeRead(ok);
      }
    }
    return ok;
  }
  void TakeRead(bool ok) {
    ended_ = !ok;
    if (ended_) return;
    came_.push_back(std::move(reading_));
    stream_->Read(&reading_, &read_);
  }

  // The reason of the stream's end. REQUIRES: the stream has ended and every answer was
  // read; otherwise gRPC blocks.
  absl::Status End(absl::Time deadline) {
    grpc::Status status;
    stream_->Finish(&status, &finished_);
    Await(&finished_, deadline);
    if (timed_out_) return absl::DeadlineExceededError("StreamUsage: no answer in time");
    if (status.ok()) return absl::UnavailableError("StreamUsage: the service ended the stream");
    return FromGrpc(status);
  }

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
      stream_;
  Operation begun_, read_, written_, finished_;  // Tags.
  v1::StreamUsageResponse reading_;
  std::deque<v1::StreamUsageResponse> came_;
  bool ended_ = false;  // No answer is left to read.
  bool timed_out_ = false;
};

UsageStream::UsageStream(const PriorityClient* client, OnAnswer on_answer, int64_t many_records)
    : client_(client), on_answer_(std::move(on_answer)), many_records_(many_records) {}

UsageStream::~UsageStream() = default;

absl::Status UsageStream::Send(v1::RecordUsageRequest batch) {
  if (batch.cluster().empty()) batch.set_cluster(client_->options().cluster);
  Batch& added = batches_.emplace_back();
  added.request.set_batch_id(next_batch_id_++);
  *added.request.mutable_batch() = std::move(batch);
  return Drive(Until::kRoom);
}

absl::Status UsageStream::Flush() { return Drive(Until::kAllAnswered); }

bool UsageStream::IsReached(Until until) const {
  if (until == Until::kAllAnswered) return batches_.empty();
  if (batches_.size() < kMinInFlight) return true;
  if (batches_.size() >= kMaxInFlight) return false;
  int64_t records = 0;
  for (const Batch& batch : batches_) records += batch.request.batch().records_size();
  return records < many_records_;
}

absl::Status UsageStream::Drive(Until until) {
  for (;;) {
    progress_ = false;
    const absl::Time deadline = absl::Now() + client_->options().deadline;
    bool broken = false;
    bool reported = false;
    absl::Status last;
    absl::Status status = CallWithRetry(
        client_->options().retry, deadline,
        [&] {
          const absl::Status once = DriveOnce(until, deadline);
          // An error after an acknowledgement starts the count of attempts again.
          broken = (progress_ && IsTransient(once)) || expired_;
          last = once;
          return broken ? absl::OkStatus() : once;
        },
        [&](absl::Duration wait) {
          const auto& report = client_->options().on_retry;
          if (report && !std::exchange(reported, true)) report(last);
          absl::SleepFor(wait);
        });
    if (!broken) return status;
    if (expired_) continue;
    const absl::Duration wait = ReconnectWait(client_->options().retry, last);
    if (wait >= client_->options().deadline) return last;
    absl::SleepFor(wait);
  }
}

absl::Status UsageStream::DriveOnce(Until until, absl::Time deadline) {
  if (unary_) return CallUnary();
  absl::Status status = SendUnsent(deadline);
  while (status.ok() && !IsReached(until)) status = ReceiveOne(deadline);
  expired_ = proved_ && IsProofExpired(status);
  if (status.ok()) return status;
  connection_ = nullptr;
  proved_ = false;
  for (Batch& batch : batches_) batch.sent = false;
  if (!absl::IsUnimplemented(status)) return status;
  unary_ = true;
  return CallUnary();
}

absl::Status UsageStream::SendUnsent(absl::Time deadline) {
  if (connection_ == nullptr) {
    connection_ = std::make_unique<Connection>(*client_);
    if (absl::Status status = connection_->Open(deadline); !status.ok()) return status;
  }
  for (Batch& batch : batches_) {
    if (batch.sent || batch.answer.has_value()) continue;
    if (!connection_->Write(batch.request, deadline)) return ReceiveRest(deadline);
    batch.sent = true;
  }
  return absl::OkStatus();
}

absl::Status UsageStream::ReceiveOne(absl::Time deadline) {
  v1::StreamUsageResponse response;
  absl::Status status = connection_->Read(&response, deadline);
  if (!status.ok()) return status;
  proved_ = true;
  return HandleResponse(response);
}

absl::Status UsageStream::ReceiveRest(absl::Time deadline) {
  for (;;) {
    if (absl::Status status = ReceiveOne(deadline); !status.ok()) return status;
  }
}

absl::Status UsageStream::CallUnary() {
  while (!batches_.empty()) {
    auto answer = client_->RecordUsage(batches_.front().request.batch());
    if (!answer.ok()) return answer.status();
    v1::StreamUsageResponse response;
    response.set_batch_id(batches_.front().request.batch_id());
    *response.mutable_results() = *std::move(answer);
    if (absl::Status status = HandleResponse(response); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status UsageStream::HandleResponse(const v1::StreamUsageResponse& response) {
  const auto batch = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& batch) {
    return batch.request.batch_id() == response.batch_id();
  });
  const bool known = response.batch_id() > 0 && response.batch_id() < next_batch_id_;
  if (batch == batches_.end() && known) return absl::OkStatus();  // A repetition.
  const int records = batch == batches_.end() ? -1 : batch->request.batch().records_size();
  if (response.results().results_size() != records) {
    return absl::InternalError(absl::StrCat("StreamUsage: got ", response.results().results_size(),
                                            " results, want ", records));
  }
  batch->answer = response.results();
  progress_ = true;
  while (!batches_.empty() && batches_.front().answer.has_value()) {
    const Batch answered = std::move(batches_.front());
    batches_.pop_front();
    on_answer_(*answered.answer);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::client
