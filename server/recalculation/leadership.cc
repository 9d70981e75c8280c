#include "server/recalculation/leadership.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
// In case a notification was lost together with a connection.
constexpr absl::Duration kBetweenNews = absl::Seconds(2);

}  // namespace

Leadership::Leadership(storage::Database* database, LeadershipOptions options,
                       std::function<void()> on_news)
    : database_(database), options_(options), on_news_(std::move(on_news)), pause_(kFirstPause) {}

Leadership::~Leadership() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    stopping_.SignalAll();
  }
  if (!thread_.joinable()) return;
  // Wakes the thread where it listens. Without a database it does not listen.
  database_->Write(storage::NotifyReplicas).IgnoreError();
  thread_.join();
}

void Leadership::Start() {
  Campaign();
  thread_ = std::thread([this] { Run(); });
}

std::optional<int64_t> Leadership::epoch() const {
  absl::MutexLock lock(&mutex_);
  return absl::Now() < valid_until_ ? epoch_ : std::nullopt;
}

bool Leadership::stops() const {
  absl::MutexLock lock(&mutex_);
  return stops_;
}

void Leadership::Run() {
  while (!stops()) {
    if (Campaign()) {
      Listen();
    } else {
      Pause();
    }
    if (const absl::Time now = absl::Now(); now >= next_news_) {
      next_news_ = now + kBetweenNews;
      on_news_();
    }
  }
  session_.reset();
}

bool Leadership::Campaign() {
  if (session_ == nullptr) {
    auto session = storage::ReplicaSession::Open(*database_);
    if (!session.ok()) return false;
    session_ = *std::move(session);
    next_news_ = absl::InfinitePast();
  }
  const absl::Time before = absl::Now();
  absl::StatusOr<std::optional<int64_t>> epoch = session_->Campaign(options_.lease);
  if (!epoch.ok()) {
    session_.reset();
    SetEpoch(std::nullopt, absl::InfinitePast());
    return false;
  }
  pause_ = kFirstPause;
  SetEpoch(*epoch, before + options_.lease);
  return true;
}

void Leadership::SetEpoch(std::optional<int64_t> epoch, absl::Time valid_until) {
  {
    absl::MutexLock lock(&mutex_);
    valid_until_ = valid_until;
    if (std::exchange(epoch_, epoch) == epoch) return;
  }
  if (epoch.has_value()) {
    spdlog::info("this replica leads, in epoch {}", *epoch);
  } else {
    spdlog::warn("this replica does not lead any more");
  }
  on_news_();
}

void Leadership::Listen() {
  absl::StatusOr<bool> notified = session_->AwaitNotification(options_.renewal);
  if (notified.ok()) {
    if (*notified) next_news_ = absl::InfinitePast();
    return;
  }
  session_.reset();
  SetEpoch(std::nullopt, absl::InfinitePast());
}

void Leadership::Pause() {
  absl::MutexLock lock(&mutex_);
  const absl::Time until = absl::Now() + pause_;
  while (!stops_ && !stopping_.WaitWithDeadline(&mutex_, until)) {
  }
  pause_ = std::min(2 * pause_, kLongestPause);
}

}  // namespace priorityd::recalculation
