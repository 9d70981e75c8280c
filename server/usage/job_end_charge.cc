#include "server/usage/job_end_charge.h"

#include <spdlog/spdlog.h>

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/ledger_decision.h"
#include "storage/ledger/job_end_store.h"

namespace priorityd::usage {
namespace {

using storage::ChargedRun;
using storage::JobEndRow;
using storage::JobRun;

// The source of runs that have none, and a record_id until the queue's change has its number.
constexpr char kNoSource[] = "job-end";

UsageSubmission SubmissionOf(const EndedRun& run) {
  UsageSubmission submission;
  submission.source = run.source.empty() ? absl::string_view(kNoSource) : run.source;
  submission.record_id = kNoSource;
  submission.job_id = run.job_id;
  submission.user = run.user;
  submission.account = run.account;
  submission.partition = run.partition;
  submission.qos = run.qos;
  submission.start_time = run.start_time;
  submission.end_time = run.end_time;
  for (const auto& [name, count] : run.tres) submission.tres.emplace_back(name, count);
  submission.billing = run.billing;
  submission.job = std::make_shared<const storage::JobAccounting>(run.job);
  return submission;
}

JobRun RunOf(const storage::SubmittedUsage& usage) {
  return {usage.job_id, usage.start_time, usage.end_time};
}

std::string ReplacementId(const JobEndRow& row) { return absl::StrCat(row.record_id, ":replaced"); }

bool SameContent(const storage::SubmittedUsage& a, storage::SubmittedUsage b) {
  b.record_id = a.record_id;
  b.replaces_record_id = a.replaces_record_id;
  return a == b;
}

// The runs of one transaction on their way to the ledger.
struct Ends {
  std::vector<storage::UsageRecord> records;  // Replacements of charged runs, then charges.
  std::vector<JobEndRow> freed;
  std::vector<JobEndRow> charged;
};

using ChargedByJob = absl::flat_hash_map<absl::string_view, std::vector<const ChargedRun*>>;

ChargedByJob ByJob(const std::vector<ChargedRun>& charged) {
  ChargedByJob by_job;
  for (const ChargedRun& run : charged) by_job[run.row.job_id].push_back(&run);
  return by_job;
}

// Adds a run to those that are written, unless the queue has charged it as it is, or a charge of it
// was voided or is before the horizon; returns whether it did.
bool AddRun(storage::UsageRecord record, const ChargedByJob& known, absl::Time horizon,
            Ends* ends) {
  const JobRun run = RunOf(record.submitted);
  std::vector<const ChargedRun*> same;
  if (const auto of_job = known.find(run.job_id); of_job != known.end()) {
    absl::c_copy_if(of_job->second, std::back_inserter(same),
                    [&run](const ChargedRun* charged) { return Overlap(charged->row.run(), run); });
  }
  const bool is_done = absl::c_any_of(same, [&](const ChargedRun* charged) {
    return charged->is_replaced() || charged->row.end_time < horizon ||
           SameContent(charged->record.submitted, record.submitted);
  });
  if (is_done) return false;
  for (const ChargedRun* charged : same) {
    ends->records.push_back(Nothing(charged->record, ReplacementId(charged->row)));
    ends->freed.push_back(charged->row);
  }
  const storage::SubmittedUsage& usage = record.submitted;
  ends->charged.push_back(
      {usage.job_id, usage.start_time, usage.end_time, usage.source, usage.record_id});
  ends->records.push_back(std::move(record));
  return true;
}

absl::Status Write(storage::Transaction& transaction, int32_t cluster_id, const PriceBook& book,
                   const Ends& ends) {
  if (ends.records.empty()) return absl::OkStatus();
  auto appended = AppendRecords(transaction, cluster_id, PointersTo(ends.records), book);
  if (!appended.ok()) return appended.status();
  storage::JobEndStore store(transaction);
  if (absl::Status s = store.Delete(cluster_id, ends.freed); !s.ok()) return s;
  return store.Insert(cluster_id, ends.charged);
}

}  // namespace

JobEndCounts& JobEndCounts::operator+=(const JobEndCounts& other) {
  recorded += other.recorded;
  duplicate += other.duplicate;
  rejected += other.rejected;
  earlier += other.earlier;
  return *this;
}

void JobEndMeasures::Note(const std::string& cluster, const JobEndCounts& counts) {
  absl::MutexLock lock(&mutex_);
  counts_[cluster] += counts;
}

std::map<std::string, JobEndCounts> JobEndMeasures::counts() const {
  absl::MutexLock lock(&mutex_);
  return counts_;
}

JobEndCharge::JobEndCharge(PriceBooks* books, threads::Clock clock, JobEndMeasures* measures,
                           Recorder reporter)
    : books_(books),
      clock_(std::move(clock)),
      measures_(measures),
      reporter_(std::move(reporter)) {}

absl::Status JobEndCharge::Price(const std::string& cluster, std::vector<EndedRun> runs) {
  cluster_ = cluster;
  runs_ = std::move(runs);
  priced_ = PricedBatch();
  if (runs_.empty()) return absl::OkStatus();
  auto book = books_->Latest(cluster);
  if (!book.ok()) return book.status();
  std::vector<UsageSubmission> submissions;
  for (const EndedRun& run : runs_) submissions.push_back(SubmissionOf(run));
  auto priced = PriceBatch(*std::move(book), submissions, clock_(), books_);
  if (!priced.ok()) return priced.status();
  priced_ = *std::move(priced);
  if (reporter_.name.empty()) return absl::OkStatus();
  const auto number = books_->NumberPrincipal(reporter_.name);
  if (!number.ok()) return number.status();
  for (storage::UsageRecord& record : priced_.records) record.recorded_by = *number;
  return absl::OkStatus();
}

absl::Status JobEndCharge::Record(storage::Transaction& transaction, int32_t cluster_id,
                                  int64_t change, const std::vector<EndedRun>& runs) {
  counts_ = {};
  if (runs != runs_) return absl::AbortedError("other jobs end; retry");
  if (runs.empty()) return absl::OkStatus();
  auto book = books_->Current(transaction, cluster_id, cluster_);
  if (!book.ok()) return book.status();
  if (*book != priced_.book) return absl::AbortedError("the configuration changed; retry");
  const absl::Time since = (*book)->job_ends_since().value_or(absl::InfiniteFuture());
  std::vector<const storage::UsageRecord*> priced;
  std::vector<JobRun> wanted;
  for (size_t i = 0; i < priced_.records.size(); ++i) {
    const storage::UsageRecord& record = priced_.records[i];
    if (record.submitted.start_time < since || record.association_id == 0) continue;
    priced.push_back(&record);
    wanted.push_back(RunOf(record.submitted));
  }
  counts_.earlier =
      absl::c_count_if(runs, [since](const EndedRun& run) { return run.start_time < since; });
  counts_.rejected = static_cast<int64_t>(runs.size() - wanted.size()) - counts_.earlier;
  storage::JobEndStore store(transaction);
  auto collected = store.FindCollected(cluster_id, wanted);
  if (!collected.ok()) return collected.status();
  auto charged = store.FindCharged(cluster_id, wanted);
  if (!charged.ok()) return charged.status();
  const ChargedByJob by_job = ByJob(*charged);
  const absl::flat_hash_set<size_t> is_collected(collected->begin(), collected->end());
  Ends ends;
  for (size_t i = 0; i < priced.size(); ++i) {
    storage::UsageRecord record = *priced[i];
    record.submitted.record_id =
        absl::StrCat(storage::kJobEndPrefix, record.submitted.job_id, ":", change);
    const bool is_new = !is_collected.contains(i) &&
                        AddRun(std::move(record), by_job, (*book)->ledger_horizon(), &ends);
    ++(is_new ? counts_.recorded : counts_.duplicate);
  }
  return Write(transaction, cluster_id, **book, ends);
}

void JobEndCharge::NoteCommit() const {
  measures_->Note(cluster_, counts_);
  for (size_t i = 0; i < runs_.size() && counts_.rejected > 0; ++i) {
    const std::optional<Rejection>& rejection = priced_.results[i].rejection;
    if (!rejection.has_value()) continue;
    spdlog::warn("{}: {} ended jobs not charged; the first, {}: {}: {}", cluster_, counts_.rejected,
                 absl::CHexEscape(runs_[i].job_id), rejection->field, rejection->message);
    return;
  }
}

absl::StatusOr<EndsReplaced> TakePlaceOfEnds(storage::Transaction& transaction, int32_t cluster_id,
                                             const PriceBook& book, const Records& inserted) {
  EndsReplaced ends;
  if (!book.job_ends_since().has_value()) return ends;
  std::vector<JobRun> runs;
  for (const storage::UsageRecord* record : inserted) {
    if (!record->submitted.job_id.empty()) runs.push_back(RunOf(record->submitted));
  }
  storage::JobEndStore store(transaction);
  auto charged = store.FindCharged(cluster_id, runs);
  if (!charged.ok()) return charged.status();
  const bool is_on = *book.job_ends_since() != absl::InfiniteFuture();
  if (is_on) {
    if (absl::Status s = store.InsertCollected(cluster_id, runs); !s.ok()) return s;
  }
  std::vector<JobEndRow> freed;
  for (ChargedRun& run : *charged) {
    // It can no longer be replaced.
    if (run.record.submitted.end_time < book.ledger_horizon()) continue;
    ends.replacements.push_back(Nothing(run.record, ReplacementId(run.row)));
    ends.held.push_back({std::move(run.record), /*replaced=*/false});
    freed.push_back(std::move(run.row));
  }
  if (absl::Status s = store.Delete(cluster_id, freed); !s.ok()) return s;
  return ends;
}

}  // namespace priorityd::usage
