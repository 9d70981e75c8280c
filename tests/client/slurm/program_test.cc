// The program itself, its commands played by a script.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "client/slurm/site_texts.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/slurm/played_slurm.h"
#include "tests/end_to_end/shared_priorityd.h"
#include "tests/temporary_folder.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A folder in which `play` stands for Slurm's tools: it prints what a pass was captured with.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() : slurm_("observed.txt.gz") {
    const RunCommand run = slurm_.Runner();
    EXPECT_TRUE(ReadSiteTexts(run).ok());
    EXPECT_TRUE(ReadPassTexts(run, true).ok());
    std::string script =
        absl::StrCat("#!/bin/sh\necho \"$*\" >> ", Path("ran"), "\ncase \"$*\" in\n");
    int number = 0;
    for (const std::string& command : slurm_.ran()) {
      const std::string file = Path(absl::StrCat("out", ++number));
      std::ofstream(file) << slurm_.Printed(command);
      std::string words = command;
      words.erase(std::remove(words.begin(), words.end(), '\''), words.end());
      absl::StrAppend(&script, "\"", words, "\") cat ", file, ";;\n");
    }
    absl::StrAppend(&script, "scontrol) cat >> ", Path("told"), ";;\n*) exit 9;;\nesac\n");
    std::ofstream(Path("play")) << script;
    EXPECT_EQ(system(absl::StrCat("chmod +x ", Path("play")).c_str()), 0);
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  int Run(const std::string& words) {
    const int status = system(absl::StrCat("client/slurm/priorityd-slurm ", words, " --through ",
                                           Path("play"), " > ", Path("out"), " 2> ", Path("err"))
                                  .c_str());
    return WEXITSTATUS(status);
  }
  std::string Service(const std::string& cluster) {
    return absl::StrCat(" --once --server ", SharedPriorityd().address(), " --cluster ", cluster,
                        " --auth none");
  }

  const TemporaryFolder folder_;
  PlayedSlurm slurm_;
};

TEST(ProgramHelpTest, AFullDiskIsAnError) {
  for (const char* option : {"--help", "--version"}) {
    const int status =
        system(absl::StrCat("client/slurm/priorityd-slurm ", option, " >/dev/full").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3) << option;
  }
}

TEST_F(ProgramTest, ObserveEndsWithZeroWhereAllAgree) {
  const std::string manual = " --policy FairTreeTies=slurm Clock=manual";
  EXPECT_EQ(Run("observe" + Service("program") + manual), 0)
      << Read(Path("out")) << Read(Path("err"));
  EXPECT_THAT(Read(Path("out")), HasSubstr(" 0 differ (0 for no known reason)"));
}

TEST_F(ProgramTest, AServiceThatIsAwayIsSaidAndEndsWithThree) {
  EXPECT_EQ(Run("observe --once --timeout 0.2 --auth none --server 127.0.0.1:1"), 3);
  EXPECT_THAT(Read(Path("err")), HasSubstr("priorityd-slurm: "));
}

TEST_F(ProgramTest, AWrongOptionEndsWithTwo) {
  EXPECT_EQ(Run("observe --usage nonsense"), 2);
  EXPECT_THAT(Read(Path("err")), HasSubstr("--usage"));
}

TEST_F(ProgramTest, OtherClustersWithoutAnyUsageAreAWrongOption) {
  EXPECT_EQ(Run("observe --usage none --usage-clusters annex,old"), 2);
  EXPECT_THAT(Read(Path("err")), HasSubstr("--usage-clusters: got it with --usage none"));
}

TEST_F(ProgramTest, AnotherClusterThatIsAwayIsSaidAndThePassContinues) {
  EXPECT_LE(Run("observe --usage-clusters annex" + Service("away")), 1) << Read(Path("err"));
  EXPECT_THAT(Read(Path("err")), HasSubstr("usage of annex is not known yet"));
  EXPECT_THAT(Read(Path("out")), HasSubstr("usage unchanged"));
}

TEST_F(ProgramTest, ADryRunOfDrivePrintsWhatItWouldSay) {
  EXPECT_EQ(Run("drive --dry-run --state " + Path("state") + Service("dry")), 0)
      << Read(Path("err"));
  EXPECT_THAT(Read(Path("out")), HasSubstr("scontrol update JobId="));
  EXPECT_EQ(Read(Path("told")), "");
}

TEST_F(ProgramTest, DriveCallsScontrolAndRemembers) {
  EXPECT_EQ(Run("drive --state " + Path("state") + Service("driven")), 0) << Read(Path("err"));
  EXPECT_THAT(Read(Path("told")), HasSubstr(" Priority="));
  EXPECT_THAT(Read(Path("state")), HasSubstr("priorityd-slurm 1"));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
