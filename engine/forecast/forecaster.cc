#include "engine/forecast/forecaster.h"

#include <algorithm>
#include <utility>

#include "engine/forecast/interval.h"
#include "engine/forecast/job_class.h"
#include "engine/forecast/prior.h"
#include "engine/forecast/scale.h"

namespace priorityd::forecast {
namespace {

// After so many newer comparisons one has 1 / e of its weight.
constexpr double kComparisonLife = 200;
constexpr int64_t kFewestCompared = 50;
// With fewer waits there is no bound on a .9 quantile with 95 % confidence: .9^29 < .05.
constexpr int64_t kFewestForBounds = 29;
// Jobs wait and none has started for so long: not the queue delays them.
constexpr Seconds kStandstill = 86'400;

Row MediansOf(absl::Span<const Example> examples) {
  Row medians{};
  std::vector<float> values(examples.size());
  for (size_t feature = 0; feature < kFeatures && !examples.empty(); ++feature) {
    for (size_t i = 0; i < examples.size(); ++i) values[i] = examples[i].row[feature];
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    medians[feature] = *middle;
  }
  return medians;
}

double EarliestWaitOf(const Job& job) { return job.known.earliest_wait.value_or(0); }

// Values on the scale of waits that begin so many seconds later.
LevelValues Later(double seconds, LevelValues values) {
  if (seconds <= 0) return values;
  for (double& value : values) value = ToScale(seconds + FromScale(value));
  return values;
}

}  // namespace

Forecaster::Forecaster(const ForecasterOptions& options)
    : options_(options), queue_(options.capacity) {}

std::vector<double> Forecaster::OfForest(const Row& row, absl::Span<const double> levels,
                                         double age, double earliest) const {
  const double multiple = stretch_.Of(row, earliest);
  std::vector<double> quantiles =
      forest_.Quantiles(row, levels, age > 0 ? ToScale(age / multiple) : -1);
  for (size_t i = 0; i < quantiles.size(); ++i) {
    quantiles[i] = Stretched(quantiles[i], levels[i], multiple);
  }
  return quantiles;
}

Forecaster::Answer Forecaster::OfTable(const Job& job, absl::Span<const double> levels,
                                       double age) const {
  Answer answer = {table_.Bounds(job, levels, age > 0 ? ToScale(age) : -1)};
  answer.examples = static_cast<int64_t>(table_.CountFor(job));
  answer.source = answer.examples == 0 ? Source::kNothing : Source::kTable;
  const bool none = answer.quantiles.empty();
  answer.quantiles.resize(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    const double wide = ToScale(PriorQuantile(levels[i], age));
    double& quantile = answer.quantiles[i];
    if (none) {
      quantile = wide;
    } else if (answer.examples < kFewestForBounds && levels[i] != .5) {
      quantile = levels[i] < .5 ? std::min(quantile, wide) : std::max(quantile, wide);
    }
  }
  Correct(levels, {}, ToScale(age), &answer.quantiles);
  return answer;
}

bool Forecaster::forest_leads() const {
  return compared_ < kFewestCompared || forest_loss_ <= table_loss_;
}

StartForecast Forecaster::ForecastOf(const Job& job, const Row& row,
                                     absl::Span<const double> levels, double age,
                                     double earliest) const {
  const std::vector<double> all = WithScoredLevels(levels);
  age = std::max(age - earliest, 0.0);
  Answer answer;
  if (!forest_.empty() && forest_leads()) {
    answer = {OfForest(row, all, age, earliest), Source::kForest,
              static_cast<int64_t>(forest_.examples())};
  }
  if (answer.quantiles.empty()) {
    answer = OfTable(job, all, age);
  } else {
    Correct(all, correction_.ShiftOf(ClassOf(job)), ToScale(age), &answer.quantiles);
  }
  StartForecast forecast = {{}, answer.source, model_, answer.examples};
  for (const double level : levels) {
    const size_t i = std::lower_bound(all.begin(), all.end(), level) - all.begin();
    const double rest = std::max(FromScale(answer.quantiles[i]), age);
    forecast.waits.push_back(std::min(earliest + rest, kLongestWait));
  }
  return forecast;
}

std::optional<StartForecast> Forecaster::Forecast(absl::string_view id, Seconds now,
                                                  absl::Span<const double> levels) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  const Waiting& waiting = found->second;
  const auto age = static_cast<double>(std::max<Seconds>(now - waiting.job.submit_time, 0));
  return ForecastOf(waiting.job, waiting.row, levels, age, waiting.earliest_wait);
}

