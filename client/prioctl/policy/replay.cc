#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/policy/replay_options.h"
#include "client/prioctl/policy/replay_text.h"
#include "client/prioctl/replay/grants_text.h"
#include "client/prioctl/replay/ledger_history.h"
#include "client/prioctl/replay/policy_text.h"
#include "client/prioctl/replay/report_json.h"
#include "client/prioctl/replay/report_svg.h"
#include "client/prioctl/replay/sacct_history.h"
#include "client/prioctl/replay/site_text.h"
#include "client/prioctl/replay/swf_history.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/timestamp.h"
#include "engine/grants/price_lines.h"
#include "engine/laboratory/machine.h"
#include "priority/v1/usage.pb.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// About a gigabyte.
constexpr int64_t kMostLedgerRecords = 2'000'000;
constexpr absl::Duration kBetweenBars = absl::Milliseconds(200);

absl::StatusOr<std::vector<slurm::SourceFile>> ReadConf(const std::string& path) {
  auto files = ReadSlurmConf(path);
  if (!files.ok()) return files.status();
  std::vector<slurm::SourceFile> sources;
  for (const auto& file : *files) sources.push_back({file.name(), file.content()});
  return sources;
}

absl::StatusOr<slurm::SourceFile> ReadSource(const std::string& path) {
  auto content = ReadFile(path);
  if (!content.ok()) return content.status();
  return slurm::SourceFile{path, *std::move(content)};
}

// `given`, else a file of that name in --site, if it is there; empty = none.
std::string PathOf(const std::string& given, const ReplayOptions& options, const char* name) {
  if (!given.empty() || options.site.empty()) return given;
  const std::filesystem::path path = std::filesystem::path(options.site) / name;
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : "";
}

absl::StatusOr<replay::SiteTexts> ReadSite(const ReplayOptions& options) {
  replay::SiteTexts texts{.nodes = options.nodes,
                          .cpus_per_node = options.cpus_per_node == 0 ? 1 : options.cpus_per_node};
  const std::string conf = PathOf(options.slurm_conf, options, "slurm.conf");
  if (conf.empty() && !options.site.empty()) {
    return absl::NotFoundError(absl::StrCat(options.site,
                                            ": got no slurm.conf, want a folder "
                                            "with one"));
  }
  if (!conf.empty()) {
    auto files = ReadConf(conf);
    if (!files.ok()) return files.status();
    texts.slurm_conf = *std::move(files);
  }
  const std::pair<std::string, std::optional<slurm::SourceFile>*> tables[] = {
      {PathOf(options.dump, options, "sacctmgr.dump"), &texts.dump},
      {PathOf(options.qos, options, "qos.txt"), &texts.qos}};
  for (const auto& [path, text] : tables) {
    if (path.empty()) continue;
    auto file = ReadSource(path);
    if (!file.ok()) return file.status();
    *text = *std::move(file);
  }
  return texts;
}

using Conf = std::vector<slurm::SourceFile>;

// Completes the site from the server's where no file describes it, and the file of price books.
// Nodes of the options replace those of the server's slurm.conf, whose policy remains in force.
absl::Status AddServersSite(const client::PriorityClient& client, replay::SiteTexts* texts,
                            Conf* in_force, std::optional<slurm::SourceFile>* prices) {
  const auto site = client.Export({});
  if (!site.ok()) return site.status();
  const bool has_conf = !in_force->empty();
  for (const v1::File& file : site->files()) {
    slurm::SourceFile source{file.name(), file.content()};
    if (file.kind() == v1::FILE_KIND_SLURM_CONF) {
      if (!has_conf) in_force->push_back(std::move(source));
    } else if (file.kind() == v1::FILE_KIND_SACCTMGR_DUMP && !texts->dump.has_value()) {
      texts->dump = std::move(source);
    } else if (file.kind() == v1::FILE_KIND_QOS && !texts->qos.has_value()) {
      texts->qos = std::move(source);
    } else if (file.kind() == v1::FILE_KIND_PRIORITYD && !prices->has_value()) {
      *prices = std::move(source);
    }
  }
  if (texts->nodes == 0) texts->slurm_conf = *in_force;
  return absl::OkStatus();
}

