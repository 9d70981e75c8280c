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
void AnswerFollowersOfFailed(std::vector<std::unique_ptr<UsageBatch>>& group) {
  std::erase_if(group, [](const std::unique_ptr<UsageBatch>& batch) {
    if (batch->earlier_failed == nullptr || !*batch->earlier_failed) return false;
    batch->done(absl::UnavailableError("a batch before it failed; send it again after that one"));
    return true;
  });
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

void GroupCommitter::Submit(std::unique_ptr<UsageBatch> batch, Place place) {
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
    records += queue_.front().batch->submissions.size();
    group.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return group;
}

void GroupCommitter::Run() {
  for (;;) {
    std::vector<Waiting> group = NextGroup();
    if (group.empty()) return;
    std::vector<std::unique_ptr<UsageBatch>> batches;
    for (Waiting& waiting : group) batches.push_back(std::move(waiting.batch));
    CommitAndAnswer(std::move(batches));
  }
}

void GroupCommitter::CommitAndAnswer(std::vector<std::unique_ptr<UsageBatch>> group) {
  AnswerFollowersOfFailed(group);
  if (group.empty()) return;
  const absl::Status status = commit_(group);
  if (!status.ok() && !Passes(status) && group.size() > 1) {
    const auto middle = group.begin() + static_cast<ptrdiff_t>(group.size() / 2);
    std::vector<std::unique_ptr<UsageBatch>> rest(std::make_move_iterator(middle),
                                                  std::make_move_iterator(group.end()));
    group.erase(middle, group.end());
    CommitAndAnswer(std::move(group));
    CommitAndAnswer(std::move(rest));
    return;
  }
  for (const std::unique_ptr<UsageBatch>& batch : group) {
    status.ok() ? batch->done(std::move(batch->results)) : batch->done(status);
  }
}

}  // namespace priorityd::usage
