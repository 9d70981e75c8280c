// The forecasts of one cluster.
#ifndef PRIORITYD_SERVER_FORECASTS_BOOK_H_
#define PRIORITYD_SERVER_FORECASTS_BOOK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/forecast/forecaster.h"
#include "engine/forecast/job.h"
#include "server/forecasts/event.h"
#include "server/forecasts/event_finder.h"
#include "server/forecasts/score_board.h"

namespace priorityd::forecasts {

struct JobForecast {
  forecast::StartForecast start;
  std::vector<forecast::Influence> influences;
  int64_t submit_time = 0;  // From which the waits of `start` count; Unix time.
  double expected_run = 0;  // Seconds.
};

struct Question {
  int64_t now = 0;  // Unix time.
  std::vector<double> levels;
  size_t influences = 0;  // The largest number of them.
};

// The quality of the past forecasts, and the model and the number of examples behind new ones.
struct Standing {
  forecast::Score total;
  std::vector<std::pair<std::string, forecast::Score>> groups;
  Recent recent;
  int64_t last_start = 0;
  int64_t model = 0;
  int64_t examples = 0;  // Of the last training.
};

// Learns from the stored events, in their order: books that have applied the same events have the
// same forecasts, to the bit. One thread applies events; others may ask meanwhile. They do not wait
// for a training.
class Book {
 public:
  explicit Book(const forecast::ForecasterOptions& options = {}) : forecaster_(options) {}

  // --- For the thread that applies events ---
  // Trains after events that make it due. Asks `must_stop` before each event: true = applies no
  // more of them. REQUIRES: numbers ascend.
  void Apply(absl::Span<const Event> events, absl::FunctionRef<bool()> must_stop = Never)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Replaces the Unix times before which reservations prevent jobs from starting, by job id.
  // Returns whether forecasts change.
  bool SetEarliestStarts(const absl::flat_hash_map<std::string, int64_t>& starts)
      ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t last() const { return last_; }  // The number of the last event; 0 = none.
  const Phases& phases() const { return phases_; }

  // --- For all threads ---
  // Nullopt: no such job waits.
  std::optional<JobForecast> Forecast(const std::string& job_id, const Question& question)
      ABSL_LOCKS_EXCLUDED(mutex_);
  JobForecast ForecastNew(const forecast::Job& job, const Question& question)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The probable run time of a job, in seconds.
  double ExpectedRunTime(const priority::Job& job) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Without groups unless asked for.
  Standing standing(bool with_groups) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  static bool Never() { return false; }
  void ApplyOne(const Event& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Start(const Event& event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TrainIfDue(int64_t now) ABSL_LOCKS_EXCLUDED(mutex_);

  int64_t last_ = 0;
  Phases phases_;

  mutable absl::Mutex mutex_;
  forecast::Forecaster forecaster_ ABSL_GUARDED_BY(mutex_);
  ScoreBoard scores_ ABSL_GUARDED_BY(mutex_);
  // The jobs that wait, as submitted.
  absl::flat_hash_map<std::string, forecast::Job> waiting_ ABSL_GUARDED_BY(mutex_);
  int64_t examples_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_BOOK_H_
