// sreport prints what Slurm's printed of the same jobs, character by character.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/slurm/transcript.h"

namespace priorityd {
namespace {

constexpr char kFolder[] = "tests/slurm/captured/";

Finished Run(const std::string& tool, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(),
                   {"--server", SharedPriorityd().address(), "--cluster", "orc"});
  return RunPrioctl(arguments, "", tool);
}

void MustRun(const std::string& tool, const std::vector<std::string>& arguments) {
  const Finished run = Run(tool, arguments);
  ASSERT_EQ(run.exit_code, 0) << tool << " " << absl::StrJoin(arguments, " ") << run.err;
}

// The site by its verbs, and the jobs that ran on it.
bool MakeSite() {
  MustRun("prioctl", {"import", "slurm-conf", std::string(kFolder) + "reports_slurm.conf"});
  std::ifstream verbs(std::string(kFolder) + "reports_site.txt");
  for (std::string line; std::getline(verbs, line);) {
    std::vector<std::string> words = CommandWords(line);
    words.erase(words.begin());
    MustRun("sacctmgr", words);
  }
  MustRun("prioctl", {"record", std::string(kFolder) + "reports_records.jsonl"});
  MustRun("prioctl", {"recalculate"});
  return true;
}

Finished RunSreport(const std::string& command) {
  static const bool made = MakeSite();
  EXPECT_TRUE(made);
  std::vector<std::string> words = CommandWords(command);
  words.erase(words.begin());
  return Run("sreport", words);
}

// Slurm's billing is a whole number a job and goes on while it is suspended. Of licenses it knows
// those that AccountingStorageTRES names; here all are known. In which order Slurm puts users who
// used as much as one another is not said.
std::string Comparable(const std::string& text, const std::string& command) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto is_own = [](const std::string& line) {
    return absl::StrContains(line, "billing") || absl::StrContains(line, "license/bar");
  };
  lines.erase(std::remove_if(lines.begin(), lines.end(), is_own), lines.end());
  if (absl::StrContains(command, "TopUsage") && absl::StrContains(command, "gres/gpu")) {
    std::sort(lines.begin(), lines.end());
  }
  return std::string(absl::StripAsciiWhitespace(absl::StrJoin(lines, "\n")));
}

TEST(CapturedReports, TablesAreThoseOfSlurm) {
  size_t compared = 0;
  for (const TranscriptEntry& entry : ReadTranscript("sreport.txt")) {
    if (absl::StrContains(entry.command, "cluster Utilization")) continue;
    // Of a suspended job Slurm counts the memory in all reports but that of sizes.
    if (absl::StrContains(entry.command, "SizesByAccount") &&
        absl::StrContains(entry.command, "-T mem")) {
      continue;
    }
    const Finished run = RunSreport(entry.command);
    EXPECT_EQ(run.exit_code, 0) << entry.command << run.err;
    EXPECT_EQ(Comparable(run.out, entry.command), Comparable(entry.out, entry.command))
        << entry.command;
    ++compared;
  }
  EXPECT_GE(compared, 90);
}

// By TRES: what was allocated, what was not, and all there was.
using Utilization = std::vector<std::vector<double>>;

// Slurm distinguishes what was down or planned, which no ledger knows: all of it is idle here.
Utilization UtilizationOf(const std::string& text) {
  Utilization found;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (const std::string& line : lines) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    double value = 0;
    if (cells.size() < 4 || !absl::SimpleAtod(cells.back(), &value)) continue;
    std::vector<double> numbers;
    for (const std::string& cell : cells) {
      if (absl::SimpleAtod(cell, &value)) numbers.push_back(value);
    }
    double idle = 0;
    for (size_t i = 1; i + 1 < numbers.size(); ++i) idle += numbers[i];
    found.push_back({numbers.front(), idle, numbers.back()});
  }
  return found;
}

TEST(CapturedReports, AllocatedAndReportedTimeOfTheClusterIsSlurms) {
  size_t compared = 0;
  for (const TranscriptEntry& entry : ReadTranscript("sreport.txt")) {
    // Of all TRES Slurm reports nodes that were used, not those that there are.
    if (!absl::StartsWith(entry.command, "sreport -P cluster Utilization") ||
        absl::StrContains(entry.command, "-T ALL") || absl::StrContains(entry.command, "Percent")) {
      continue;
    }
    const Finished run = RunSreport(entry.command);
    EXPECT_EQ(UtilizationOf(run.out), UtilizationOf(entry.out)) << entry.command << run.out;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

}  // namespace
}  // namespace priorityd