StartForecast Forecaster::ForecastNew(const Job& job, Seconds now,
                                      absl::Span<const double> levels) {
  return ForecastOf(job, queue_.MakeRow(job, now), levels, 0, EarliestWaitOf(job));
}

std::vector<Influence> Forecaster::InfluencesOn(const Row& row, size_t most) const {
  std::vector<Influence> influences;
  if (forest_.empty()) return influences;
  const double mean = forest_.Mean(row);
  const absl::Span<const FeatureInfo> features = Features();
  for (size_t begin = 0; begin < kFeatures;) {
    Row usual = row;
    size_t end = begin;
    for (; end < kFeatures && features[end].group == features[begin].group; ++end) {
      usual[end] = medians_[end];
    }
    influences.push_back({std::string(features[begin].group), Exp(mean - forest_.Mean(usual))});
    begin = end;
  }
  const auto strength = [](const Influence& influence) {
    return std::max(influence.factor, 1 / influence.factor);
  };
  std::stable_sort(
      influences.begin(), influences.end(),
      [&](const Influence& a, const Influence& b) { return strength(a) > strength(b); });
  influences.resize(std::min(most, influences.size()));
  return influences;
}

std::vector<Influence> Forecaster::Influences(absl::string_view id, size_t most) const {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return {};
  return InfluencesOn(found->second.row, most);
}

std::vector<Influence> Forecaster::InfluencesOfNew(const Job& job, Seconds now, size_t most) {
  return InfluencesOn(queue_.MakeRow(job, now), most);
}

// Makes the forecasts of a job at its submission, by each method.
void Forecaster::Foresee(Waiting* waiting) {
  const Job& job = waiting->job;
  waiting->model = model_;
  const double earliest = EarliestWaitOf(job);
  Answer table = OfTable(job, kLevels, 0);
  waiting->scored.qbets = Later(earliest, AtScoredLevels(kLevels, table.quantiles));
  const std::vector<double> plain = table_.Quantiles(job, kLevels);
  waiting->scored.table =
      plain.empty() ? waiting->scored.qbets : Later(earliest, AtScoredLevels(kLevels, plain));
  waiting->source = table.source;
  waiting->scored.published = waiting->scored.qbets;
  if (forest_.empty()) return;
  const std::vector<double> raw = OfForest(waiting->row, kLevels, 0, earliest);
  waiting->width = raw.back() - raw.front();
  std::vector<double> corrected = raw;
  Correct(kLevels, correction_.ShiftOf(waiting->job_class), 0, &corrected);
  const LevelValues forest = AtScoredLevels(kLevels, corrected);
  if (forest_leads()) {
    waiting->source = Source::kForest;
    waiting->scored.published = Later(earliest, forest);
  }
  if (earliest > 0) return;
  waiting->forest = forest;
  const auto q90 = static_cast<Seconds>(FromScale(corrected.back()));
  deadlines_.push({job.submit_time + q90 + 1, job.id, job.submit_time});
}

bool Forecaster::Submit(const Job& job) {
  JudgeLate(job.submit_time);
  Waiting waiting = {
      .job = job, .row = queue_.MakeRow(job, job.submit_time), .job_class = ClassOf(job)};
  if (!queue_.Submit(job)) return false;
  if (waiting_.empty()) quiet_since_ = job.submit_time;
  waiting.earliest_wait = EarliestWaitOf(job);
  Foresee(&waiting);
  waiting_[job.id] = std::move(waiting);
  return true;
}

void Forecaster::Judge(Waiting* waiting, bool below, bool above) {
  if (waiting->judged || !waiting->forest.has_value()) return;
  waiting->judged = true;
  correction_.Judge(waiting->job_class, below, above, waiting->width);
}

bool Forecaster::IsUsual(const Waiting& waiting) const {
  return EarliestWaitOf(waiting.job) == 0 && waiting.job.submit_time >= stood_until_;
}

