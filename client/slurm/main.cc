// priorityd-slurm: priorityd beside a running Slurm.
#include <iostream>
#include <variant>

#include "absl/time/clock.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/slurm/commands.h"
#include "client/slurm/driver.h"
#include "client/slurm/observer.h"
#include "client/slurm/options.h"
#include "client/slurm/pass_text.h"
#include "client/slurm/site_texts.h"
#include "client/slurm/tables/squeue_jobs.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr int kDiffers = 1;
constexpr int kFailed = 3;

void Complain(const absl::Status& status, const std::string& then) {
  std::cerr << "priorityd-slurm: " << client::Describe(status) << then << std::endl;
}

// The clusters that a pass could not read.
void WarnOfAway(const PassReport& report) {
  for (const std::string& why : report.away) {
    std::cerr << "priorityd-slurm: " << why << std::endl;
  }
}

void PrintPass(const PassReport& report, const Options& options) {
  if (options.json) {
    std::cout << PassJson(report) << std::flush;
    return;
  }
  for (const std::string& warning :
       report.site_taken ? report.warnings : std::vector<std::string>()) {
    std::cerr << "priorityd-slurm: warning: " << warning << '\n';
  }
  std::cout << PassTable(report, options.observer.zone, options.most_rows) << std::flush;
}

int Observe(const Options& options, const client::PriorityClient& client) {
  Observer observer(options.observer, &client, MakeRunCommand(options.commands));
  while (true) {
    const absl::Time next = absl::Now() + options.interval;
    const absl::StatusOr<PassReport> report = observer.Pass();
    if (report.ok()) {
      WarnOfAway(*report);
      PrintPass(*report, options);
    } else {
      Complain(report.status(), options.once ? "" : "; retrying with the next pass");
    }
    if (options.once && !report.ok()) return kFailed;
    if (options.once) return report->comparison.differences.empty() ? 0 : kDiffers;
    absl::SleepFor(next - absl::Now());
  }
}

// Whether scontrol accepted every command.
bool PrintSet(const DriveReport& report, bool dry_run) {
  for (const std::string& line : dry_run ? report.set : std::vector<std::string>()) {
    std::cout << "scontrol " << line << '\n';
  }
  std::cout << report.ordered << " jobs in order, " << report.set.size()
            << (dry_run ? " would be set, " : " set, ") << report.by_hand
            << " left alone as set by hand, " << report.left << " left for the next pass"
            << std::endl;
  for (const std::string& error : report.errors) {
    std::cerr << "priorityd-slurm: " << error << std::endl;
  }
  return report.errors.empty();
}

int Drive(const Options& options, const client::PriorityClient& client) {
  const RunCommand run = MakeRunCommand(options.commands);
  Driver driver(options.drive, run, absl::SleepFor);
  if (absl::Status loaded = driver.Load(); !loaded.ok()) {
    Complain(loaded, "");
    return kFailed;
  }
  ObserverOptions following = options.observer;
  following.restore = [&](const DriveInput& input, auto* jobs) { driver.Restore(input, jobs); };
  Observer observer(following, &client, run);
  while (true) {
    const absl::Time next = absl::Now() + options.interval;
    const absl::StatusOr<PassReport> pass = observer.Pass();
    if (pass.ok()) WarnOfAway(*pass);
    auto report = pass.ok() ? driver.Drive(pass->order, pass->drive)
                            : absl::StatusOr<DriveReport>(pass.status());
    if (report.ok()) {
      PrintSet(*report, options.drive.dry_run);
    } else {
      Complain(report.status(), options.once ? "" : "; retrying with the next pass");
    }
    if (options.once) return report.ok() ? 0 : kFailed;
    absl::SleepFor(next - absl::Now());
  }
}

absl::StatusOr<DriveReport> GiveBack(const Options& options) {
  const RunCommand run = MakeRunCommand(options.commands);
  Driver driver(options.drive, run, absl::SleepFor);
  if (absl::Status loaded = driver.Load(); !loaded.ok()) return loaded;
  const absl::StatusOr<std::string> queue = ReadQueue(run);
  if (!queue.ok()) return queue.status();
  auto jobs = tables::ReadSqueuePriorities("squeue", *queue);
  if (!jobs.ok()) return jobs.status();
  return driver.Release({*std::move(jobs), {}, false});
}

int Release(const Options& options) {
  const absl::StatusOr<DriveReport> report = GiveBack(options);
  if (!report.ok()) {
    Complain(report.status(), "");
    return kFailed;
  }
  return PrintSet(*report, options.drive.dry_run) ? 0 : kFailed;
}

int Main(int argc, char** argv) {
  const auto parsed = ParseOptions(argc, argv);
  if (const auto* exit = std::get_if<Exit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text << std::flush;
    if (std::cout.good()) return exit->code;
    std::cerr << "priorityd-slurm: standard output: cannot be written\n";
    return kFailed;
  }
  const Options& options = std::get<Options>(parsed);
  if (options.verb == Verb::kRelease) return Release(options);
  const auto credentials = client::MakeChannelCredentials(options.tls);
  if (!credentials.ok()) {
    Complain(credentials.status(), "");
    return kFailed;
  }
  const client::PriorityClient client({.address = options.server,
                                       .deadline = options.timeout,
                                       .credentials = *credentials,
                                       .authorize = client::MakeAuthorize(options.proof)});
  return options.verb == Verb::kObserve ? Observe(options, client) : Drive(options, client);
}

}  // namespace
}  // namespace priorityd::slurm_frontend

int main(int argc, char** argv) { return priorityd::slurm_frontend::Main(argc, argv); }
