#include "server/recalculation/leadership.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(2);
// Covers notifications lost together with a connection.
constexpr absl::Duration kBetweenCalls = absl::Seconds(2);

}  // namespace

Leadership::Leadership(storage::Database* database, LeadershipOptions options, threads::Clock clock,
                       OnNotified on_notified)
    : database_(database),
      options_(options),
      clock_(std::move(clock)),
      on_notified_(std::move(on_notified)),
      pause_(kFirstPause),
      thread_(clock_) {}

Leadership::~Leadership() {
  if (!started_) return;
  thread_.RequestStop();
  // Ends the thread's Listen; without a database, the thread does not listen.
  database_->Write(storage::NotifyReplicas).IgnoreError();
  thread_.Stop();
}

void Leadership::Start() {
  Campaign();
  started_ = true;
  thread_.Start([this] { return Turn(); });
}

std::optional<int64_t> Leadership::epoch() const {
  absl::MutexLock lock(&mutex_);
  return clock_() < valid_until_ ? epoch_ : std::nullopt;
}

absl::Time Leadership::Turn() {
  absl::Time next = absl::InfinitePast();
  if (Campaign()) {
    Listen();
  } else {
    next = NextConnection();
  }
  if (const absl::Time now = clock_(); now >= next_call_) {
    next_call_ = now + kBetweenCalls;
    on_notified_({storage::Notification()});
  }
  return next;
}

bool Leadership::Campaign() {
  if (session_ == nullptr) {
    auto session = storage::ReplicaSession::Open(*database_);
    if (!session.ok()) return false;
    session_ = *std::move(session);
    next_call_ = absl::InfinitePast();
  }
  const absl::Time before = clock_();
  absl::StatusOr<std::optional<int64_t>> epoch = TakePart();
  if (!epoch.ok()) {
    session_.reset();
    SetEpoch(std::nullopt, absl::InfinitePast());
    return false;
  }
  pause_ = kFirstPause;
  SetEpoch(*epoch, before + options_.lease);
  return true;
}

absl::StatusOr<std::optional<int64_t>> Leadership::TakePart() {
  const absl::Time sent = clock_();
  absl::StatusOr<storage::ReplicaSession::Reading> reading = session_->Read();
  if (!reading.ok()) return reading.status();
  CompareContents(*reading);
  if (options_.database_clock != nullptr) {
    options_.database_clock->Note(sent, reading->time);
    CompareClocks();
  }
  if (clock_agrees_) return session_->Campaign(options_.lease);
  if (absl::Status s = session_->Resign(); !s.ok()) return s;
  return std::optional<int64_t>();
}

void Leadership::CompareContents(const storage::ReplicaSession::Reading& reading) {
  const storage::ReplicaSession::Reading last = std::exchange(last_reading_, reading);
  database_->NoteIdentity(reading.identity);
  if (options_.other != nullptr) options_.other->NoteIdentity(reading.identity);
  if (last.identity.empty()) return;
  if (last.identity == reading.identity && last.schema == reading.schema) return;
  spdlog::warn("the database was restarted, failed over or restored: everything is read again");
  if (last.schema != reading.schema) {
    database_->StartOver();
    if (options_.other != nullptr) options_.other->StartOver();
  }
  next_call_ = absl::InfinitePast();
}

void Leadership::CompareClocks() {
  const absl::Duration ahead = options_.database_clock->HostIsAhead();
  const bool agrees = absl::AbsDuration(ahead) <= options_.max_clock_offset;
  if (clock_agrees_.exchange(agrees) == agrees) return;
  if (agrees) {
    spdlog::info("this host's clock agrees with the database's again");
    return;
  }
  spdlog::error(
      "this host's clock is {} {} the database's, want at most {} (--max_clock_offset): "
      "this replica does not lead",
      absl::FormatDuration(absl::Trunc(absl::AbsDuration(ahead), absl::Milliseconds(1))),
      ahead > absl::ZeroDuration() ? "ahead of" : "behind",
      absl::FormatDuration(options_.max_clock_offset));
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
    spdlog::warn("this replica no longer leads");
  }
  on_notified_({storage::Notification()});
}

void Leadership::Listen() {
  const absl::Time until = clock_() + options_.renewal;
  for (absl::Duration left = options_.renewal; left > absl::ZeroDuration();
       left = until - clock_()) {
    storage::Notifications heard;
    const absl::StatusOr<bool> notified = session_->AwaitNotification(left, &heard);
    if (!notified.ok()) {
      session_.reset();
      return SetEpoch(std::nullopt, absl::InfinitePast());
    }
    if (!*notified) return;
    on_notified_(heard);
    if (absl::c_linear_search(heard, storage::Notification())) return;
  }
}

absl::Time Leadership::NextConnection() {
  const absl::Duration pause = std::exchange(pause_, std::min(2 * pause_, kLongestPause));
  return clock_() + pause;
}

}  // namespace priorityd::recalculation
