#include "tests/slurm/document_sites.h"

#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/slurm/captured_site.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

constexpr char kDumpOfNodes[] =
    "Cluster - 'nodes':Fairshare=1\n"
    "Parent - 'root'\n"
    "Account - 'stars':Fairshare=1\n"
    "Parent - 'stars'\n"
    "User - 'ann':DefaultAccount='stars':Fairshare=1\n";

// As tests/slurm/nodes submits them.
constexpr char kJobsOnNodes[] =
    R"({"jobId":"1","user":"ann","partitions":["main"],"cpus":3,"tres":{"mem":1000},"timeLimit":"1200s",)"
    R"("state":"JOB_STATE_RUNNING","startTime":"2026-11-22T12:00:00Z","nodeList":"n1"})"
    "\n"
    R"({"jobId":"2","user":"ann","partitions":["gpu"],"cpus":8,"tres":{"mem":2000,"gres/gpu":1},)"
    R"("timeLimit":"1200s","state":"JOB_STATE_RUNNING","startTime":"2026-11-22T12:00:00Z","nodeList":"n2"})"
    "\n";

Finished Run(const std::string& cluster, const std::string& tool,
             std::vector<std::string> arguments, const std::string& in) {
  arguments.insert(arguments.begin(),
                   {"--server", SharedPriorityd().address(), "--cluster", cluster});
  return RunPrioctl(arguments, in, tool);
}

void Must(const std::string& cluster, const std::vector<std::string>& arguments,
          const std::string& in = "") {
  const Finished run = Run(cluster, "prioctl", arguments, in);
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

void Import(const std::string& cluster, const std::string& conf, const std::string& dump) {
  Must(cluster, {"import", "slurm-conf", conf});
  Must(cluster, {"import", "sacctmgr", dump});
  Must(cluster, {"recalculate"});
}

void Build(const std::string& site) {
  if (site == "nodes") {
    Import(site, "tests/slurm/captured/nodes.conf", WriteFile("nodes.dump", kDumpOfNodes));
    Must(site, {"queue", "update", "-"}, kJobsOnNodes);
  } else {
    Import(site, "tests/slurm/cavium.conf", "tests/slurm/cavium.cfg");
  }
}

}  // namespace

Finished RunOnDocumentSite(const std::string& site, const std::string& tool,
                           const std::vector<std::string>& arguments, const std::string& in) {
  if (site == "lab") return RunOnCapturedSite(tool, arguments, in);
  static std::set<std::string>& built = *new std::set<std::string>;
  if (built.insert(site).second) Build(site);
  return Run(site, tool, arguments, in);
}

}  // namespace priorityd
