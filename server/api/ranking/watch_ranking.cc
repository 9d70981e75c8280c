#include "server/api/ranking/watch_ranking.h"

#include <grpcpp/support/slice.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/errors/error_details.h"
#include "server/api/forecasts/start_interval.h"
#include "server/api/forecasts/validate_forecast.h"
#include "server/api/ranking/validate_ranking.h"
#include "server/transport/message_bytes.h"
#include "server/transport/status.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;
constexpr authorization::Rpc kRpc = authorization::Rpc::kWatchRanking;

using Message = std::shared_ptr<const std::string>;

absl::Status Gone() { return absl::CancelledError("the client is gone"); }

// A buffer that shares the message's bytes.
grpc::ByteBuffer Share(const Message& message) {
  auto* holder = new Message(message);
  grpc::Slice slice(
      const_cast<char*>(message->data()), message->size(),
      [](void* shared) { delete static_cast<Message*>(shared); }, holder);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace

RankingWatches::RankingWatches(Options options)
    : options_(std::move(options)),
      request_type_{kRpc, ScanOf(*v1::WatchRankingRequest::descriptor())},
      encoder_(options_.set_staleness),
      views_({.rank = [this](const auto& spec, const auto& before) { return Rank(spec, before); },
              .encoder = &encoder_,
              .schedule =
                  [this](std::function<void()> work) {
                    options_.ranking->Schedule("watchers", std::move(work));
                  },
              .rankers = std::max(1, options_.ranking->threads() / 2),
              .clock = options_.real_clock,
              .parts = options_.parts}) {
  options_.queues->SetListener([this](const std::string& cluster) { views_.Changed(cluster); });
}

RankingWatches::~RankingWatches() { options_.queues->SetListener(nullptr); }

RawReactor* RankingWatches::Open(grpc::CallbackServerContext* context) {
  const auto watch = std::make_shared<RankingWatch>(this, context);
  watch->Keep();
  {
    absl::MutexLock lock(&mutex_);
    watches_.emplace(watch.get(), watch);
  }
  watch->Begin();
  return watch.get();
}

void RankingWatches::CheckProofs() {
  std::vector<std::shared_ptr<RankingWatch>> watches;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [key, watch] : watches_) watches.push_back(watch);
  }
  bool shows_else = false;
  for (const std::shared_ptr<RankingWatch>& watch : watches) shows_else |= watch->CheckProof();
  if (!shows_else) return;
  for (const auto& [cluster, generation] : options_.registry->Generations()) {
    views_.Changed(cluster);
  }
}

void RankingWatches::Forget(const RankingWatch* watch) {
  absl::MutexLock lock(&mutex_);
  watches_.erase(watch);
}

void RankingWatches::Drain() {
  views_.Stop(errors::WithReason(absl::UnavailableError("the service stops; watch again elsewhere"),
                                 "STOPPING"));
}

absl::StatusOr<queue::ViewSpec> RankingWatches::SpecOf(const v1::WatchRankingRequest& request,
                                                       const Caller& caller) const {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  if (request.with_forecasts()) {
    if (absl::Status s = CheckForecasts(*options_.forecasts); !s.ok()) return s;
  }
  const absl::StatusOr<std::string> cluster =
      options_.registry->Resolve({request.cluster().data(), request.cluster().size()});
  if (!cluster.ok()) return cluster.status();
  queue::ViewSpec spec = ToViewSpec(request, *cluster);
  if (!caller.sees().sees_all()) spec.viewer = caller.user();
  return spec;
}

absl::StatusOr<std::shared_ptr<const queue::RankingTop>> RankingWatches::Rank(
    const queue::ViewSpec& spec, const std::shared_ptr<const queue::RankingTop>& before) const {
  const auto queue = options_.queues->PublishedState(spec.cluster);
  if (!queue.ok()) return queue.status();
  const absl::Time as_of = options_.now((*queue)->snapshot());
  if (!spec.viewer.has_value() && !spec.with_forecasts) {
    return queue::TopSince(before, spec, *queue, as_of);
  }
  const priority::Snapshot& snapshot = (*queue)->snapshot();
  const authorization::Visibility sees = SeenBy(spec, snapshot);
  auto top =
      queue::TopOf(spec, *queue, as_of, {ShownJobs(sees, snapshot), ShownShares(sees, snapshot)});
  if (spec.with_forecasts) {
    SetStarts(options_.forecasts->Find(top->cluster).get(), before.get(), top.get());
  }
  return top;
}

