#include "client/prioctl/slurm/seff.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/slurm/accounting_text.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr char kNotReported[] = "not reported";

// 1.17 GB, of MiB.
std::string MemoryText(double megabytes) {
  constexpr const char* kUnits[] = {"KB", "MB", "GB", "TB", "PB"};
  double count = megabytes * 1024;
  size_t unit = 0;
  for (; count >= 1024 && unit + 1 < std::size(kUnits); ++unit) count /= 1024;
  return absl::StrFormat("%.2f %s", count, kUnits[unit]);
}

std::string StateLine(const v1::JobAccounting& accounting) {
  if (accounting.state().empty()) return kNotReported;
  if (!accounting.has_exit_code()) return accounting.state();
  const std::string signal =
      accounting.exit_signal() == 0 ? "" : absl::StrCat(", signal ", accounting.exit_signal());
  return absl::StrCat(accounting.state(), " (exit code ", accounting.exit_code(), signal, ")");
}

std::string CpuLines(const tables::JobRun& run) {
  const double held = run.Held("cpu") * run.Seconds();
  if (!run.accounting.has_total_cpu()) {
    return absl::StrCat("CPU Utilized: ", kNotReported, "\nCPU Efficiency: ", kNotReported, " of ",
                        ElapsedText(held), " core-walltime\n");
  }
  const std::string efficiency =
      run.CpuEfficiency() < 0 ? absl::StrCat("not known: it held no CPU time")
                              : absl::StrFormat("%.2f%% of %s core-walltime",
                                                100 * run.CpuEfficiency(), ElapsedText(held));
  return absl::StrCat("CPU Utilized: ", ElapsedText(tables::TotalCpuSeconds(run.accounting)),
                      "\nCPU Efficiency: ", efficiency, "\n");
}

std::string MemoryLines(const tables::JobRun& run) {
  const bool nodes = run.Held("node") > 1;
  const std::string held =
      run.NodeMemory() <= 0 ? "memory that was not reported"
                            : absl::StrCat(MemoryText(run.NodeMemory()), nodes ? " per node" : "");
  if (!run.accounting.has_max_rss()) {
    return absl::StrCat("Memory Utilized: ", kNotReported, "\nMemory Efficiency: ", kNotReported,
                        " of ", held, "\n");
  }
  const std::string efficiency =
      run.MemoryEfficiency() < 0
          ? absl::StrCat(kNotReported, " of ", held)
          : absl::StrFormat("%.2f%% of %s", 100 * run.MemoryEfficiency(), held);
  return absl::StrCat("Memory Utilized: ", MemoryText(run.accounting.max_rss()),
                      " (highest of a task)\nMemory Efficiency: ", efficiency, "\n");
}

std::string SizeLines(const tables::JobRun& run) {
  const double cpus = run.Held("cpu"), nodes = std::max(1.0, run.Held("node"));
  if (cpus <= 0) return "Cores: not reported\n";
  if (nodes == 1) return absl::StrCat("Cores: ", NumberText(cpus), "\n");
  return absl::StrCat("Nodes: ", NumberText(nodes), "\nCores per node: ", NumberText(cpus / nodes),
                      "\n");
}

}  // namespace

void PrintSeff(const tables::JobRun& run, const std::string& cluster, std::ostream& out) {
  const v1::UsageRecord& record = run.last.record();
  out << absl::StrCat("Job ID: ", record.job_id(), "\nCluster: ", cluster,
                      "\nUser: ", record.user(), "\nAccount: ", run.last.account(),
                      "\nState: ", StateLine(run.accounting), "\n", SizeLines(run), CpuLines(run),
                      "Job Wall-clock time: ", ElapsedText(run.Seconds()), "\n", MemoryLines(run));
  if (run.accounting.state() == "RUNNING" || run.accounting.state() == "SUSPENDED") {
    out << "It has not ended: this is until " << TimeText(ToTimestamp(run.end)) << "\n";
  }
}

namespace {

// `prioctl seff JOBID`
struct SeffOptions {
  std::string job_id;
  bool json = false;
};

// Of a job that ran several times the last run, and how many there were; of jobs of several sources
// each. NOT_FOUND: the ledger has no record of it that the caller is shown.
absl::Status Run(const SeffOptions& options, const client::PriorityClient& client,
                 Console& console) {
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  v1::ListUsageRecordsRequest request;
  request.add_job_ids(options.job_id);
  request.set_with_job(true);
  auto records = client.ListAllUsageRecords(request, kAll);
  if (records.ok() && records->records().empty()) {
    request.set_with_job(false);
    records = client.ListAllUsageRecords(request, kAll);
  }
  if (!records.ok()) return records.status();
  if (records->records().empty()) {
    return absl::NotFoundError(absl::StrCat("job ", options.job_id,
                                            ": got no record of it in the ledger, want a job that "
                                            "was charged and is not rolled up"));
  }
  if (options.json) return PrintJson(*records, console.out);
  std::map<std::string, std::vector<tables::JobRun>> by_source;
  for (tables::JobRun& run : tables::RunsOf(records->records())) {
    by_source[run.last.record().source()].push_back(std::move(run));
  }
  for (const auto& [source, runs] : by_source) {
    PrintSeff(runs.back(), records->cluster(), console.out);
    if (runs.size() > 1) console.out << absl::StrCat("The last of ", runs.size(), " runs\n");
    if (by_source.size() > 1) console.out << absl::StrCat("As ", source, " reports\n\n");
  }
  return absl::OkStatus();
}

void AddSeffOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<SeffOptions>(app, line, Run);
  app->add_option("JOBID", options->job_id, "Which job")->required()->type_name("");
  AddClusters(app, line);
  AddJson(app, options->json);
}

}  // namespace

const Command kSeffCommand = {
    "seff", "How a job used its CPUs and memory, as Slurm's seff shows it", AddSeffOptions};

}  // namespace priorityd::prioctl
