#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/forecast/commands.h"
#include "client/prioctl/forecast/missing_forecasts.h"
#include "client/prioctl/forecast/time_limit_option.h"
#include "client/prioctl/forecast/variants.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/wait_text.h"
#include "client/priority_client.h"
#include "client/timestamp.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMostForecasts = 10'000;  // Of one answer of the service.

// `prioctl forecast [JOBID...]`
struct ForecastOptions {
  std::vector<std::string> job_ids;  // None, without cpus = all.
  // Of a job that is not submitted; cpus 0 = there is none.
  double cpus = 0;
  std::optional<absl::Duration> time_limit;
  std::string user;  // Empty = the calling one.
  std::string account;
  std::vector<std::string> partitions;  // Each is compared.
  std::string qos;
  bool json = false;
};

// `prioctl forecast score`
struct ForecastScoreOptions {
  bool json = false;
};

v1::Job JobOf(const ForecastOptions& options) {
  v1::Job job;
  job.set_user(options.user.empty() ? CallingUser() : options.user);
  job.set_account(options.account);
  if (!options.partitions.empty()) job.add_partitions(options.partitions.front());
  if (!options.qos.empty()) job.add_qos(options.qos);
  job.set_cpus(options.cpus);
  if (options.time_limit.has_value()) {
    job.mutable_time_limit()->set_seconds(absl::ToInt64Seconds(*options.time_limit));
  }
  return job;
}

// The first option that only a job that is not submitted has; nullptr without one.
const char* OptionOfNewJob(const ForecastOptions& options) {
  if (options.time_limit.has_value()) return "--time";
  if (!options.user.empty()) return "--user";
  if (!options.account.empty()) return "--account";
  if (!options.partitions.empty()) return "--partition";
  return options.qos.empty() ? nullptr : "--qos";
}

// The start by which so many of such jobs have started; the service answers all levels of kLevels.
absl::Time StartAt(const v1::StartForecast& forecast, double level) {
  for (const v1::StartQuantile& quantile : forecast.start()) {
    if (quantile.level() >= level) return client::FromTimestamp(quantile.start_time());
  }
  return absl::InfiniteFuture();
}

std::string InfluenceText(const v1::ForecastInfluence& influence) {
  const bool delays = influence.factor() >= 1;
  return absl::StrFormat("  %s makes its wait %.3g times as %s\n", influence.group(),
                         delays ? influence.factor() : 1 / influence.factor(),
                         delays ? "long" : "short");
}

// Whether no job of the cluster has started yet: the times of all forecasts are then a guess.
bool IsOfNothing(const v1::ForecastStartsResponse& response) {
  const auto is_guess = [](const v1::StartForecast& forecast) {
    return forecast.source() == v1::FORECAST_SOURCE_NOTHING;
  };
  return !response.forecasts().empty() &&
         std::all_of(response.forecasts().begin(), response.forecasts().end(), is_guess);
}

void PrintOne(const v1::StartForecast& forecast, std::ostream& out) {
  out << SentenceText(forecast.sentence()) << '\n';
  for (const v1::ForecastInfluence& influence : forecast.influences()) {
    out << InfluenceText(influence);
  }
}

void PrintTable(const v1::ForecastStartsResponse& response, absl::Time as_of, std::ostream& out) {
  Table table({{"JOBID"}, {"EARLIEST"}, {"HALF BY"}, {"LATEST"}, {"END ABOUT"}});
  for (const v1::StartForecast& forecast : response.forecasts()) {
    table.AddRow({forecast.job_id(), HourText(StartAt(forecast, .1), as_of),
                  HourText(StartAt(forecast, .5), as_of), HourText(StartAt(forecast, .9), as_of),
                  HourText(client::FromTimestamp(forecast.expected_end()), as_of)});
  }
  table.Print(out);
  out << "\nOne of ten such jobs starts before EARLIEST, one of ten after LATEST.\n";
}

// The time, from now, after which half of such jobs have started; infinite for a job that could not
// start.
absl::Duration HalfOf(const v1::StartForecast& forecast, const Variants& variants,
                      absl::Time as_of) {
  for (const Refusal& refusal : variants.refused) {
    if (refusal.what == forecast.job_id()) return absl::InfiniteDuration();
  }
  return StartAt(forecast, .5) - as_of;
}

// Less is no reason to change a job.
bool IsClearlyEarlier(absl::Duration half, absl::Duration than) {
  return half < std::min(.9 * than, than - absl::Minutes(1));
}

struct Shown {
  const Variant* variant;
  const v1::StartForecast* forecast;
  absl::Duration half;
};

