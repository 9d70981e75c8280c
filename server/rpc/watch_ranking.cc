#include "server/rpc/watch_ranking.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/queue/watching/queue_top.h"
#include "server/rpc/status.h"
#include "server/rpc/validate.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;
using Message = std::shared_ptr<const std::string>;

absl::Status Gone() { return absl::CancelledError("the client is gone"); }

// A buffer of the message's own bytes.
grpc::ByteBuffer Share(const Message& message) {
  auto* holder = new Message(message);
  grpc::Slice slice(
      const_cast<char*>(message->data()), message->size(),
      [](void* shared) { delete static_cast<Message*>(shared); }, holder);
  return grpc::ByteBuffer(&slice, 1);
}

absl::StatusOr<v1::WatchRankingRequest> Parse(const grpc::ByteBuffer& request) {
  grpc::Slice bytes;
  v1::WatchRankingRequest message;
  if (!request.DumpToSingleSlice(&bytes).ok() ||
      !message.ParseFromArray(bytes.begin(), static_cast<int>(bytes.size()))) {
    return errors::WithReason(absl::InvalidArgumentError("got no WatchRankingRequest, want one"),
                              "INVALID_MESSAGE");
  }
  return message;
}

}  // namespace

RankingWatches::RankingWatches(Options options)
    : options_(std::move(options)),
      encoder_(options_.set_staleness),
      views_({.rank = [this](const auto& spec, const auto& before) { return Rank(spec, before); },
              .encoder = &encoder_,
              .schedule =
                  [this](std::function<void()> work) {
                    options_.computing->Schedule(std::move(work));
                  },
              .rankers = std::max(1, options_.computing->threads() / 2),
              .clock = options_.real_clock}) {
  options_.queues->SetListener([this](const std::string& cluster) { views_.Changed(cluster); });
}

RankingWatches::~RankingWatches() { options_.queues->SetListener(nullptr); }

grpc::ServerWriteReactor<grpc::ByteBuffer>* RankingWatches::Open(
    grpc::CallbackServerContext* context, const grpc::ByteBuffer& request) {
  auto message = Parse(request);
  const auto watch = std::make_shared<RankingWatch>(
      &views_, options_.boundary->Begin(authorization::Rpc::kWatchRanking,
                                        message.ok() ? message->cluster() : "", *context));
  watch->Keep();
  if (!message.ok()) {
    watch->Start(message.status());
    return watch.get();
  }
  const auto start = [this, watch, message = *message](absl::StatusOr<Caller> caller) {
    watch->Start(caller.ok() ? SpecOf(message) : caller.status());
  };
  options_.boundary->Pass(&watch->call(), context, start);
  return watch.get();
}

void RankingWatches::Drain() {
  views_.Stop(errors::WithReason(absl::UnavailableError("the service stops; watch again elsewhere"),
                                 "STOPPING"));
}

absl::StatusOr<queue::ViewSpec> RankingWatches::SpecOf(
    const v1::WatchRankingRequest& request) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const absl::StatusOr<std::string> cluster =
      options_.registry->Resolve({request.cluster().data(), request.cluster().size()});
  if (!cluster.ok()) return cluster.status();
  return ToViewSpec(request, *cluster);
}

absl::StatusOr<std::shared_ptr<const queue::RankingTop>> RankingWatches::Rank(
    const queue::ViewSpec& spec, const std::shared_ptr<const queue::RankingTop>& before) const {
  const auto queue = options_.queues->PublishedState(spec.cluster);
  if (!queue.ok()) return queue.status();
  const absl::Time as_of = options_.now((*queue)->snapshot());
  return queue::TopOf(spec, *queue, as_of, before);
}

void RankingWatch::Start(const absl::StatusOr<queue::ViewSpec>& spec) {
  absl::MutexLock lock(&mutex_);
  started_ = true;
  if (!status_.ok()) return GoOn();
  if (!spec.ok()) return Fail(spec.status());
  bool ready = false;
  auto view = views_->Join(*spec, self_, &ready);
  if (!view.ok()) {
    return Fail(absl::IsResourceExhausted(view.status())
                    ? errors::WithReason(view.status(), "TOO_MANY_WATCHES")
                    : view.status());
  }
  view_ = *std::move(view);
  if (ready) GoOn();
}

void RankingWatch::Wake() {
  absl::MutexLock lock(&mutex_);
  GoOn();
}

void RankingWatch::End(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  Fail(status);
}

void RankingWatch::OnWriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writes_ = false;
  writing_.Clear();
  if (!ok) return Fail(Gone());
  GoOn();
}

void RankingWatch::OnCancel() {
  absl::MutexLock lock(&mutex_);
  Fail(Gone());
}

void RankingWatch::Fail(const absl::Status& status) {
  if (status_.ok()) status_ = status;
  GoOn();
}

void RankingWatch::GoOn() {
  if (finished_ || writes_ || !started_) return;
  if (!status_.ok()) {
    finished_ = true;
    call_.Ended(status_);
    return Finish(ToGrpcStatus(status_));
  }
  const queue::RankingView::Answer answer = view_->After(version_);
  if (answer.message == nullptr) return;
  version_ = answer.version;
  writing_ = Share(answer.message);
  call_.AddRows(1);
  writes_ = true;
  StartWrite(&writing_);
}

void RankingWatch::OnDone() {
  std::shared_ptr<queue::RankingView> view;
  {
    absl::MutexLock lock(&mutex_);
    view = std::move(view_);
  }
  if (view != nullptr) views_->Leave(*view, *this);
  self_ = nullptr;  // Deletes this, unless a view is just about to wake it.
}

}  // namespace priorityd::rpc
