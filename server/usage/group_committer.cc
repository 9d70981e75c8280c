#include "server/usage/group_committer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "storage/database/status.h"

namespace priorityd::usage {
namespace {

constexpr absl::Duration kRetryWhenFull = absl::Milliseconds(200);
constexpr absl::Duration kRetryWhenLocked = absl::Seconds(1);

bool Passes(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status) ||
         absl::IsResourceExhausted(status);
}

// Release the place before answering, so that the client can submit again at once.
void Answer(QueuedBatch& batch, absl::StatusOr<RecordResults> results) {
  batch.place.reset();
  batch.submitted.done(std::move(results));
}

void AnswerLocked(const Batches& batches) {
  for (const std::unique_ptr<QueuedBatch>& batch : batches) {
    const std::string cluster = absl::Utf8SafeCEscape(batch->submitted.cluster);
    Answer(*batch, errors::WithRetryDelay(
                       errors::WithReason(absl::UnavailableError(absl::StrCat(
                                              "usage records of cluster ", cluster,
                                              ": another transaction holds its locks; retry")),
                                          "DATABASE_LOCKED"),
                       kRetryWhenLocked));
  }
}

// Answers and removes the batches that must not be written.
void AnswerFollowersOfFailed(Batches& group) {
  std::erase_if(group, [](const std::unique_ptr<QueuedBatch>& batch) {
    const SubmittedBatch& submitted = batch->submitted;
    if (submitted.earlier_failed == nullptr || !*submitted.earlier_failed) return false;
    Answer(*batch,
           absl::UnavailableError(
               "an earlier batch of the stream failed; send this one again after that one"));
    return true;
  });
}

Batches TakeSecondHalf(Batches& group) {
  const auto middle = group.begin() + static_cast<ptrdiff_t>(group.size() / 2);
  Batches second(std::make_move_iterator(middle), std::make_move_iterator(group.end()));
  group.erase(middle, group.end());
  return second;
}

void Append(Batches batches, Batches* all) {
  std::move(batches.begin(), batches.end(), std::back_inserter(*all));
}

absl::Status QueueFull(size_t records, size_t pending, size_t most) {
  return errors::WithRetryDelay(
      errors::WithReason(absl::ResourceExhaustedError(absl::StrCat(
                             "usage records: got ", records, " beside ", pending,
                             " that wait for a commit, want at most ", most, " together; retry")),
                         "INGEST_QUEUE_FULL"),
      kRetryWhenFull);
}

}  // namespace

GroupCommitter::GroupCommitter(Options options, Commit commit)
    : options_(std::move(options)),
      limits_{options_.max_group_records, options_.parallel_from},
      commit_(std::move(commit)),
      retries_(options_.clock) {
  retries_.Start([this] { return SignalRetries(); });
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Run(); });
}

GroupCommitter::~GroupCommitter() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

absl::StatusOr<GroupCommitter::Place> GroupCommitter::Reserve(size_t records) {
  size_t pending = pending_records_->load();
  do {
    if (pending > 0 && pending + records > options_.max_pending_records) {
      return QueueFull(records, pending, options_.max_pending_records);
    }
  } while (!pending_records_->compare_exchange_weak(pending, pending + records));
  return Place(nullptr, [all = pending_records_, records](void*) { *all -= records; });
}

GroupCommitter::Waiting GroupCommitter::waiting() const {
  const absl::Time now = options_.clock();
  Waiting waiting;
  absl::MutexLock lock(&mutex_);
  for (const auto& [cluster, lane] : lanes_) {
    waiting.records += lane.records();
    waiting.longest = std::max(waiting.longest, now - lane.OldestQueuedAt(now));
  }
  return waiting;
}

void GroupCommitter::Submit(std::unique_ptr<QueuedBatch> batch, Place place) {
  const size_t records = batch->submitted.submissions.size();
  batch->place = std::move(place);
  batch->queued_at = options_.clock();
  Batches refused;
  {
    absl::MutexLock lock(&mutex_);
    CommitLane& lane = lanes_[batch->submitted.cluster];
    batch->number = next_number_++;
    if (lane.locked() && LockedRecords() + records > options_.max_pending_records / 2) {
      refused.push_back(std::move(batch));
    } else {
      lane.Add(std::move(batch));
      changed_.Signal();
    }
  }
  AnswerLocked(refused);
}

