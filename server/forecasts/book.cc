#include "server/forecasts/book.h"

#include <algorithm>
#include <utility>

namespace priorityd::forecasts {

void Book::Apply(absl::Span<const Event> events, absl::FunctionRef<bool()> must_stop) {
  for (const Event& event : events) {
    if (must_stop()) return;
    {
      absl::MutexLock lock(&mutex_);
      ApplyOne(event);
    }
    last_ = event.number;
    TrainIfDue(event.at);
  }
}

void Book::ApplyOne(const Event& event) {
  switch (KindOf(event)) {
    case EventKind::kSubmit: {
      forecast::Job job = JobOf(event);
      if (!forecaster_.Submit(job)) return;
      phases_[event.job_id] = Phase::kWaits;
      waiting_[event.job_id] = std::move(job);
      return;
    }
    case EventKind::kRun:
      if (forecaster_.Run(JobOf(event))) phases_[event.job_id] = Phase::kRuns;
      return;
    case EventKind::kStart:
      return Start(event);
    case EventKind::kCancel:
      forecaster_.Cancel(event.job_id, event.at);
      waiting_.erase(event.job_id);
      phases_.erase(event.job_id);
      return;
    case EventKind::kEnd:
      forecaster_.End(event.job_id, event.at);
      phases_.erase(event.job_id);
      return;
    case EventKind::kPolicy:
      return forecaster_.PolicyChanged();
  }
}

void Book::Start(const Event& event) {
  const auto outcome = forecaster_.Start(event.job_id, event.at);
  waiting_.erase(event.job_id);
  if (!outcome.has_value()) return;
  scores_.Add(*outcome, event.at);
  phases_[event.job_id] = Phase::kRuns;
}

void Book::TrainIfDue(int64_t now) {
  std::optional<forecast::Training> training;
  {
    absl::MutexLock lock(&mutex_);
    if (!forecaster_.TrainingDue(now)) return;
    training = forecaster_.NextTraining();
  }
  forecast::Forest forest = training->Run();
  absl::MutexLock lock(&mutex_);
  forecaster_.Adopt(*training, std::move(forest), now);
  examples_ = static_cast<int64_t>(training->examples.size());
}

std::optional<JobForecast> Book::Forecast(const std::string& job_id, const Question& question) {
  absl::MutexLock lock(&mutex_);
  const auto job = waiting_.find(job_id);
  if (job == waiting_.end()) return std::nullopt;
  auto start = forecaster_.Forecast(job_id, std::max(question.now, job->second.submit_time),
                                    question.levels);
  if (!start.has_value()) return std::nullopt;
  JobForecast forecast{.start = *std::move(start),
                       .submit_time = job->second.submit_time,
                       .expected_run = forecaster_.ExpectedRunTime(job->second)};
  if (question.influences > 0) {
    forecast.influences = forecaster_.Influences(job_id, question.influences);
  }
  return forecast;
}

JobForecast Book::ForecastNew(const forecast::Job& job, const Question& question) {
  absl::MutexLock lock(&mutex_);
  JobForecast forecast{.start = forecaster_.ForecastNew(job, question.now, question.levels),
                       .submit_time = question.now,
                       .expected_run = forecaster_.ExpectedRunTime(job)};
  if (question.influences > 0) {
    forecast.influences = forecaster_.InfluencesOfNew(job, question.now, question.influences);
  }
  return forecast;
}

bool Book::SetEarliestStarts(const absl::flat_hash_map<std::string, int64_t>& starts) {
  bool changed = false;
  absl::MutexLock lock(&mutex_);
  for (const auto& [job_id, job] : waiting_) {
    const auto found = starts.find(job_id);
    const int64_t wait =
        found == starts.end() ? 0 : std::max<int64_t>(0, found->second - job.submit_time);
    changed |= forecaster_.SetEarliestWait(job_id, static_cast<double>(wait));
  }
  return changed;
}

double Book::ExpectedRunTime(const priority::Job& job) const {
  const forecast::Job expected = JobOf(MakeEvent(EventKind::kRun, job, 0));
  absl::MutexLock lock(&mutex_);
  return forecaster_.ExpectedRunTime(expected);
}

Standing Book::standing(bool with_groups) const {
  absl::MutexLock lock(&mutex_);
  Standing standing{.total = scores_.total(),
                    .recent = scores_.recent(),
                    .last_start = scores_.last_start(),
                    .model = forecaster_.model(),
                    .examples = examples_};
  if (with_groups) standing.groups.assign(scores_.groups().begin(), scores_.groups().end());
  return standing;
}

}  // namespace priorityd::forecasts
