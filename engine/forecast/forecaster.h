// Forecasts of waits with their uncertainty, learned from the events of one queue.
#ifndef PRIORITYD_ENGINE_FORECAST_FORECASTER_H_
#define PRIORITYD_ENGINE_FORECAST_FORECASTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/forecast/conformal.h"
#include "engine/forecast/example.h"
#include "engine/forecast/features.h"
#include "engine/forecast/forest.h"
#include "engine/forecast/job.h"
#include "engine/forecast/queue_state.h"
#include "engine/forecast/reference.h"
#include "engine/forecast/score.h"
#include "engine/forecast/stretch.h"

namespace priorityd::forecast {

struct ForecasterOptions {
  double capacity = 0;            // CPUs of the cluster; 0 = the greatest load so far.
  size_t most_examples = 10'000;  // The newest ones train a forest; at least 1.
  int64_t fewest_examples = 300;  // With fewer, the table's answer is published.
  // A training is due after so many starts, or a tenth of all if that is less; half as many are
  // enough after so long.
  int64_t starts_per_training = 500;
  Seconds seconds_per_training = 86'400;
  ForestOptions forest;  // `seed` is that of the first training; it rises by one.
};

enum class Source {
  kNothing,  // No job started yet: the same for all jobs, and wide.
  kTable,    // QBETS: too few examples, or the forest was worse than it lately.
  kForest,
};

struct StartForecast {
  // Seconds from the job's submission, by the levels asked for: at least Knowledge::earliest_wait,
  // at least the age of a waiting job, never lower for a higher level, at most kLongestWait.
  std::vector<double> waits;
  Source source = Source::kNothing;
  int64_t model = 0;  // The number of the training, from 1; 0 = none yet.
  // Started jobs that the answer was learned from: those of the forest, or of the job's class.
  int64_t examples = 0;
};

// A group of features, and its effect on the forecast.
struct Influence {
  std::string group;  // As Features() calls it.
  // The typical wait (the mean on the scale of ToScale, plus a minute) as a multiple of what it
  // would be if each feature of the group had its median among the examples: 2 = twice as long.
  // Above 0.
  double factor = 1;
};

// The outcome of the forecast that a job got when it was submitted.
struct Outcome {
  Job job;
  Source source = Source::kNothing;
  int64_t model = 0;
  Scored scored;
};

// A training that can run on any thread.
struct Training {
  std::vector<Example> examples;  // Oldest first.
  ForestOptions options;
  int64_t starts = 0;  // The starts that the forecaster had seen.

  Forest Run() const { return Forest::Train(examples, options); }
};

// Composes the state of the queue, the forest, the correction, the table and QBETS of one cluster.
//
// Call these as things happen, with times in whole seconds. The state follows from the calls alone:
// the same calls give the same forecasts, to the bit. A late event counts from when it is reported.
// For forecasts as strict as those of a backtest, report the submissions of a second before its
// starts and ends.
//
// Where the queue is longer than at the examples of the forest, its waits are stretched.
//
// A job that reservations block is forecast as one that begins to wait when they do not: its
// earliest start, and from then on the waits of such a job, stretched if the queue grows long. It
// teaches nothing. Nor do the jobs that waited when no job had started for a day, as in an outage,
// except that q90 rises because they are late.
//
// Memory: about 2 kB for each job that waits and 1 kB for each that runs, 0.5 kB for each of
// `most_examples`, and what QueueState, WaitTable, Conformal and Forest say.
//
// Not thread-safe.
class Forecaster {
 public:
  Forecaster() : Forecaster(ForecasterOptions()) {}
  explicit Forecaster(const ForecasterOptions& options);

  // --- Events ---
  // A job waits from its submit time on. Its forecast of that moment is kept and scored. False: the
  // id waits or runs already, or cpus is not above 0, or the limit is below 0.
  bool Submit(const Job& job);
  // A job runs that was not known to wait, since its submit time: it is load, and no example.
  // False: as Submit.
  bool Run(const Job& job) { return queue_.Run(job); }
  // A job starts, and is an example from then on. Nullopt: no such job waits.
  std::optional<Outcome> Start(absl::string_view id, Seconds time);
  // False for an unknown id. A job that is cancelled while it waits is no example and no outcome.
  bool Cancel(absl::string_view id, Seconds time);
  // A running job ends.
  bool End(absl::string_view id, Seconds time);
  // Another Knowledge::earliest_wait of a waiting job, because reservations have changed: for what
  // Forecast answers, not for what is learned and scored. Returns whether it is another one.
  bool SetEarliestWait(absl::string_view id, double wait);
  void SetCapacity(double capacity) { queue_.SetCapacity(capacity); }
  // A new policy is in force: forgets recent waits, corrections and the table. The forest keeps
  // answering, uncorrected.
  void PolicyChanged();

