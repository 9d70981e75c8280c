// Forecasts of waits with their uncertainty, learned from the events of one queue.
#ifndef PRIORITYD_ENGINE_FORECAST_FORECASTER_H_
#define PRIORITYD_ENGINE_FORECAST_FORECASTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/forecast/example.h"
#include "engine/forecast/features.h"
#include "engine/forecast/forest.h"
#include "engine/forecast/job.h"
#include "engine/forecast/score.h"

namespace priorityd::forecast {

struct ForecasterOptions {
  double capacity = 0;               // CPUs of the cluster; 0 = the greatest load so far.
  size_t most_examples = 6'000;      // The newest ones train a forest.
  size_t fewest_examples = 300;      // Below, the table's answer is published.
  size_t starts_per_training = 500;  // A training is due after so many starts,
  Seconds seconds_per_training =
      86'400;  // or after so long if any job started, whichever is first.
  ForestOptions forest;
};

// A group of features, and how the forecast would differ with a usual value of each of them.
struct Influence {
  std::string group;  // `the queue ahead`
  // The typical wait (the mean on the scale of ToScale) as a multiple of that with the median of
  // each feature of the group among the examples: 2 = twice as long because of it. Above 0.
  double factor = 1;
};

enum class Source {
  kNothing,  // No start seen yet: 0 to the longest wait that is forecast.
  kTable,    // Waits of like jobs: too few examples, or the forest was worse than they lately.
  kForest,
};

struct StartForecast {
  // Seconds from the job's submission, by the levels asked for: at least 0, at least the age of a
  // waiting job, and never lower for a higher level.
  std::vector<double> waits;
  Source source = Source::kNothing;
  int64_t model = 0;     // The number of the training; 0 = none. Rises by one.
  int64_t examples = 0;  // That the forest, or the table, had.
};

// The outcome of a job that was forecast at its submission.
struct Outcome {
  std::string id;
  std::string job_class;  // For reports: `p=batch cpus=9-32 limit=1-4h`.
  Source source = Source::kNothing;
  int64_t model = 0;
  Scored scored;
};

// Composes the state of the queue, the forest, the correction, the table and QBETS of one cluster.
//
// Call these as things happen, in the order of their times (a late event counts from when it is
// reported). The state follows from the calls alone: two replicas that make the same calls have the
// same forecasts, to the bit. Nothing trains by itself: a caller asks TrainingDue after events,
// trains (on any thread, from TrainingSet, which no later call changes), and calls Adopt.
//
// Memory: kilobytes for each job that waits or runs, 0.3 kB for each of `most_examples`, and what
// QueueState, WaitTable, Conformal and Forest say.
//
// Not thread-safe.
class Forecaster {
 public:
  explicit Forecaster(const ForecasterOptions& options = {});
  ~Forecaster();
  Forecaster(Forecaster&&) noexcept;
  Forecaster& operator=(Forecaster&&) noexcept;

  // --- Events ---
  // A job waits from its submit time on. Its forecast of that moment is kept and scored. False: the
  // id waits or runs already, or cpus or limit is out of range.
  bool Submit(const Job& job);
  // A job starts: the outcome of its forecast; nullopt for an unknown id. The job is an example
  // from then on.
  std::optional<Outcome> Start(absl::string_view id, Seconds time);
  // False for an unknown id. A job that is cancelled while it waits is no example and no outcome.
  bool Cancel(absl::string_view id, Seconds time);
  bool End(absl::string_view id, Seconds time);
  void SetCapacity(double capacity);
  // The policy changed: forgets recent waits, corrections and the waits of the table. The forest
  // and the examples stay until newer ones replace them.
  void PolicyChanged();

  // --- Forecasts ---
  // A job that waits, at a time not before its submission: given that it has waited so long.
  // Nullopt: no such job waits. Levels are above 0 and below 1.
  std::optional<StartForecast> Forecast(absl::string_view id, Seconds now,
                                        absl::Span<const double> levels);
  // A job that is not submitted, as if it were at `now`.
  StartForecast ForecastNew(const Job& job, Seconds now, absl::Span<const double> levels);
  // The `most` groups of features that move the forecast most, the greatest first. Empty without a
  // forest.
  std::vector<Influence> Influences(absl::string_view id, size_t most) const;
  std::vector<Influence> InfluencesOfNew(const Job& job, Seconds now, size_t most);
  // How long the job will probably run, in seconds, by its user's last jobs and its time limit.
  double ExpectedRunTime(const Job& job) const;

  // --- Training ---
  bool TrainingDue(Seconds now) const;
  // A copy of the newest examples, oldest first.
  std::shared_ptr<const std::vector<Example>> TrainingSet() const;
  // Of the next training.
  ForestOptions TrainingOptions() const;
  // The forest forecasts from now on; counts as trained at `now`.
  void Adopt(std::shared_ptr<const Forest> forest, Seconds now);
  // Trains on the calling thread and adopts, if a training is due.
  void TrainIfDue(Seconds now);

  // Examples of an earlier run of the program, oldest first, before the first event.
  void Remember(absl::Span<const Example> examples);
  // The example of the last Start; for storage.
  const Example* newest_example() const;
  int64_t model() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_FORECASTER_H_
