#include "tests/slurm/captured_site.h"

#include <gtest/gtest.h>

#include "tests/end_to_end/shared_priorityd.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

Finished Run(const std::string& tool, std::vector<std::string> arguments, const std::string& in) {
  arguments.insert(arguments.begin(),
                   {"--server", SharedPriorityd().address(), "--cluster", "lab"});
  return RunPrioctl(arguments, in, tool);
}

void Import(const std::string& kind, const std::string& path) {
  const Finished run = Run("prioctl", {"import", kind, path}, "");
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

// What `sshare -a -m -P` printed, which has the usage.
std::string CapturedUsage() {
  for (const TranscriptEntry& entry : ReadTranscript("sshare.txt")) {
    if (entry.command == "sshare -a -m -P") return entry.out;
  }
  ADD_FAILURE() << "not captured";
  return "";
}

bool ImportCapturedSite() {
  const std::string folder = "tests/slurm/captured/";
  Import("slurm-conf", folder + "slurm.conf");
  Import("qos", folder + "qos.txt");
  Import("sacctmgr", folder + "dump.cfg");
  Import("sshare", WriteFile("sshare.table", CapturedUsage()));
  EXPECT_EQ(Run("prioctl", {"recalculate"}, "").exit_code, 0);
  return true;
}

}  // namespace

Finished RunOnCapturedSite(const std::string& tool, const std::vector<std::string>& arguments,
                           const std::string& in) {
  static const bool imported = ImportCapturedSite();
  EXPECT_TRUE(imported);
  return Run(tool, arguments, in);
}

}  // namespace priorityd