absl::StatusOr<replay::History> ReadLedger(const ReplayOptions& options,
                                           const client::PriorityClient& client,
                                           std::vector<std::string>* notes) {
  v1::ListUsageRecordsRequest request;
  if (options.ledger_from.has_value()) {
    *request.mutable_ended_from() = client::ToTimestamp(*options.ledger_from);
  }
  const auto records = client.ListAllUsageRecords(request, kMostLedgerRecords);
  if (!records.ok()) return records.status();
  if (records->records_size() <= kMostLedgerRecords) {
    return replay::LedgerHistory(*records, notes);
  }
  return absl::InvalidArgumentError(absl::StrCat("--ledger: got more than ", kMostLedgerRecords,
                                                 " records, want a later --ledger-from"));
}

absl::StatusOr<replay::History> ReadHistoryFile(const ReplayOptions& options) {
  const auto content = ReadFile(options.history);
  if (!content.ok()) return content.status();
  const std::string name = options.history == "-" ? "standard input" : options.history;
  if (!replay::IsSwf(*content)) {
    return replay::ReadSacctHistory(name, *content, absl::LocalTimeZone());
  }
  return replay::ReadSwfHistory(name, *content, options.cpus_per_node);
}

absl::StatusOr<replay::History> ReadHistory(const ReplayOptions& options,
                                            const client::PriorityClient& client,
                                            std::vector<std::string>* notes) {
  auto history = options.ledger ? ReadLedger(options, client, notes) : ReadHistoryFile(options);
  if (!history.ok()) return history.status();
  replay::LeaveOutWithoutUser(&*history);
  if (absl::Status s = replay::CheckBounds(*history); !s.ok()) return s;
  if (options.load_factor != 1) replay::Compress(options.load_factor, &*history);
  if (options.to.has_value()) replay::CutAt(*options.to, &*history);
  if (!history->jobs.empty()) return history;
  return absl::InvalidArgumentError(
      absl::StrCat(history->name, ": got no job that ran, want some"));
}

absl::StatusOr<std::vector<replay::Trial>> ReadTrials(const ReplayOptions& options,
                                                      const Conf& in_force,
                                                      std::vector<std::string>* notes) {
  const replay::PlanningGiven given{options.backfill, options.max_jobs, options.window};
  const absl::Time from = options.from.value_or(absl::InfinitePast());
  std::vector<replay::Trial> trials;
  std::vector<Conf> policies;
  for (const std::string& path : options.policies) {
    auto files = ReadConf(path);
    if (!files.ok()) return files.status();
    if (absl::Status s = CheckHasLines(path, files->front().content); !s.ok()) return s;
    policies.push_back(*std::move(files));
  }
  if (policies.empty() && !in_force.empty()) policies.push_back(in_force);
  for (const auto& files : policies) {
    auto trial = replay::ReadTrial(files, given, from, notes);
    if (!trial.ok()) return trial.status();
    trials.push_back(*std::move(trial));
  }
  if (trials.empty()) trials.push_back(replay::FifoTrial(given, from));
  return trials;
}

// After each trial the same one with the grants. `prices`: the file of their price books.
absl::Status AddGrants(const ReplayOptions& options, const laboratory::Site& site,
                       const replay::History& history,
                       const std::optional<slurm::SourceFile>& prices,
                       std::vector<replay::Trial>* trials) {
  if (options.grants.empty()) return absl::OkStatus();
  const auto file = ReadSource(options.grants);
  if (!file.ok()) return file.status();
  const auto books = grants::ReadPriceBooks(prices.value_or(slurm::SourceFile()));
  if (!books.ok()) return books.status();
  std::vector<replay::Trial> all;
  for (replay::Trial& trial : *trials) {
    replay::Trial granted = trial;
    auto grants = replay::ReadGrants(*file, site, *books, trial.options.policy.time_zone,
                                     history.jobs.front().eligible);
    if (!grants.ok()) return grants.status();
    granted.name = absl::StrCat(trial.name, "+grants");
    granted.options.grants = *std::move(grants);
    granted.options.prices = *books;
    all.push_back(std::move(trial));
    all.push_back(std::move(granted));
  }
  *trials = std::move(all);
  return absl::OkStatus();
}

absl::Status CheckOptions(const ReplayOptions& options) {
  if (options.ledger != options.history.empty()) {
    return OptionError(options.ledger ? "--ledger: got it with HISTORY, want one of them"
                                      : "HISTORY: got none, want a file, - or --ledger");
  }
  if (options.ledger_from.has_value() && !options.ledger) {
    return OptionError("--ledger-from: got it without --ledger, want both");
  }
  if (options.from.has_value() && options.to.has_value() && *options.to <= *options.from) {
    return OptionError("--to: got a time not after --from, want a later one");
  }
  if (!options.prices.empty() && options.grants.empty()) {
    return OptionError("--prices: got it without --grants, want both");
  }
  // Jobs before --from start as recorded; --load-factor changes all recorded times.
  if (options.from.has_value() && options.load_factor != 1) {
    return OptionError("--load-factor: got it with --from, want one of them");
  }
  return absl::OkStatus();
}

