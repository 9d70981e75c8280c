#include "server/gateway/event_stream.h"

#include <grpcpp/support/client_callback.h>

#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"
#include "server/gateway/answers.h"
#include "server/gateway/message_room.h"
#include "server/gateway/transcoding.h"
#include "server/transport/status.h"

namespace priorityd::gateway {
namespace {

http::Response EventsHead() {
  http::Response head;
  head.content_type = "text/event-stream";
  // The last header is for nginx, which would otherwise buffer events.
  head.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  return head;
}

// Alternates between a read of the call and a write to the socket. Owns itself until the end of the
// call.
class EventStream : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                    public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(rpc::WorkerPool* converters, rpc::Admission* admission, const Method& method,
              std::shared_ptr<http::Exchange> exchange,
              std::unique_ptr<grpc::ClientContext> context, grpc::ByteBuffer request,
              std::function<void(http::Response*)> finish)
      : converters_(converters),
        admission_(admission),
        method_(method),
        exchange_(std::move(exchange)),
        context_(std::move(context)),
        request_(std::move(request)),
        finish_(std::move(finish)) {}

  void Begin(Stub* stub) {
    self_ = shared_from_this();
    stub->PrepareBidiStreamingCall(context_.get(), method_.name, {}, this);
    AddHold();  // The next read starts on a thread that is not gRPC's.
    StartWriteLast(&request_, {});
    StartRead(&bytes_);
    // Before the call, whose end removes both.
    exchange_->OnGone([self = self_] { self->PeerHasGone(); });
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok || !ScheduleSend()) RemoveHold();
  }

  void OnDone(const grpc::Status& status) override {
    const std::shared_ptr<EventStream> until_the_end = std::move(self_);
    const grpc::Status end = refused_.ok() ? status : rpc::ToGrpcStatus(refused_);
    if (!is_open_ && !end.ok()) return Answer(end);
    if (!IsOpen()) return Answer(rpc::ToGrpcStatus(refused_));
    std::string last = "event: end\ndata: {}\n\n";
    if (!end.ok()) last = absl::StrCat("event: error\ndata: ", StatusJson(end), "\n\n");
    exchange_->Send(std::move(last), [] {}).IgnoreError();  // Small.
    exchange_->EndStream();
  }

 private:
  // False where the peer has gone, or there is no room for the event. Under the lock, so that a
  // peer that goes, as all do when the HTTP server stops, finds the event scheduled or keeps it
  // from being so.
  bool ScheduleSend() {
    absl::MutexLock lock(&mutex_);
    if (has_gone_) return false;
    const absl::Status taken =
        ScheduleAnswer(bytes_, exchange_->request(), *admission_, converters_,
                       [self = shared_from_this()] { self->SendEvent(); });
    if (taken.ok()) return true;
    refused_ = taken;
    context_->TryCancel();
    return false;
  }

  void SendEvent() {
    absl::StatusOr<std::string> text = TextOfEvent();
    if (!text.ok()) return Refuse(text.status());
    if (!IsOpen()) return RemoveHold();
    {
      absl::MutexLock lock(&mutex_);
      if (has_gone_) return RemoveHold();
      is_sending_ = true;
    }
    const absl::Status taken =
        exchange_->Send(*std::move(text), [self = shared_from_this()] { self->Sent(); });
    if (!taken.ok() && StopSending()) Refuse(errors::WithRetryDelay(taken, absl::Seconds(1)));
  }

  absl::StatusOr<std::string> TextOfEvent() {
    const std::unique_ptr<Message> event = method_.NewResponse();
    const auto room = ParseAnswer(&bytes_, *admission_, event.get());
    if (!room.ok()) return room.status();
    return absl::StrCat("data: ", ToJson(*event), "\n\n");
  }

  // Ends the stream.
  void Refuse(const absl::Status& status) {
    refused_ = status;
    context_->TryCancel();
    RemoveHold();
  }

  // Opens it with the first answer.
  bool IsOpen() {
    if (is_open_) return true;
    http::Response head = EventsHead();
    finish_(&head);
    refused_ = exchange_->BeginStream(std::move(head));
    is_open_ = refused_.ok();
    if (!is_open_) context_->TryCancel();
    return is_open_;
  }

  void Answer(const grpc::Status& status) {
    http::Response response = FailureResponse(*context_, status);
    finish_(&response);
    exchange_->Answer(std::move(response));
  }

  void Sent() {
    if (StopSending()) StartRead(&bytes_);
  }

  // False if the peer has gone, which has removed the hold.
  bool StopSending() {
    absl::MutexLock lock(&mutex_);
    return std::exchange(is_sending_, false);
  }

  void PeerHasGone() {
    bool was_sending = false;
    {
      absl::MutexLock lock(&mutex_);
      has_gone_ = true;
      was_sending = std::exchange(is_sending_, false);
    }
    context_->TryCancel();
    if (was_sending) RemoveHold();  // `sent` will not be called.
  }

  rpc::WorkerPool* const converters_;
  rpc::Admission* const admission_;
  const Method& method_;
  const std::shared_ptr<http::Exchange> exchange_;
  const std::unique_ptr<grpc::ClientContext> context_;
  const grpc::ByteBuffer request_;
  grpc::ByteBuffer bytes_;  // Of the next event.
  const std::function<void(http::Response*)> finish_;
  std::shared_ptr<EventStream> self_;
  bool is_open_ = false;  // Used by one event at a time, and then by OnDone.
  absl::Status refused_;  // The error with which it was not started, or ended.
  absl::Mutex mutex_;
  bool is_sending_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_gone_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

void BeginEvents(Stub* stub, rpc::WorkerPool* converters, rpc::Admission* admission,
                 const Method& method, std::shared_ptr<http::Exchange> exchange,
                 std::unique_ptr<grpc::ClientContext> context, grpc::ByteBuffer request,
                 std::function<void(http::Response*)> finish) {
  std::make_shared<EventStream>(converters, admission, method, std::move(exchange),
                                std::move(context), std::move(request), std::move(finish))
      ->Begin(stub);
}

}  // namespace priorityd::gateway
