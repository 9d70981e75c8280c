// Completion and the man page, as bash and man get them.
#include "client/prioctl/manual.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What bash offers for the last of these words.
std::string Completed(const std::string& words) {
  const std::string script = absl::StrCat(
      "source ", WriteFile("completion", RunPrioctl({"completion"}).out), "; COMP_WORDS=(", words,
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _prioctl; echo ${COMPREPLY[*]}");
  const Finished run = RunProgram("/bin/bash", {"-c", script});
  EXPECT_EQ(run.err, "");
  return run.out;
}

TEST(ManualTest, BashCompletesCommandsAndOptions) {
  EXPECT_EQ(Completed("prioctl expl"), "explain\n");
  EXPECT_EQ(Completed("prioctl import sac"), "sacctmgr sacct\n");
  EXPECT_EQ(Completed("prioctl rank --be"), "--best-only\n");
  EXPECT_EQ(Completed("prioctl --server a:1 import qos --val"), "--validate-only\n");
  EXPECT_EQ(Completed("prioctl queue list --serv"), "--server\n");
}

TEST(ManualTest, CompletionTakesTheNameOfItsShellAndNoOther) {
  EXPECT_EQ(RunPrioctl({"completion", "bash"}).out, RunPrioctl({"completion"}).out);
  const Finished other = RunPrioctl({"completion", "csh"});
  EXPECT_NE(other.exit_code, 0);
  EXPECT_THAT(other.err, HasSubstr("SHELL: got \"csh\", want bash, zsh or fish"));
}

TEST(ManualTest, AFullDiskIsAnError) {
  for (const char* words :
       {"man", "completion", "completion fish", "--help", "--version", "rank --help"}) {
    const Finished run =
        RunProgram("/bin/bash", {"-c", absl::StrCat("client/prioctl ", words, " >/dev/full")});
    EXPECT_EQ(run.exit_code, 1) << words;
    EXPECT_EQ(run.err, "prioctl: standard output: cannot be written\n") << words;
  }
}

TEST(ManualTest, ZshReadsTheCompletionOfBash) {
  const std::string script = RunPrioctl({"completion", "zsh"}).out;
  EXPECT_THAT(script,
              StartsWith("#compdef prioctl\nautoload -U +X bashcompinit && bashcompinit\n"));
  // Less the last line break, which is of the output.
  std::string of_bash = RunPrioctl({"completion", "bash"}).out;
  of_bash.pop_back();
  EXPECT_THAT(script, HasSubstr(of_bash));
}

TEST(ManualTest, FishHasEachCommandWithItsPlaceAndItsLine) {
  const std::string script = RunPrioctl({"completion", "fish"}).out;
  EXPECT_THAT(
      script,
      HasSubstr("\ncomplete -c prioctl -n \"__prioctl_at ''\" -f -a explain -d 'Explain why "
                "a job has its priority'\n"));
  EXPECT_THAT(script,
              HasSubstr("\ncomplete -c prioctl -n \"__prioctl_at ' import'\" -f -a qos -d "));
  EXPECT_THAT(script,
              HasSubstr("\ncomplete -c prioctl -n \"__prioctl_at ' rank'\" -l best-only -d "));
  EXPECT_THAT(script, HasSubstr("\ncomplete -c prioctl -l server -r -d "));
}

TEST(ManualTest, BashCompletesFilesWhereThereIsNoSuchWord) {
  const std::string file = WriteFile("jobs_to_rank.jsonl", "");
  EXPECT_EQ(Completed(absl::StrCat("prioctl rank ", file.substr(0, file.size() - 3))),
            absl::StrCat(file, "\n"));
}

TEST(ManualTest, TheManPageHasEveryCommandOfTheHelp) {
  const std::string page = RunPrioctl({"man"}).out;
  EXPECT_THAT(page, StartsWith(".TH PRIOCTL 1 "));
  const std::string help = RunPrioctl({"--help"}).out;
  const std::string commands = help.substr(help.find("Subcommands:"));
  int found = 0;
  for (const absl::string_view line : absl::StrSplit(commands, '\n')) {
    // Two blanks, then the command.
    if (line.size() < 3 || line.substr(0, 2) != "  " || line[2] == ' ') continue;
    const std::string name(line.substr(2, line.find(' ', 2) - 2));
    EXPECT_THAT(
        page, HasSubstr(absl::StrCat("\n.SS prioctl ", absl::StrReplaceAll(name, {{"-", "\\-"}}))));
    ++found;
  }
  EXPECT_GT(found, 10);
  EXPECT_THAT(page, HasSubstr("\n.SS prioctl import qos FILE\n"));
  EXPECT_THAT(page, HasSubstr("\n.B \\-u, \\-\\-users LIST\nOnly jobs of these users\n"));
}

}  // namespace
}  // namespace priorityd
