// batch_frontend: a small batch scheduler on priorityd's client library.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/examples/batch_frontend/draw.h"
#include "client/examples/batch_frontend/event_log.h"
#include "client/examples/batch_frontend/options.h"
#include "client/examples/batch_frontend/player.h"
#include "client/examples/batch_frontend/remote_cluster.h"
#include "client/examples/batch_frontend/report.h"
#include "client/examples/batch_frontend/site_files.h"
#include "client/examples/batch_frontend/summary.h"
#include "client/examples/batch_frontend/workload.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/swf/swf.h"

namespace priorityd::batch_frontend {
namespace {

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  return content;
}

// Does nothing if `path` is empty.
absl::Status WriteFile(const std::string& path, const std::string& content) {
  if (path.empty()) return absl::OkStatus();
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  return file ? absl::OkStatus() : absl::UnknownError(absl::StrCat(path, ": cannot be written"));
}

absl::StatusOr<std::vector<Job>> ReadJobs(const Options& options) {
  auto text = ReadFile(options.trace);
  if (!text.ok()) return text.status();
  auto trace = swf::ParseSwf(*text);
  if (!trace.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(options.trace, " ", trace.status().message()));
  }
  std::vector<Job> jobs = MakeWorkload(trace->jobs, options.workload);
  if (jobs.empty()) return absl::InvalidArgumentError(absl::StrCat(options.trace, ": no jobs"));
  return jobs;
}

// The site's own files, or files made for the jobs.
absl::Status ImportSite(const Options& options, const std::vector<Job>& jobs,
                        RemoteCluster* cluster) {
  absl::StatusOr<std::string> conf =
      options.slurm_conf.empty() ? SlurmConf(options.site) : ReadFile(options.slurm_conf);
  absl::StatusOr<std::string> dump =
      options.dump.empty() ? SacctmgrDump(options.site.cluster, jobs) : ReadFile(options.dump);
  if (!conf.ok()) return conf.status();
  if (!dump.ok()) return dump.status();
  return cluster->Import(*conf, *dump);
}

absl::Status Report(const Options& options, const std::vector<Job>& jobs, const Played& played,
                    absl::Duration half_life) {
  absl::Duration window = absl::Hours(options.demand_window_hours);
  if (window == absl::ZeroDuration()) window = half_life;
  const Summary summary =
      Summarize(jobs, played, int64_t{options.play.nodes} * options.play.cpus_per_node, window);
  std::cout << (options.json ? ToJson(summary) : ToTable(summary)) << std::flush;
  absl::Status status = WriteFile(options.csv, ToCsv(played.samples, window));
  status.Update(WriteFile(options.events, EventLog(jobs, played.jobs)));
  if (!options.svg.empty()) status.Update(Draw(played.samples, summary, options.svg));
  return status;
}

void PrintCalls(const RemoteCluster& cluster) {
  for (const auto& [name, count] : cluster.calls()) {
    std::cerr << name << ": " << count.calls << " calls, " << absl::FormatDuration(count.time)
              << ", " << absl::FormatDuration(count.time / count.calls) << " each\n";
  }
}

absl::Status Run(const Options& options) {
  const auto jobs = ReadJobs(options);
  if (!jobs.ok()) return jobs.status();
  const client::PriorityClient client({.address = options.server, .cluster = options.site.cluster});
  RemoteCluster cluster(&client);
  if (absl::Status status = ImportSite(options, *jobs, &cluster); !status.ok()) return status;
  const auto played = Player(&cluster, &*jobs, options.play).Play();
  if (options.show_calls) PrintCalls(cluster);
  if (!played.ok()) return played.status();
  return Report(options, *jobs, *played, cluster.half_life());
}

}  // namespace

int Main(int argc, char** argv) {
  const auto parsed = ParseOptions(argc, argv);
  if (const auto* exit = std::get_if<Exit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  const absl::Status status = Run(std::get<Options>(parsed));
  if (status.ok()) return 0;
  std::cerr << "batch_frontend: " << client::Describe(status) << '\n';
  return 1;
}

}  // namespace priorityd::batch_frontend

int main(int argc, char** argv) { return priorityd::batch_frontend::Main(argc, argv); }
