#include "server/site_factor/round.h"

#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace priorityd::site_factor {
namespace {

// Maximum quoted bytes of the service's texts.
constexpr size_t kMaxQuotedReason = 200;

std::string Quoted(absl::string_view text) {
  return absl::CHexEscape(text.substr(0, kMaxQuotedReason));
}

std::string FailureOf(const absl::Status& status, absl::Duration timeout) {
  if (absl::IsDeadlineExceeded(status)) {
    return absl::StrCat("no answer within ", absl::FormatDuration(timeout));
  }
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", Quoted(status.message()));
}

}  // namespace

absl::Status CheckAnswer(const absl::flat_hash_set<absl::string_view>& job_ids,
                         const std::vector<queue::SiteFactor>& factors) {
  absl::flat_hash_set<absl::string_view> named;
  for (const queue::SiteFactor& factor : factors) {
    const std::string job = absl::StrCat("job \"", Quoted(factor.job_id), "\"");
    if (!job_ids.contains(factor.job_id)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a wrong answer: it names ", job, ", which was not asked for"));
    }
    if (!named.insert(factor.job_id).second) {
      return absl::InvalidArgumentError(absl::StrCat("a wrong answer: it names ", job, " twice"));
    }
    if (factor.site_factor < std::numeric_limits<int32_t>::min() ||
        factor.site_factor > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("a wrong answer: ", job, " has site_factor ",
                                                     factor.site_factor,
                                                     ", want -2147483648 to 2147483647"));
    }
  }
  return absl::OkStatus();
}

Round::Round(queue::TrackedQueues* queues, SiteFactorService* service,
             const priority::Snapshot* snapshot)
    : queues_(queues), service_(service), snapshot_(*snapshot) {}

RoundResult Round::Run() {
  auto state = queues_->ReadState(snapshot_.cluster().name);
  if (!state.ok()) {
    Fail(absl::StrCat("the queue cannot be read: ", state.status().message()));
    return result_;
  }
  state_ = *std::move(state);
  for (;;) {
    while (continues_) {
      {
        absl::MutexLock lock(&mutex_);
        if (at_work_ == kCallsAtOnce) break;
      }
      std::vector<queue::TrackedJob> jobs = NextJobs();
      if (jobs.empty()) break;
      Send(std::move(jobs));
    }
    const std::vector<std::unique_ptr<Batch>> answers = AwaitAnswers();
    if (answers.empty()) return result_;
    for (const std::unique_ptr<Batch>& batch : answers) HandleAnswer(*batch);
  }
}

std::vector<queue::TrackedJob> Round::NextJobs() {
  std::vector<queue::TrackedJob> jobs;
  for (; chunk_ < state_->chunks().size(); ++chunk_, job_ = 0) {
    const queue::JobChunk& chunk = *state_->chunks()[chunk_];
    for (; job_ < chunk.size(); ++job_) {
      if (jobs.size() == kBatchJobs) return jobs;
      queue::TrackedJob job = chunk.job(job_);
      if (job.job.state != priority::JobState::kPending) continue;
      const priority::AssociationIndex association = chunk.table().association[job_];
      if (job.job.account.empty() && association != priority::kNoAssociation) {
        job.job.account = state_->snapshot().tree().account(association);
      }
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

void Round::Send(std::vector<queue::TrackedJob> jobs) {
  auto batch = std::make_shared<std::unique_ptr<Batch>>(std::make_unique<Batch>());
  // The state's texts outlive the round.
  for (const queue::TrackedJob& job : jobs) (*batch)->job_ids.insert(job.job.job_id);
  {
    absl::MutexLock lock(&mutex_);
    ++at_work_;
  }
  const priority::Policy& policy = snapshot_.policy();
  service_->Ask({.cluster = snapshot_.cluster().name,
                 .as_of = snapshot_.computed_at(),
                 .parameters = policy.site_factor_parameters,
                 .timeout = policy.site_factor_timeout,
                 .jobs = std::move(jobs)},
                [this, batch](Answer answer) {
                  (*batch)->answer = std::move(answer);
                  absl::MutexLock lock(&mutex_);
                  answers_.push_back(std::move(*batch));
                  answered_.SignalAll();
                });
}

std::vector<std::unique_ptr<Round::Batch>> Round::AwaitAnswers() {
  absl::MutexLock lock(&mutex_);
  while (answers_.empty() && at_work_ > 0) answered_.Wait(&mutex_);
  at_work_ -= static_cast<int>(answers_.size());
  return std::exchange(answers_, {});
}

void Round::HandleAnswer(const Batch& batch) {
  if (!batch.answer.ok()) {
    continues_ = false;
    return Fail(FailureOf(batch.answer.status(), snapshot_.policy().site_factor_timeout));
  }
  const absl::Status right = CheckAnswer(batch.job_ids, *batch.answer);
  if (!right.ok()) return Fail(std::string(right.message()));
  result_.answered = true;
  const absl::Status stored = queues_->SetSiteFactors(snapshot_.cluster().name, *batch.answer);
  if (stored.ok()) return;
  continues_ = false;
  Fail(absl::StrCat("the answer cannot be stored: ", stored.message()));
}

void Round::Fail(std::string failure) {
  if (result_.failure.empty()) result_.failure = std::move(failure);
}

}  // namespace priorityd::site_factor