  // --- Forecasts. Levels are above 0 and below 1. ---
  // Of a waiting job, given that it has waited up to `now`. Nullopt: no such job waits.
  std::optional<StartForecast> Forecast(absl::string_view id, Seconds now,
                                        absl::Span<const double> levels) const;
  // Of a job as if it were submitted at `now`; its id and submit time are not read.
  StartForecast ForecastNew(const Job& job, Seconds now, absl::Span<const double> levels);
  // The `most` groups that move the forecast most, the greatest first. Empty without a forest, or
  // if no such job waits.
  std::vector<Influence> Influences(absl::string_view id, size_t most) const;
  std::vector<Influence> InfluencesOfNew(const Job& job, Seconds now, size_t most);
  // The probable run time of the job, in seconds.
  double ExpectedRunTime(const Job& job) const { return queue_.ExpectedRunTime(job); }

  // --- Training ---
  bool TrainingDue(Seconds now) const;
  Training NextTraining() const;
  // The forest of a training forecasts from now on; it learns what started since.
  void Adopt(const Training& training, Forest forest, Seconds now);
  // Trains on the calling thread and adopts, if a training is due.
  void TrainIfDue(Seconds now);

  int64_t model() const { return model_; }
  // Whether the forest has been better than QBETS lately, so that it is published.
  bool forest_leads() const;

 private:
  struct Waiting {
    Job job;
    Row row;
    std::string job_class;
    Source source = Source::kNothing;
    int64_t model = 0;
    double earliest_wait = 0;           // As known now.
    std::optional<LevelValues> forest;  // After the correction; unset if it teaches nothing.
    double width = 0;                   // Of the forest's interval before it.
    bool judged = false;                // Its outcome has moved the correction.
    Scored scored;
  };
  // The time after which a waiting job is later than its q90.
  struct Deadline {
    Seconds time;
    std::string id;
    Seconds submit_time;
    bool operator>(const Deadline& other) const {
      return std::tie(time, id) > std::tie(other.time, other.id);
    }
  };
  // On the scale, by levels of WithScoredLevels.
  struct Answer {
    std::vector<double> quantiles;
    Source source = Source::kNothing;
    int64_t examples = 0;
  };

  // Of a job of that age that cannot start before `earliest`; before the correction.
  std::vector<double> OfForest(const Row& row, absl::Span<const double> levels, double age,
                               double earliest) const;
  Answer OfTable(const Job& job, absl::Span<const double> levels, double age) const;
  // Of a job of that age that cannot start before `earliest`.
  StartForecast ForecastOf(const Job& job, const Row& row, absl::Span<const double> levels,
                           double age, double earliest) const;
  std::vector<Influence> InfluencesOn(const Row& row, size_t most) const;
  void Foresee(Waiting* waiting);
  // Judges the waiting jobs whose q90 has passed: they are above it, whenever they start.
  void JudgeLate(Seconds now);
  void Judge(Waiting* waiting, bool below, bool above);
  // Whether its wait is a usual one: it was not blocked by a reservation or a standstill.
  bool IsUsual(const Waiting& waiting) const;
  void Compare(const Waiting& waiting, double y);
  // From the start of a job.
  void Learn(Waiting* waiting, const Example& example);
  void AddExample(const Example& example);

  ForecasterOptions options_;
  QueueState queue_;
  WaitTable table_;
  Conformal correction_;
  Forest forest_;
  Row medians_{};  // Of the examples of the forest.
  Stretch stretch_;
  std::deque<Example> examples_;
  absl::flat_hash_map<std::string, Waiting> waiting_;
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  int64_t starts_ = 0;
  int64_t model_ = 0;
  int64_t trained_starts_ = 0;
  Seconds trained_at_ = 0;
  // Of the last forecasts that both made, the newest with the most weight.
  double forest_loss_ = 0;
  double table_loss_ = 0;
  int64_t compared_ = 0;
  Seconds quiet_since_ = 0;  // Since when jobs wait and none has started.
  Seconds stood_until_ = 0;  // The end of the last standstill.
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_FORECASTER_H_