bool GroupCommitter::MayTry(const CommitLane& lane) const {
  if (stops_ || !lane.locked()) return true;
  return locked_at_work_ < std::max(options_.threads / 2, 1) && lane.retry_at() <= options_.clock();
}

GroupCommitter::Lanes::iterator GroupCommitter::OldestReady() {
  auto oldest = lanes_.end();
  int64_t first = std::numeric_limits<int64_t>::max();
  for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
    if (!MayTry(lane->second)) continue;
    const std::optional<int64_t> next = lane->second.Next(limits_);
    if (!next.has_value() || *next >= first) continue;
    first = *next;
    oldest = lane;
  }
  return oldest;
}

absl::Time GroupCommitter::SignalRetries() {
  absl::MutexLock lock(&mutex_);
  changed_.Signal();
  const absl::Time now = options_.clock();
  absl::Time next = absl::InfiniteFuture();
  for (const auto& [cluster, lane] : lanes_) {
    if (lane.retry_at() > now) next = std::min(next, lane.retry_at());
  }
  return next;
}

GroupCommitter::Work GroupCommitter::NextWork() {
  absl::MutexLock lock(&mutex_);
  Work work{.lane = OldestReady(), .was_locked = false, .group = {}};
  while (!stops_ && work.lane == lanes_.end()) {
    changed_.Wait(&mutex_);
    work.lane = OldestReady();
  }
  if (work.lane == lanes_.end()) return work;
  work.was_locked = work.lane->second.locked();
  if (work.was_locked) ++locked_at_work_;
  work.group = work.lane->second.Take(limits_);
  // Wake another thread for the rest; a thread that finishes looks for more work itself.
  if (OldestReady() != lanes_.end()) changed_.Signal();
  return work;
}

void GroupCommitter::Run() {
  for (;;) {
    Work work = NextWork();
    if (work.group.batches.empty()) return;
    Batches locked = CommitAndAnswer(std::move(work.group.batches));
    Finish(std::move(work), std::move(locked));
  }
}

void GroupCommitter::Finish(Work work, Batches locked) {
  Batches given_up;
  {
    absl::MutexLock lock(&mutex_);
    CommitLane& lane = work.lane->second;
    if (work.was_locked) --locked_at_work_;
    lane.Finish(work.group);
    if (locked.empty()) {
      lane.Free();
    } else {
      lane.PutBack(std::move(locked), options_.clock() + options_.retry_locked);
      given_up = GiveUp(lane);
      retries_.Wake();
    }
    if (lane.is_empty()) lanes_.erase(work.lane);
  }
  AnswerLocked(given_up);
}

Batches GroupCommitter::GiveUp(CommitLane& lane) {
  if (stops_) return lane.Drop(absl::InfiniteFuture(), 0);
  const size_t others = LockedRecords() - lane.records();
  const size_t most = options_.max_pending_records / 2;
  return lane.Drop(options_.clock() - options_.patience, most - std::min(most, others));
}

size_t GroupCommitter::LockedRecords() const {
  size_t records = 0;
  for (const auto& [cluster, lane] : lanes_) records += lane.locked() ? lane.records() : 0;
  return records;
}

Batches GroupCommitter::CommitAndAnswer(Batches group) {
  AnswerFollowersOfFailed(group);
  if (group.empty()) return {};
  absl::StatusOr<std::vector<RecordResults>> results = commit_(group);
  if (storage::IsLockTimeout(results.status())) return group;
  if (!results.ok() && !Passes(results.status()) && group.size() > 1) {
    Batches second = TakeSecondHalf(group);
    Batches locked = CommitAndAnswer(std::move(group));
    // Not before the batches of its streams in the first half.
    Append(locked.empty() ? CommitAndAnswer(std::move(second)) : std::move(second), &locked);
    return locked;
  }
  for (size_t i = 0; i < group.size(); ++i) {
    if (results.ok()) {
      Answer(*group[i], std::move((*results)[i]));
    } else {
      Answer(*group[i], results.status());
    }
  }
  return {};
}

}  // namespace priorityd::usage