authorization::Visibility RankingWatches::SeenBy(const queue::ViewSpec& spec,
                                                 const priority::Snapshot& snapshot) const {
  if (!spec.viewer.has_value()) return {};
  const auto visibility = options_.boundary->ShownTo(*spec.viewer, kRpc, snapshot);
  return visibility == nullptr ? authorization::Visibility() : *visibility;
}

RankingWatch::RankingWatch(RankingWatches* watches, grpc::CallbackServerContext* context)
    : RequestCall(watches->request_type_, *watches->options_.boundary, context),
      watches_(watches) {}

void RankingWatch::Passed(const Caller& caller) {
  v1::WatchRankingRequest request;
  const absl::Status parsed = ParseRequest(&request);
  // A stop does not wait for watches.
  LeaveRoom();
  LeavePlace();
  if (!parsed.ok()) return Refused(parsed);
  Start(watches_->SpecOf(request, caller), caller);
}

void RankingWatch::Refused(const absl::Status& status) { Start(status, {}); }

void RankingWatch::Start(const absl::StatusOr<queue::ViewSpec>& spec, const Caller& caller) {
  absl::MutexLock lock(&mutex_);
  started_ = true;
  caller_ = caller;
  if (!status_.ok()) return GoOn();
  if (!spec.ok()) return Fail(spec.status());
  Join(*spec);
}

void RankingWatch::Join(const queue::ViewSpec& spec) {
  bool ready = false;
  auto view = watches_->views_.Join(spec, self_, caller_.holder(), &ready);
  if (!view.ok()) {
    return Fail(absl::IsResourceExhausted(view.status())
                    ? errors::WithReason(view.status(), "TOO_MANY_WATCHES")
                    : view.status());
  }
  view_ = *std::move(view);
  version_ = 0;
  if (ready) GoOn();
}

bool RankingWatch::CheckProof() {
  absl::MutexLock lock(&mutex_);
  if (view_ == nullptr || !status_.ok()) return false;
  const Boundary& boundary = *watches_->options_.boundary;
  queue::ViewSpec spec = view_->spec();
  auto caller = boundary.PassAgain(kRpc, caller_, spec.cluster);
  if (!caller.ok()) {
    Fail(caller.status());
    return false;
  }
  const bool hides = boundary.Hides(kRpc, *caller, spec.cluster);
  const bool shows_else = hides && caller->coordinated != caller_.coordinated;
  caller_ = *std::move(caller);
  spec.viewer = hides ? std::optional(caller_.user()) : std::nullopt;
  if (spec.viewer == view_->spec().viewer) return shows_else;
  watches_->views_.Leave(*std::exchange(view_, nullptr), *this);
  Join(spec);
  return false;
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
    call().Ended(status_);
    AnnounceCell(status_, context());
    return Finish(ToGrpcStatus(status_));
  }
  if (view_ == nullptr) return;
  const queue::RankingView::Answer answer = view_->After(version_);
  if (answer.message == nullptr) return;
  version_ = answer.version;
  writing_ = Share(answer.message);
  call().AddRows(1);
  writes_ = true;
  StartWrite(&writing_);
}

void RankingWatch::OnDone() {
  std::shared_ptr<queue::RankingView> view;
  {
    absl::MutexLock lock(&mutex_);
    view = std::move(view_);
  }
  if (view != nullptr) watches_->views_.Leave(*view, *this);
  watches_->Forget(this);
  self_ = nullptr;  // Deletes this, unless a view is just about to wake it.
}

}  // namespace priorityd::rpc
