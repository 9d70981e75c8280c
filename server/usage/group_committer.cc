#include "server/usage/group_committer.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"

namespace priorityd::usage {
namespace {

constexpr absl::Duration kRetryWhenFull = absl::Milliseconds(200);

bool Passes(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status) ||
         absl::IsResourceExhausted(status);
}

// Answers the batches that must not be written, and takes them out.
void AnswerFollowersOfFailed(std::vector<std::unique_ptr<QueuedBatch>>& group) {
  std::erase_if(group, [](const std::unique_ptr<QueuedBatch>& batch) {
    const SubmittedBatch& submitted = batch->submitted;
    if (submitted.earlier_failed == nullptr || !*submitted.earlier_failed) return false;
    submitted.done(
        absl::UnavailableError("a batch before it failed; send it again after that one"));
    return true;
  });
}

std::vector<std::unique_ptr<QueuedBatch>> TakeSecondHalf(
    std::vector<std::unique_ptr<QueuedBatch>>& group) {
  const auto middle = group.begin() + static_cast<ptrdiff_t>(group.size() / 2);
  std::vector<std::unique_ptr<QueuedBatch>> second(std::make_move_iterator(middle),
                                                   std::make_move_iterator(group.end()));
  group.erase(middle, group.end());
  return second;
}

}  // namespace

GroupCommitter::GroupCommitter(Options options, Commit commit)
    : options_(options), commit_(std::move(commit)), thread_([this] { Run(); }) {}

GroupCommitter::~GroupCommitter() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.Signal();
  }
  thread_.join();
}

absl::StatusOr<GroupCommitter::Place> GroupCommitter::Reserve(size_t records) {
  absl::MutexLock lock(&mutex_);
  if (pending_records_ > 0 && pending_records_ + records > options_.max_pending_records) {
    return errors::WithRetryDelay(
        errors::WithReason(
            absl::ResourceExhaustedError(absl::StrCat(
                "usage records: ", pending_records_, " wait to be written, want at most ",
                options_.max_pending_records, " with these; try again")),
            "INGEST_QUEUE_FULL"),
        kRetryWhenFull);
  }
  pending_records_ += records;
  return Place(nullptr, [this, records](void*) {
    absl::MutexLock lock(&mutex_);
    pending_records_ -= records;
  });
}

void GroupCommitter::Submit(std::unique_ptr<QueuedBatch> batch, Place place) {
  absl::MutexLock lock(&mutex_);
  queue_.push_back({std::move(batch), std::move(place)});
  changed_.Signal();
}

std::vector<GroupCommitter::Waiting> GroupCommitter::NextGroup() {
  std::vector<Waiting> group;
  absl::MutexLock lock(&mutex_);
  while (!stops_ && queue_.empty()) changed_.Wait(&mutex_);
  size_t records = 0;
  while (!queue_.empty() && records < options_.max_group_records) {
    records += queue_.front().batch->submitted.submissions.size();
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

void GroupCommitter::Run() {
  for (;;) {
    std::vector<Waiting> group = NextGroup();
    if (group.empty()) return;
    std::vector<std::unique_ptr<QueuedBatch>> batches;
    for (Waiting& waiting : group) batches.push_back(std::move(waiting.batch));
    CommitAndAnswer(std::move(batches));
  }
}

void GroupCommitter::CommitAndAnswer(std::vector<std::unique_ptr<QueuedBatch>> group) {
  AnswerFollowersOfFailed(group);
  if (group.empty()) return;
  absl::StatusOr<std::vector<RecordResults>> results = commit_(group);
  if (!results.ok() && !Passes(results.status()) && group.size() > 1) {
    std::vector<std::unique_ptr<QueuedBatch>> second = TakeSecondHalf(group);
    CommitAndAnswer(std::move(group));
    CommitAndAnswer(std::move(second));
    return;
  }
  for (size_t i = 0; i < group.size(); ++i) {
    const auto& done = group[i]->submitted.done;
    results.ok() ? done(std::move((*results)[i])) : done(results.status());
  }
}

}  // namespace priorityd::usage
