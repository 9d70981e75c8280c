#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/forecast/commands.h"
#include "client/prioctl/forecast/read_history.h"
#include "client/prioctl/forecast/recorded_jobs.h"
#include "client/prioctl/forecast/time_limit_option.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/wait_text.h"
#include "client/priority_client.h"
#include "engine/forecast/job_class.h"
#include "engine/forecast/waits_by_hour.h"

namespace priorityd::prioctl {
namespace {

// `prioctl forecast hours`, or `prioctl forecast hours FILE...`
struct HoursOptions {
  std::vector<std::string> files;         // None = the ledger.
  std::optional<absl::Time> ledger_from;  // Unset = four weeks ago.
  // Of the jobs that count; unset or empty = any.
  double cpus = 0;  // 0 = any.
  std::optional<absl::Duration> time_limit;
  std::string account;
  std::string partition;
  std::string qos;
};

// Fewer submissions say little of the next one.
constexpr int64_t kFewest = 10;
constexpr absl::Duration kLedger = absl::Hours(4 * 7 * 24);

constexpr char kHoursFooter[] =
    "\nWithout FILE it reads what of the ledger ended in the last four weeks; for FILE see\n"
    "`prioctl forecast backtest --help`. --cpus and --time select jobs of the same class of size\n"
    "and of time limit, such as 17-64 CPUs and 1-4 h. Hours are of your time zone.";

bool Matches(const std::string& wanted, const std::string& name) {
  return wanted.empty() || wanted == name;
}

// Whether a job is one of those that the options describe.
bool IsLike(const HoursOptions& options, const forecast::Job& job) {
  forecast::Job wanted;
  wanted.cpus = options.cpus;
  if (options.time_limit.has_value()) wanted.limit = absl::ToDoubleSeconds(*options.time_limit);
  const bool has_size =
      options.cpus == 0 || forecast::SizeClass(job) == forecast::SizeClass(wanted);
  const bool has_limit =
      !options.time_limit.has_value() || forecast::LimitClass(job) == forecast::LimitClass(wanted);
  return has_size && has_limit && Matches(options.account, job.account) &&
         Matches(options.partition, job.partition) && Matches(options.qos, job.qos);
}

std::string TextOf(const forecast::TypicalWait& waits, std::optional<double> seconds) {
  if (waits.count < kFewest) return "-";
  return seconds.has_value() ? WaitText(absl::Seconds(*seconds)) : "not seen";
}

void AddRow(const std::string& name, const forecast::TypicalWait& waits, Table* table) {
  table->AddRow(
      {name, CountText(waits.count), TextOf(waits, waits.half), TextOf(waits, waits.nine_of_ten)});
}

void Print(const forecast::WaitsByHour& waits, std::ostream& out) {
  Table table({{"SUBMITTED"}, {"JOBS", true}, {"HALF WITHIN"}, {"NINE OF TEN WITHIN"}});
  for (size_t hour = 0; hour < forecast::kHours; ++hour) {
    const int from = static_cast<int>(hour);
    AddRow(absl::StrFormat("%02d:00-%02d:00", from, from + 1), waits.hours[hour], &table);
  }
  AddRow("any hour", waits.all, &table);
  table.Print(out);
  out << "\nThis is what happened, and no forecast. Jobs of one user in one second count once; a\n"
         "row of fewer than "
      << kFewest << " has no times.\n";
}

absl::Status Run(const HoursOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.ledger_from.has_value() && !options.files.empty()) {
    return absl::InvalidArgumentError("--ledger-from: got it with FILE, want one of them");
  }
  const auto recorded =
      options.files.empty()
          ? ReadLedger(options.ledger_from.value_or(absl::Now() - kLedger), client)
          : ReadFiles(options.files);
  if (!recorded.ok()) return recorded.status();
  const auto is_like = [&](const forecast::Job& job) { return IsLike(options, job); };
  if (absl::c_none_of(recorded->jobs, [&](const auto& one) { return is_like(one.job); })) {
    return absl::NotFoundError("got no such job, want some in the history");
  }
  for (const std::string& note : recorded->notes) console.err << "note: " << note << '\n';
  const absl::TimeZone zone = absl::LocalTimeZone();
  Print(forecast::FindWaitsByHour(
            recorded->jobs, is_like,
            [&](forecast::Seconds time) {
              return absl::ToCivilSecond(absl::FromUnixSeconds(time), zone).hour();
            }),
        console.out);
  return absl::OkStatus();
}

void AddHours(CLI::App* app, CommandLine& line) {
  auto options = Adopt<HoursOptions>(app, line, Run);
  app->add_option("FILE", options->files, "Job history; - = standard input")->type_name("");
  AddTime(app, "--ledger-from", options->ledger_from,
          "Read what ended at this time or later; default four weeks ago");
  app->add_option("--cpus", options->cpus, "Only jobs of about so many CPUs")
      ->check(NumberBetween(1, 1e9))
      ->type_name("COUNT");
  AddTimeLimit(app, "Only jobs of about this time limit", options->time_limit);
  app->add_option("--account", options->account, "Only jobs of this account")->type_name("NAME");
  app->add_option("--partition", options->partition, "Only jobs of this partition")
      ->type_name("NAME");
  app->add_option("--qos", options->qos, "Only jobs of this QOS")->type_name("NAME");
  app->footer(kHoursFooter);
}

}  // namespace

const Command kForecastHoursCommand = {
    "hours", "How long jobs waited, by the hour at which they were submitted", AddHours};

}  // namespace priorityd::prioctl
