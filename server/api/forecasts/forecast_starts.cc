#include "server/api/forecasts/forecast_starts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/forecast/score.h"
#include "server/api/forecasts/convert_forecast.h"
#include "server/api/forecasts/validate_forecast.h"
#include "server/api/shared/convert_job.h"
#include "server/forecasts/queue_knowledge.h"
#include "server/messages/convert_time.h"
#include "server/threads/work_scope.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr size_t kInfluences = 3;
// Some 0.1 ms.
constexpr size_t kJobsAtOnce = 10;

// Answers one request.
class Forecasting {
 public:
  Forecasting(const Caller& caller, std::shared_ptr<const queue::QueueState> state,
              forecasts::Book* book, const forecasts::PlanSource& source, absl::Time now,
              const v1::ForecastStartsRequest& request)
      : caller_(caller),
        state_(std::move(state)),
        book_(*book),
        source_(source),
        now_(now),
        request_(request),
        requested_(request.levels().begin(), request.levels().end()) {
    if (requested_.empty()) {
      requested_.assign(forecast::kLevels.begin(), forecast::kLevels.end());
    }
    question_.now = absl::ToUnixSeconds(now);
    question_.levels = LevelsOf(requested_);
    question_.influences = request.influences() ? kInfluences : 0;
    recent_ = book_.standing(false).recent;
  }

  absl::Status Run(v1::ForecastStartsResponse* response) {
    if (!request_.job_ids().empty() || request_.jobs().jobs().empty()) {
      if (absl::Status s = ForecastAll(WantedJobs(), response); !s.ok()) return s;
    }
    return ForecastSupposed(response);
  }

 private:
  // The ids of the pending jobs to be forecast that the caller may see, in the order of the
  // request, else of their submission.
  std::vector<std::string> WantedJobs() const {
    absl::flat_hash_map<absl::string_view, size_t> place;
    for (const std::string& job_id : request_.job_ids()) place.emplace(job_id, place.size());
    std::vector<std::pair<int64_t, std::string>> found;
    for (const auto& chunk : state_->chunks()) {
      const std::vector<absl::string_view>& ids = chunk->table().job_id;
      for (size_t i = 0; i < ids.size(); ++i) {
        const auto wanted = place.find(ids[i]);
        if (!place.empty() && wanted == place.end()) continue;
        const queue::TrackedJob tracked = chunk->job(i);
        const priority::Job& job = tracked.job;
        if (job.state != priority::JobState::kPending) continue;
        if (!SeesJob(caller_.sees(), state_->snapshot(), job)) continue;
        const int64_t submitted = absl::ToUnixMicros(job.submit_time.value_or(now_));
        found.emplace_back(place.empty() ? submitted : static_cast<int64_t>(wanted->second),
                           std::string(ids[i]));
      }
    }
    std::sort(found.begin(), found.end());
    if (found.size() > kMaxForecasts) found.resize(kMaxForecasts);
    std::vector<std::string> jobs;
    for (auto& [order, job_id] : found) jobs.push_back(std::move(job_id));
    return jobs;
  }

  absl::Status ForecastAll(const std::vector<std::string>& job_ids,
                           v1::ForecastStartsResponse* response) {
    for (size_t i = 0; i < job_ids.size(); ++i) {
      if (i % kJobsAtOnce == 0) {
        if (absl::Status s = threads::WorkScope::CheckCurrent(); !s.ok()) return s;
        // Else the kernel lets this thread run until its tick, up to 4 ms, before a ranking.
        std::this_thread::yield();
      }
      ForecastTracked(job_ids[i], response);
    }
    return absl::OkStatus();
  }

  void ForecastTracked(const std::string& job_id, v1::ForecastStartsResponse* response) {
    const auto forecast = book_.Forecast(job_id, question_);
    if (!forecast.has_value()) return;
    Add(job_id, *forecast, response);
  }

  absl::Status ForecastSupposed(v1::ForecastStartsResponse* response) {
    if (request_.jobs().jobs().empty()) return absl::OkStatus();
    const InlineQueue queue(request_.jobs().jobs());
    // A forecast knows the other jobs of the user and of the account.
    absl::Status may = CheckInlineJobs(caller_, state_->snapshot(), queue.jobs());
    if (may.ok()) may = CheckInlineAccounts(caller_, state_->snapshot(), queue.jobs());
    if (!may.ok()) return may;
    const forecasts::QueueKnowledge knowledge(state_, now_, source_);
    for (const priority::Job& job : queue.jobs()) {
      // Each is planned with the whole queue.
      if (absl::Status s = threads::WorkScope::CheckCurrent(); !s.ok()) return s;
      forecast::Job supposed = forecasts::JobOf(
          forecasts::MakeEvent(forecasts::EventKind::kSubmit, job, absl::ToUnixSeconds(now_)));
      supposed.known = knowledge.OfSupposed(job);
      Add(supposed.id, book_.ForecastNew(supposed, question_), response);
    }
    return absl::OkStatus();
  }

  void Add(const std::string& job_id, const forecasts::JobForecast& forecast,
           v1::ForecastStartsResponse* response) {
    v1::StartForecast& proto = *response->add_forecasts();
    proto.set_job_id(job_id);
    ToProto(forecast, question_.levels, requested_, recent_, now_,
            state_->snapshot().policy().time_zone, &proto);
  }

  const Caller& caller_;
  const std::shared_ptr<const queue::QueueState> state_;
  forecasts::Book& book_;
  const forecasts::PlanSource& source_;
  const absl::Time now_;
  const v1::ForecastStartsRequest& request_;
  std::vector<double> requested_;
  forecasts::Question question_;
  forecasts::Recent recent_;
};

}  // namespace

absl::Status ForecastStarts(const Caller& caller, std::shared_ptr<const queue::QueueState> state,
                            forecasts::Book* book, const forecasts::PlanSource& source,
                            absl::Time now, const v1::ForecastStartsRequest& request,
                            v1::ForecastStartsResponse* response) {
  ToProto(now, response->mutable_as_of());
  if (book == nullptr) return absl::OkStatus();
  ToProto("", book->standing(false).total, response->mutable_score());
  return Forecasting(caller, std::move(state), book, source, now, request).Run(response);
}

void SetForecast(const queue::QueueState& state, forecasts::Book* book, absl::Time now,
                 v1::ExplainPriorityResponse* response) {
  if (book == nullptr) return;
  const std::vector<double> requested(forecast::kLevels.begin(), forecast::kLevels.end());
  const std::vector<double> levels = LevelsOf(requested);
  const auto forecast =
      book->Forecast(response->job_id(), {absl::ToUnixSeconds(now), levels, kInfluences});
  if (!forecast.has_value() || forecast->start.source == forecast::Source::kNothing) return;
  v1::StartForecast& proto = *response->mutable_forecast();
  proto.set_job_id(response->job_id());
  ToProto(*forecast, levels, requested, book->standing(false).recent, now,
          state.snapshot().policy().time_zone, &proto);
}

}  // namespace priorityd::rpc
