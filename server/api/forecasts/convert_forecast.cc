#include "server/api/forecasts/convert_forecast.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "engine/explanation/time_text.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr double kLow = .1;
constexpr double kMedian = .5;
constexpr double kHigh = .9;
// Fewer forecasts say little about the next one.
constexpr int64_t kFewestScored = 50;

// The start at a level of the question.
class Starts {
 public:
  Starts(const forecasts::JobForecast& forecast, const std::vector<double>& levels, absl::Time now)
      : forecast_(forecast), levels_(levels), now_(now) {}

  absl::Time At(double level) const {
    const auto found = std::lower_bound(levels_.begin(), levels_.end(), level);
    const double wait = forecast_.start.waits[found - levels_.begin()];
    const absl::Time start =
        absl::FromUnixSeconds(forecast_.submit_time) + absl::Seconds(std::round(wait));
    return std::max(start, now_);
  }

 private:
  const forecasts::JobForecast& forecast_;
  const std::vector<double>& levels_;
  const absl::Time now_;
};

v1::ForecastSource SourceToProto(forecast::Source source) {
  switch (source) {
    case forecast::Source::kNothing:
      return v1::FORECAST_SOURCE_NOTHING;
    case forecast::Source::kTable:
      return v1::FORECAST_SOURCE_TABLE;
    case forecast::Source::kForest:
      return v1::FORECAST_SOURCE_FOREST;
  }
  return v1::FORECAST_SOURCE_UNSPECIFIED;
}

std::string SentenceOf(const forecasts::JobForecast& forecast, const Starts& starts,
                       const forecasts::Recent& recent, absl::Time now, absl::TimeZone zone) {
  if (forecast.start.source == forecast::Source::kNothing) {
    return "No job of this cluster has started yet, so that nothing is known of its start.";
  }
  const auto text = [&](double level) { return explanation::MomentText(starts.At(level), zone); };
  std::string sentence =
      starts.At(kLow) <= now
          ? absl::StrCat("It starts by ", text(kHigh), " with 90 %")
          : absl::StrCat("It starts between ", text(kLow), " and ", text(kHigh), " with 80 %");
  absl::StrAppend(&sentence, " (half of such jobs by ", text(kMedian), ").");
  if (recent.count < kFewestScored) return sentence;
  return absl::StrCat(sentence, " Of the last ", recent.count, " forecasts ",
                      (100 * recent.held + recent.count / 2) / recent.count, " % held.");
}

}  // namespace

std::vector<double> LevelsOf(absl::Span<const double> requested) {
  std::vector<double> levels(requested.begin(), requested.end());
  levels.insert(levels.end(), {kLow, kMedian, kHigh});
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

void ToProto(const forecasts::JobForecast& forecast, const std::vector<double>& levels,
             absl::Span<const double> requested, const forecasts::Recent& recent, absl::Time now,
             absl::TimeZone zone, v1::StartForecast* proto) {
  const Starts starts(forecast, levels, now);
  for (const double level : requested) {
    v1::StartQuantile& quantile = *proto->add_start();
    quantile.set_level(level);
    ToProto(starts.At(level), quantile.mutable_start_time());
  }
  ToProto(starts.At(kMedian) + absl::Seconds(std::round(forecast.expected_run)),
          proto->mutable_expected_end());
  proto->set_source(SourceToProto(forecast.start.source));
  proto->set_model(forecast.start.model);
  proto->set_examples(forecast.start.examples);
  for (const forecast::Influence& influence : forecast.influences) {
    v1::ForecastInfluence& to = *proto->add_influences();
    to.set_group(influence.group);
    to.set_factor(influence.factor);
  }
  proto->set_sentence(SentenceOf(forecast, starts, recent, now, zone));
}

void ToProto(const std::string& group, const forecast::Score& score, v1::ForecastScore* proto) {
  proto->set_group(group);
  proto->set_count(score.count);
  const double count = static_cast<double>(std::max<int64_t>(score.count, 1));
  for (const int64_t held : score.held) proto->add_started_by(static_cast<double>(held) / count);
  proto->set_before_q10(static_cast<double>(score.below) / count);
  proto->set_after_q90(static_cast<double>(score.above) / count);
  proto->set_loss(score.loss / count);
  proto->set_table_loss(score.table_loss / count);
  proto->set_qbets_loss(score.qbets_loss / count);
}

}  // namespace priorityd::rpc
