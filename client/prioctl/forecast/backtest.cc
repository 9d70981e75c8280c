#include "engine/forecast/backtest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/forecast/commands.h"
#include "client/prioctl/forecast/read_history.h"
#include "client/prioctl/forecast/recorded_jobs.h"
#include "client/prioctl/forecast/score_text.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl forecast backtest FILE...`, or `prioctl forecast backtest --ledger`
struct BacktestOptions {
  std::vector<std::string> files;  // `-` = standard input; empty with `ledger`
  bool ledger = false;
  std::optional<absl::Time> ledger_from;  // Records that end then or later; unset = all.
  double cpus = 0;                        // 0 = as the files say, or the greatest load.
  bool json = false;
};

constexpr absl::Duration kBetweenProgress = absl::Milliseconds(200);

constexpr char kBacktestFooter[] =
    "\nNo server is asked, except with --ledger, and nothing is changed. A FILE is a trace in the\n"
    "Standard Workload Format, what sacct -P with a heading or sacct --json printed, or what\n"
    "priorityd-collect --dry-run --json prints of another batch system's log. Each forecast knows\n"
    "only what had happened before its job was submitted. --json prints a line for each job, in\n"
    "the order of submission: jobId, submitTime, q10 to q90 and startTime; times are Unix "
    "seconds,\n"
    "quantiles are seconds after the submission. docs/forecasts.md explains the method.";

absl::Status CheckOptions(const BacktestOptions& options) {
  if (options.ledger != options.files.empty()) {
    return OptionError(options.ledger ? "--ledger: got it with FILE, want one of them"
                                      : "FILE: got none, want a file, - or --ledger");
  }
  if (options.ledger_from.has_value() && !options.ledger) {
    return OptionError("--ledger-from: got it without --ledger, want both");
  }
  return absl::OkStatus();
}

std::vector<forecast::BacktestLine> RunBacktest(const RecordedJobs& recorded, double cpus,
                                                ProgressBar* bar) {
  const absl::Time begin = absl::Now();
  const auto all = static_cast<int64_t>(recorded.jobs.size());
  absl::Time shown = absl::InfinitePast();
  const auto show = [&](size_t lines) {
    const absl::Time now = absl::Now();
    if (now < shown + kBetweenProgress) return;
    shown = now;
    const auto done = static_cast<int64_t>(lines);
    bar->Show(done, all,
              absl::StrCat(CountText(done), " of ", CountText(all), " jobs forecast, ",
                           TimeLeftText(done, all, now - begin)));
  };
  return forecast::Backtest(recorded.jobs, {.capacity = cpus > 0 ? cpus : recorded.cpus}, show);
}

absl::Status Run(const BacktestOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status checked = CheckOptions(options); !checked.ok()) return checked;
  ProgressBar bar(&console.err, console.err_is_terminal);
  bar.Show(0, 0, "reading the history");
  const auto recorded =
      options.ledger ? ReadLedger(options.ledger_from, client) : ReadFiles(options.files);
  if (!recorded.ok()) return recorded.status();
  if (recorded->jobs.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.ledger ? "--ledger" : options.files.front(), ": got no job, want some"));
  }
  const auto lines = RunBacktest(*recorded, options.cpus, &bar);
  bar.Clear();
  for (const std::string& note : recorded->notes) console.err << "note: " << note << '\n';
  if (!options.json) {
    PrintScore(recorded->jobs, lines, console.out);
    return absl::OkStatus();
  }
  for (const auto& line : lines) console.out << LineJson(recorded->jobs[line.job], line) << '\n';
  return absl::OkStatus();
}

void AddBacktest(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BacktestOptions>(app, line, Run);
  app->add_option("FILE", options->files, "Job history; - = standard input")->type_name("");
  app->add_flag("--ledger", options->ledger, "Instead: the jobs that the server's ledger knows");
  AddTime(app, "--ledger-from", options->ledger_from,
          "Read jobs that ended at this time or later; default all of the ledger");
  app->add_option("--cpus", options->cpus,
                  "CPUs of the cluster; default as in the history, otherwise its greatest load")
      ->check(NumberBetween(1, 1e9))
      ->type_name("N");
  AddJson(app, options->json);
  app->footer(kBacktestFooter);
}

}  // namespace

const Command kForecastBacktestCommand = {
    "backtest", "What forecasts of a history's jobs would have been, and how they would have held",
    AddBacktest};

}  // namespace priorityd::prioctl
