#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/forecast/commands.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/wait_text.h"
#include "client/priority_client.h"
#include "client/timestamp.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

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

// What a job could be instead.
struct Variant {
  std::string what;
  v1::Job job;
};

v1::Job JobOf(const ForecastOptions& options) {
  v1::Job job;
  job.set_job_id("0");
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

void AddShorter(const v1::Job& job, std::vector<Variant>* variants) {
  constexpr int64_t kShortest = 15 * 60;
  for (const int part : {2, 4, 6}) {
    const int64_t seconds = job.time_limit().seconds() / part / 60 * 60;
    if (seconds < kShortest) return;
    Variant variant{"", job};
    variant.job.mutable_time_limit()->set_seconds(seconds);
    variant.what = absl::StrCat("--time ", DurationText(variant.job.time_limit()));
    variants->push_back(std::move(variant));
  }
}

void AddSmaller(const v1::Job& job, std::vector<Variant>* variants) {
  for (const int part : {2, 4}) {
    const double cpus = std::floor(job.cpus() / part);
    if (cpus < 1) return;
    Variant variant{absl::StrCat("--cpus ", NumberText(cpus)), job};
    variant.job.set_cpus(cpus);
    variants->push_back(std::move(variant));
  }
}

// The job as asked for, first, and what could start earlier.
std::vector<Variant> VariantsOf(const ForecastOptions& options) {
  const v1::Job job = JobOf(options);
  std::vector<Variant> variants = {{"as asked", job}};
  AddShorter(job, &variants);
  AddSmaller(job, &variants);
  for (size_t i = 1; i < options.partitions.size(); ++i) {
    Variant variant{absl::StrCat("--partition ", options.partitions[i]), job};
    variant.job.set_partitions(0, options.partitions[i]);
    variants.push_back(std::move(variant));
  }
  for (size_t i = 0; i < variants.size(); ++i) variants[i].job.set_job_id(absl::StrCat(i));
  return variants;
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

void PrintVariants(const std::vector<Variant>& variants, const v1::ForecastStartsResponse& response,
                   absl::Time as_of, std::ostream& out) {
  const auto wait = [&](const v1::StartForecast& forecast, double level) {
    return WaitText(StartAt(forecast, level) - as_of);
  };
  out << '\n';
  Table table({{"VARIANT"}, {"HALF WITHIN"}, {"NINE OF TEN WITHIN"}});
  for (int i = 0; i < response.forecasts_size() && i < static_cast<int>(variants.size()); ++i) {
    const v1::StartForecast& forecast = response.forecasts(i);
    table.AddRow({variants[i].what, wait(forecast, .5), wait(forecast, .9)});
  }
  table.Print(out);
}

absl::Status RunSupposed(const ForecastOptions& options, const client::PriorityClient& client,
                         Console& console) {
  const std::vector<Variant> variants = VariantsOf(options);
  v1::ForecastStartsRequest request;
  request.set_influences(true);
  for (const Variant& variant : variants) *request.mutable_jobs()->add_jobs() = variant.job;
  const auto response = client.ForecastStarts(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  if (response->forecasts().empty()) {
    console.out << "Nothing was learned of this cluster yet: no queue is tracked.\n";
    return absl::OkStatus();
  }
  const absl::Time as_of = client::FromTimestamp(response->as_of());
  PrintOne(response->forecasts(0), console.out);
  PrintVariants(variants, *response, as_of, console.out);
  return absl::OkStatus();
}

absl::Status Run(const ForecastOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.cpus > 0) {
    if (options.job_ids.empty()) return RunSupposed(options, client, console);
    return absl::InvalidArgumentError("--cpus: got a job too, want a job or a size");
  }
  v1::ForecastStartsRequest request;
  request.mutable_job_ids()->Add(options.job_ids.begin(), options.job_ids.end());
  request.set_influences(options.job_ids.size() == 1);
  const auto response = client.ForecastStarts(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  const absl::Time as_of = client::FromTimestamp(response->as_of());
  if (response->forecasts().empty()) {
    console.out << (options.job_ids.empty() ? "No job waits for its start.\n"
                                            : "None of these jobs waits for its start.\n");
  } else if (options.job_ids.size() == 1) {
    PrintOne(response->forecasts(0), console.out);
  } else {
    PrintTable(*response, as_of, console.out);
  }
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

void AddTimeLimit(CLI::App* app, std::optional<absl::Duration>& limit) {
  app->add_option_function<std::string>(
         "--time",
         [&limit](const std::string& text) {
           const auto parsed = slurm::ParseTimeString(text);
           if (parsed.ok() && *parsed > absl::ZeroDuration()) {
             limit = *parsed;
             return;
           }
           throw CLI::ValidationError(
               "--time", absl::StrCat("got \"", text, "\", want a time such as 30 or 2:00:00"));
         },
         "Its time limit; default that of the partition")
      ->type_name("TIME");
}

void AddForecastOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ForecastOptions>(app, line, Run);
  app->add_option("JOBID", options->job_ids, "Which pending jobs; default all")->type_name("");
  app->add_option("--cpus", options->cpus, "Of a job that is not submitted")
      ->check(NumberBetween(1, 1e9))
      ->type_name("COUNT");
  AddTimeLimit(app, options->time_limit);
  app->add_option("--user", options->user, "Whose job; default the caller's")->type_name("NAME");
  app->add_option("--account", options->account, "Default the user's")->type_name("NAME");
  AddList(app, "--partition", options->partitions,
          "The job's partition; of several, each is compared");
  app->add_option("--qos", options->qos, "Default the association's")->type_name("NAME");
  AddJson(app, options->json);
  AddCommand(kScoreCommand, app, line);
  AddCommand(kForecastBacktestCommand, app, line);
}

}  // namespace

const Command kForecastCommand = {"forecast",
                                  "When jobs start, with the uncertainty; what would start earlier",
                                  AddForecastOptions};

}  // namespace priorityd::prioctl
