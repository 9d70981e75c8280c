#include "server/usage/usage_recorder.h"

#include <utility>

namespace priorityd::usage {
namespace {

// Attempts to write a group after a lost connection during a commit or a changed configuration.
constexpr int kMaxAttempts = 5;

// After this, the committer's thread serves other clusters.
constexpr storage::TransactionKind kLimits = {.lock = absl::Seconds(1), .by_key = true};

// Repeating a commit whose answer was lost reveals its outcome.
absl::Status AsUnavailable(const absl::Status& status) {
  return absl::IsAborted(status) ? absl::UnavailableError(status.message()) : status;
}

GroupCommitter::Options ByClock(const threads::Clock& clock, GroupCommitter::Options options) {
  options.clock = clock;
  return options;
}

}  // namespace

UsageRecorder::UsageRecorder(storage::Database* database, threads::Clocks clocks,
                             GroupCommitter::Options options, const quotas::Parts& parts)
    : clocks_(std::move(clocks)),
      database_(database),
      books_(database, parts),
      commits_(clocks_.real),
      committer_(ByClock(clocks_.real, std::move(options)),
                 [this](Group group) { return CommitMeasured(group); }) {}

void UsageRecorder::Record(SubmittedBatch batch, GroupCommitter::Place place) {
  absl::StatusOr<PricedBatch> priced = Price(batch);
  if (!priced.ok()) {
    batch.done(AsUnavailable(priced.status()));
    return;
  }
  committer_.Submit(
      std::make_unique<QueuedBatch>(QueuedBatch{std::move(batch), *std::move(priced)}),
      std::move(place));
}

absl::StatusOr<PricedBatch> UsageRecorder::Price(const SubmittedBatch& batch) {
  const CommitsAtWork::Entry at_work = commits_.Begin();
  auto book = books_.Latest(batch.cluster);
  if (!book.ok()) return book.status();
  auto priced = PriceBatch(*std::move(book), batch.submissions, clocks_.site(), &books_);
  if (!priced.ok() || batch.recorder.name.empty()) return priced;
  const auto number = books_.NumberPrincipal(batch.recorder.name);
  if (!number.ok()) return number.status();
  priced->recorded_by = *number;
  for (storage::UsageRecord& record : priced->records) record.recorded_by = *number;
  return priced;
}

absl::StatusOr<std::vector<RecordResults>> UsageRecorder::CommitMeasured(Group group) {
  const absl::Time begin = clocks_.real();
  auto results = Commit(group);
  measures_.NoteCommit(group, results, clocks_.real() - begin, clocks_.site());
  return results;
}

absl::StatusOr<std::vector<RecordResults>> UsageRecorder::Commit(Group group) {
  const CommitsAtWork::Entry at_work = commits_.Begin();
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    auto results = database_->Write(kLimits, [&](storage::Transaction& transaction) {
      return WriteGroup(transaction, group, &books_);
    });
    if (!absl::IsAborted(results.status())) return results;
    if (absl::Status s = PriceAgain(group); !s.ok()) return s;
  }
  return absl::UnavailableError("usage records: the configuration keeps changing; retry");
}

absl::Status UsageRecorder::PriceAgain(Group group) {
  for (const std::unique_ptr<QueuedBatch>& batch : group) {
    auto book = books_.Latest(batch->submitted.cluster);
    if (!book.ok()) return book.status();
    if (*book == batch->priced.book) continue;
    absl::StatusOr<PricedBatch> priced = Price(batch->submitted);
    if (!priced.ok()) return priced.status();
    batch->priced = *std::move(priced);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::usage
