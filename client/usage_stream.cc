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

// One stream, one operation at a time, each with a deadline.
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
    stream_->StartCall(this);
    return Await(deadline) ? absl::OkStatus() : End(deadline);
  }
  // False where the stream has ended; Read tells why, after all that came before.
  bool Write(const v1::StreamUsageRequest& request, absl::Time deadline) {
    stream_->Write(request, this);
    return Await(deadline);
  }
  absl::Status Read(v1::StreamUsageResponse* response, absl::Time deadline) {
    stream_->Read(response, this);
    return Await(deadline) ? absl::OkStatus() : End(deadline);
  }

 private:
  // Waits for the one operation; whether it succeeded.
  bool Await(absl::Time deadline) {
    void* tag = nullptr;
    bool ok = false;
    const auto next = queue_.AsyncNext(&tag, &ok, absl::ToChronoTime(deadline));
    if (next == grpc::CompletionQueue::GOT_EVENT) return ok;
    timed_out_ = true;
    context_.TryCancel();
    queue_.Next(&tag, &ok);
    return false;
  }

  // Why the stream ended. It must have, and all that came must have been read, else
  // gRPC waits for that.
  absl::Status End(absl::Time deadline) {
    grpc::Status status;
    stream_->Finish(&status, this);
    Await(deadline);
    if (timed_out_) return absl::DeadlineExceededError("StreamUsage: no answer in time");
    if (status.ok()) return absl::UnavailableError("StreamUsage: the service ended the stream");
    return FromGrpc(status);
  }

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::StreamUsageRequest, v1::StreamUsageResponse>>
      stream_;
  bool timed_out_ = false;
};

UsageStream::UsageStream(const PriorityClient* client, OnAnswer on_answer)
    : client_(client), on_answer_(std::move(on_answer)) {}

UsageStream::~UsageStream() = default;

absl::Status UsageStream::Send(v1::RecordUsageRequest batch) {
  if (batch.cluster().empty()) batch.set_cluster(client_->options().cluster);
  Batch& added = batches_.emplace_back();
  added.request.set_batch_id(next_batch_id_++);
  *added.request.mutable_batch() = std::move(batch);
  return Drive(kMaxInFlight - 1);
}

absl::Status UsageStream::Flush() { return Drive(0); }

absl::Status UsageStream::Drive(size_t left) {
  for (;;) {
    progress_ = false;
    const absl::Time deadline = absl::Now() + client_->options().deadline;
    bool broken = false;
    bool told = false;
    absl::Status last;
    absl::Status status = CallWithRetry(
        client_->options().retry, deadline,
        [&] {
          const absl::Status once = DriveOnce(left, deadline);
          // An error after an acknowledgement begins a new count of attempts.
          broken = (progress_ && IsTransient(once)) || expired_;
          last = once;
          return broken ? absl::OkStatus() : once;
        },
        [&](absl::Duration wait) {
          const auto& tell = client_->options().on_retry;
          if (tell && !std::exchange(told, true)) tell(last);
          absl::SleepFor(wait);
        });
    if (!broken) return status;
    if (expired_) continue;
    const absl::Duration wait = ReconnectWait(client_->options().retry, last);
    if (wait >= client_->options().deadline) return last;
    absl::SleepFor(wait);
  }
}

absl::Status UsageStream::DriveOnce(size_t left, absl::Time deadline) {
  if (unary_) return CallUnary();
  absl::Status status = SendUnsent(deadline);
  while (status.ok() && batches_.size() > left) status = ReceiveOne(deadline);
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
  return Take(response);
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
    if (absl::Status status = Take(response); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status UsageStream::Take(const v1::StreamUsageResponse& response) {
  const auto batch = std::find_if(batches_.begin(), batches_.end(), [&](const Batch& batch) {
    return batch.request.batch_id() == response.batch_id();
  });
  const bool known = response.batch_id() > 0 && response.batch_id() < next_batch_id_;
  if (batch == batches_.end() && known) return absl::OkStatus();  // It came before.
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