// The other partitions and QOS with which the job starts earliest: a change of both only where it
// is clearly better than each change of one.
void AddPlaces(std::vector<Shown> places, std::vector<Shown>* shown) {
  constexpr size_t kMost = 5;
  std::stable_sort(places.begin(), places.end(),
                   [](const Shown& a, const Shown& b) { return a.half < b.half; });
  absl::Duration best = absl::InfiniteDuration();
  for (const Shown& place : places) {
    if (place.variant->changed_names == 1) best = std::min(best, place.half);
  }
  std::erase_if(places, [best](const Shown& place) {
    return place.variant->changed_names > 1 && !IsClearlyEarlier(place.half, best);
  });
  if (places.size() > kMost) places.resize(kMost);
  shown->insert(shown->end(), places.begin(), places.end());
}

// The job as the caller described it, and variants that start clearly earlier.
std::vector<Shown> ShownOf(const Variants& variants, const v1::ForecastStartsResponse& response,
                           absl::Time as_of) {
  absl::flat_hash_map<absl::string_view, const v1::StartForecast*> forecasts;
  for (const v1::StartForecast& one : response.forecasts()) forecasts.emplace(one.job_id(), &one);
  const absl::Duration own = HalfOf(response.forecasts(0), variants, as_of);
  std::vector<Shown> shown, places;
  for (const Variant& variant : variants.all) {
    const auto found = forecasts.find(variant.job.job_id());
    if (found == forecasts.end()) continue;
    const Shown one = {&variant, found->second, HalfOf(*found->second, variants, as_of)};
    if (one.half == absl::InfiniteDuration()) continue;
    const bool is_asked = &variant == &variants.all.front() || variant.is_named;
    if (!is_asked && !IsClearlyEarlier(one.half, own)) continue;
    (variant.changed_names > 0 && !is_asked ? places : shown).push_back(one);
  }
  AddPlaces(std::move(places), &shown);
  return shown;
}