void Forecaster::JudgeLate(Seconds now) {
  if (now - quiet_since_ > kStandstill) return;
  while (!deadlines_.empty() && deadlines_.top().time < now) {
    const Deadline deadline = deadlines_.top();
    deadlines_.pop();
    const auto found = waiting_.find(deadline.id);
    if (found == waiting_.end() || found->second.job.submit_time != deadline.submit_time) continue;
    Judge(&found->second, false, true);
  }
}

void Forecaster::Compare(const Waiting& waiting, double y) {
  if (!waiting.forest.has_value()) return;
  constexpr double kKept = 1 - 1 / kComparisonLife;
  forest_loss_ = forest_loss_ * kKept + MeanPinballLoss(*waiting.forest, y);
  table_loss_ = table_loss_ * kKept + MeanPinballLoss(waiting.scored.qbets, y);
  ++compared_;
}

void Forecaster::AddExample(const Example& example) {
  examples_.push_back(example);
  if (examples_.size() > options_.most_examples) examples_.pop_front();
  forest_.Add(example);
  ++starts_;
}

std::optional<Outcome> Forecaster::Start(absl::string_view id, Seconds time) {
  JudgeLate(time);
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  queue_.Start(id, time);
  if (time - quiet_since_ > kStandstill) stood_until_ = time;
  quiet_since_ = time;
  const auto wait = static_cast<double>(std::max<Seconds>(time - waiting.job.submit_time, 0));
  waiting.scored.wait = wait;
  const Example example = {waiting.row, static_cast<float>(wait)};
  if (IsUsual(waiting)) Learn(&waiting, example);
  return Outcome{std::move(waiting.job), waiting.source, waiting.model, waiting.scored};
}

void Forecaster::Learn(Waiting* waiting, const Example& example) {
  if (waiting->forest.has_value()) {
    const double least = FromScale(waiting->forest->front()) - 1;
    const double most = FromScale(waiting->forest->back()) + 1;
    Judge(waiting, example.wait<least, example.wait> most);
  }
  Compare(*waiting, ToScale(example.wait));
  table_.Add(waiting->job, example.wait);
  AddExample(example);
}

bool Forecaster::SetEarliestWait(absl::string_view id, double wait) {
  const auto found = waiting_.find(id);
  return found != waiting_.end() && std::exchange(found->second.earliest_wait, wait) != wait;
}

bool Forecaster::Cancel(absl::string_view id, Seconds time) {
  JudgeLate(time);
  if (!queue_.Cancel(id)) return false;
  waiting_.erase(id);
  return true;
}

bool Forecaster::End(absl::string_view id, Seconds time) { return queue_.End(id, time); }

void Forecaster::PolicyChanged() {
  queue_.ForgetWaits();
  table_.Clear();
  correction_.Clear();
  forest_loss_ = table_loss_ = 0;
  compared_ = 0;
}

bool Forecaster::TrainingDue(Seconds now) const {
  if (starts_ < options_.fewest_examples) return false;
  // A young forest learns much from little.
  const int64_t due = std::min(options_.starts_per_training, starts_ / 10);
  const int64_t fresh = starts_ - trained_starts_;
  const bool is_old = now - trained_at_ >= options_.seconds_per_training;
  return model_ == 0 || fresh >= due || (is_old && fresh >= (due + 1) / 2);
}

Training Forecaster::NextTraining() const {
  Training training = {{examples_.begin(), examples_.end()}, options_.forest, starts_};
  training.options.seed += static_cast<uint64_t>(model_);
  return training;
}

void Forecaster::Adopt(const Training& training, Forest forest, Seconds now) {
  forest_ = std::move(forest);
  medians_ = MediansOf(training.examples);
  stretch_ = Stretch(training.examples);
  const int64_t missed = std::min<int64_t>(starts_ - training.starts, examples_.size());
  for (auto i = examples_.end() - missed; i != examples_.end(); ++i) forest_.Add(*i);
  ++model_;
  trained_starts_ = training.starts;
  trained_at_ = now;
}

void Forecaster::TrainIfDue(Seconds now) {
  if (!TrainingDue(now)) return;
  const Training training = NextTraining();
  Adopt(training, training.Run(), now);
}

}  // namespace priorityd::forecast