absl::Status WriteFile(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  return file ? absl::OkStatus() : absl::UnknownError(absl::StrCat(path, ": cannot be written"));
}

// Refuses a --from after which no job started.
absl::Status CheckPeriod(const replay::History& history, const ReplayOptions& options) {
  if (!options.from.has_value()) return absl::OkStatus();
  for (const laboratory::HistoryJob& job : history.jobs) {
    if (job.start >= *options.from) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(history.name, ": got no job that started at --from or later, want some"));
}

// Makes the report, with the jobs that have started and the time left on the bar.
replay::Report PlayAll(const laboratory::Site& site, const replay::History& history,
                       const std::vector<replay::Trial>& trials, const ReplayOptions& options,
                       ProgressBar* bar, laboratory::Played* first_played) {
  const absl::Time begin = absl::Now();
  absl::Time shown = absl::InfinitePast();
  const auto show = [&](int64_t started, int64_t all) {
    const absl::Time now = absl::Now();
    if (now < shown + kBetweenBars) return;
    shown = now;
    bar->Show(started, all,
              absl::StrCat(CountText(started), " of ", CountText(all), " jobs played, ",
                           TimeLeftText(started, all, now - begin)));
  };
  return replay::MakeReport(site, history, trials,
                            {.from = options.from.value_or(absl::InfinitePast()),
                             .load_factor = options.load_factor,
                             .forecasts = options.forecast},
                            first_played, show);
}

absl::Status Run(const ReplayOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status checked = CheckOptions(options); !checked.ok()) return checked;
  ProgressBar bar(&console.err, console.err_is_terminal);
  bar.Show(0, 0, "reading the history");
  std::vector<std::string> notes;
  auto history = ReadHistory(options, client, &notes);
  if (!history.ok()) return history.status();
  if (absl::Status checked = CheckPeriod(*history, options); !checked.ok()) return checked;
  auto texts = ReadSite(options);
  if (!texts.ok()) return texts.status();
  Conf in_force = texts->slurm_conf;
  std::optional<slurm::SourceFile> prices;
  if (!options.prices.empty()) {
    auto file = ReadSource(options.prices);
    if (!file.ok()) return file.status();
    prices = *std::move(file);
  }
  if (options.ledger) {
    absl::Status added = AddServersSite(client, &*texts, &in_force, &prices);
    if (!added.ok()) return added;
  }
  const auto site = replay::MakeSite(*texts, &*history, &notes);
  if (!site.ok()) return site.status();
  auto trials = ReadTrials(options, in_force, &notes);
  if (!trials.ok()) return trials.status();
  if (absl::Status s = AddGrants(options, *site, *history, prices, &*trials); !s.ok()) return s;
  laboratory::Played played;
  const absl::Time begin = absl::Now();
  replay::Report report = PlayAll(*site, *history, *trials, options, &bar, &played);
  bar.Clear();
  report.notes = std::move(notes);
  const absl::Duration took = absl::Now() - begin;
  absl::Status written;
  if (!options.svg.empty()) written = WriteFile(options.svg, replay::SvgText(report));
  if (!options.write_sacct.empty()) {
    written.Update(
        WriteFile(options.write_sacct,
                  replay::SacctText(history->jobs, played, laboratory::Machine(*site).node_names(),
                                    absl::LocalTimeZone())));
  }
  if (!written.ok()) return written;
  if (options.json) {
    console.out << replay::JsonText(report);
  } else {
    PrintReport(report, options.users, console.out);
    console.err << "played in " << absl::FormatDuration(absl::Trunc(took, absl::Milliseconds(1)))
                << '\n';
  }
  return absl::OkStatus();
}

void AddReplay(CLI::App* app, CommandLine& line) {
  AddReplayOptions(app, Adopt<ReplayOptions>(app, line, Run));
}

}  // namespace

const Command kPolicyReplayCommand = {
    "replay", "Replay job history under one or several policies, beside what happened", AddReplay};

}  // namespace priorityd::prioctl