void PrintVariants(const Variants& variants, const v1::ForecastStartsResponse& response,
                   absl::Time as_of, std::ostream& out) {
  const std::vector<Shown> shown = ShownOf(variants, response, as_of);
  Table table({{"VARIANT"}, {"HALF WITHIN"}, {"NINE OF TEN WITHIN"}});
  for (const Shown& one : shown) {
    table.AddRow({one.variant->job.job_id(), WaitText(one.half),
                  WaitText(StartAt(*one.forecast, .9) - as_of)});
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
  const size_t others = std::count_if(shown.begin(), shown.end(), [&](const Shown& one) {
    return one.variant != &variants.all.front();
  });
  if (others > 0 || variants.all.size() == 1) return;
  out << "\nNothing that was compared starts clearly earlier: "
      << CountedText(static_cast<int64_t>(variants.all.size() - 1), "variant") << ".\n";
}

// Prints the jobs that could not start, with reasons; if no user was named, how to name one.
void PrintRefused(const Variants& variants, const ForecastOptions& options, std::ostream& out) {
  for (const Refusal& refusal : variants.refused) {
    out << refusal.what << ": could not start: " << SentenceText(refusal.message) << '\n';
  }
  const bool is_of_account =
      std::any_of(variants.refused.begin(), variants.refused.end(),
                  [](const Refusal& refusal) { return refusal.reason == "InvalidAccount"; });
  if (is_of_account && options.user.empty()) {
    out << "The user of the job is the caller, " << CallingUser()
        << "; --user NAME names another.\n";
  }
}

absl::Status RunSupposed(const ForecastOptions& options, const client::PriorityClient& client,
                         Console& console) {
  const auto variants = FindVariants(JobOf(options), options.partitions, client);
  if (!variants.ok()) return variants.status();
  v1::ForecastStartsRequest request;
  request.set_influences(true);
  for (const Variant& variant : variants->all) *request.mutable_jobs()->add_jobs() = variant.job;
  const auto response = client.ForecastStarts(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  if (response->forecasts().empty()) {
    console.out
        << "Nothing was learned of this cluster: no queue is tracked, or its clock is manual.\n";
    return absl::OkStatus();
  }
  const absl::Time as_of = client::FromTimestamp(response->as_of());
  const v1::StartForecast& own = response->forecasts(0);
  if (HalfOf(own, *variants, as_of) < absl::InfiniteDuration()) PrintOne(own, console.out);
  PrintRefused(*variants, options, console.out);
  if (!IsOfNothing(*response)) PrintVariants(*variants, *response, as_of, console.out);
  return absl::OkStatus();
}

absl::Status Run(const ForecastOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.cpus > 0) {
    if (options.job_ids.empty()) return RunSupposed(options, client, console);
    return absl::InvalidArgumentError("--cpus: got a job too, want a job or a size");
  }
  if (const char* option = OptionOfNewJob(options); option != nullptr) {
    return OptionError(absl::StrCat(option, ": got it without --cpus, want both"));
  }
  v1::ForecastStartsRequest request;
  request.mutable_job_ids()->Add(options.job_ids.begin(), options.job_ids.end());
  request.set_influences(options.job_ids.size() == 1);
  const auto response = client.ForecastStarts(std::move(request));
  if (!response.ok()) return response.status();
  if (options.job_ids.empty() && response->forecasts_size() >= kMostForecasts) {
    console.err << "warning: got " << CountText(kMostForecasts)
                << " jobs, the most of one answer; name the ids of others\n";
  }
  if (options.json) return PrintJson(*response, console.out);
  const absl::Time as_of = client::FromTimestamp(response->as_of());
  const auto missing = MissingForecasts(options.job_ids, *response, client);
  if (!missing.ok()) return missing.status();
  if (IsOfNothing(*response) || (options.job_ids.size() == 1 && missing->empty())) {
    PrintOne(response->forecasts(0), console.out);
  } else if (!response->forecasts().empty()) {
    PrintTable(*response, as_of, console.out);
  }
  console.out << *missing;
  return absl::OkStatus();
}

std::string PercentText(double part) { return absl::StrFormat("%.0f %%", 100 * part); }

void AddRow(const v1::ForecastScore& score, Table& table) {
  std::vector<std::string> row = {score.group().empty() ? "all" : score.group(),
                                  CountText(score.count())};
  for (const double part : score.started_by()) row.push_back(PercentText(part));
  row.resize(7, "-");
  row.insert(row.end(), {PercentText(score.before_q10()), PercentText(score.after_q90()),
                         NumberText(score.loss()), NumberText(score.table_loss()),
                         NumberText(score.qbets_loss())});
  table.AddRow(std::move(row));
}

absl::Status Run(const ForecastScoreOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const auto response = client.ScoreForecasts({});
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  Table table({{"GROUP"},
               {"JOBS", true},
               {"BY Q10", true},
               {"BY Q25", true},
               {"BY Q50", true},
               {"BY Q75", true},
               {"BY Q90", true},
               {"BEFORE Q10", true},
               {"AFTER Q90", true},
               {"LOSS", true},
               {"TABLE", true},
               {"QBETS", true}});
  for (const v1::ForecastScore& score : response->scores()) {
    if (score.count() > 0) AddRow(score, table);
  }
  table.Print(console.out);
  console.out << '\n'
              << (response->model() == 0
                      ? "No training yet: forecasts are quantiles of the last waits of like jobs.\n"
                      : absl::StrCat("Training ", response->model(), ", of ",
                                     CountedText(response->examples(), "start"), ".\n"));
  return absl::OkStatus();
}

void AddForecastScoreOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ForecastScoreOptions>(app, line, Run);
  AddJson(app, options->json);
}

constexpr Command kScoreCommand = {
    "score", "How many of the forecasts held, beside two simpler methods", AddForecastScoreOptions};

void AddForecastOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ForecastOptions>(app, line, Run);
  app->add_option("JOBID", options->job_ids, "Which pending jobs; default all")->type_name("");
  app->add_option("--cpus", options->cpus, "CPUs of a job that is not submitted")
      ->check(NumberBetween(1, 1e9))
      ->type_name("COUNT");
  AddTimeLimit(app, "Its time limit; default that of the partition", options->time_limit);
  app->add_option("--user", options->user, "User of the job; default the caller")
      ->type_name("NAME");
  app->add_option("--account", options->account,
                  "Account of the job; default the user's default account")
      ->type_name("NAME");
  AddList(app, "--partition", options->partitions,
          "The job's partition; of several, each is compared");
  app->add_option("--qos", options->qos, "QOS of the job; default that of the association")
      ->type_name("NAME");
  AddJson(app, options->json);
  AddCommand(kScoreCommand, app, line);
  AddCommand(kForecastBacktestCommand, app, line);
  AddCommand(kForecastHoursCommand, app, line);
}

}  // namespace

const Command kForecastCommand = {"forecast",
                                  "When jobs start, with the uncertainty; what would start earlier",
                                  AddForecastOptions};

}  // namespace priorityd::prioctl
