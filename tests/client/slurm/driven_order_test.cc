// What tests/slurm/drive saw a real slurmctld do under priorityd-slurm.
#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// What was said of one slurmctld, by name.
using Said = std::map<std::string, std::string>;

std::map<std::string, Said> CapturedRuns() {
  std::map<std::string, Said> runs;
  std::ifstream file("tests/slurm/captured/driven.txt");
  std::string run;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("@ ", 0) == 0) {
      run = line.substr(2);
    } else {
      const std::pair<std::string, std::string> parts =
          absl::StrSplit(line, absl::MaxSplits(": ", 1));
      runs[run][parts.first] = parts.second;
    }
  }
  return runs;
}

std::vector<std::string> Ids(const std::string& text) { return absl::StrSplit(text, ' '); }

// Of slurmctlds under priority/multifactor and priority/basic.
std::vector<std::string> NamesOfRuns() {
  std::vector<std::string> runs;
  for (const auto& [run, said] : CapturedRuns()) runs.push_back(run);
  return runs;
}

class DrivenOrderTest : public ::testing::TestWithParam<std::string> {
 protected:
  Said said_ = CapturedRuns()[GetParam()];
};

std::vector<std::string> FirstOf(std::vector<std::string> ids, size_t count) {
  ids.resize(std::min(ids.size(), count));
  return ids;
}

TEST_P(DrivenOrderTest, JobsStartInOurOrderAndNotInSlurms) {
  const std::vector<std::string> started = Ids(said_["started"]);
  EXPECT_THAT(started, SizeIs(::testing::Ge(4)));
  EXPECT_EQ(started, FirstOf(Ids(said_["ours"]), started.size()));
  EXPECT_NE(started, FirstOf(Ids(said_["slurm"]), started.size()));
}

TEST_P(DrivenOrderTest, TheRestStartsInOurOrderAfterARestartOfSlurmctldAndARelease) {
  const std::vector<std::string> started = Ids(said_["started then"]);
  EXPECT_THAT(started, SizeIs(::testing::Ge(8)));
  EXPECT_EQ(started, Ids(said_["ours then"]));
  EXPECT_NE(started, Ids(said_["released"]));
}

TEST_P(DrivenOrderTest, JobsInOrderAreNotSetAgainNorAfterARestartOfSlurmctld) {
  EXPECT_THAT(said_["set"], HasSubstr(" set, "));
  EXPECT_THAT(said_["again"], HasSubstr(", 0 set, "));
  EXPECT_THAT(said_["restarted"], HasSubstr(", 0 set, "));
}

TEST_P(DrivenOrderTest, AHeldJobStaysHeld) { EXPECT_EQ(said_["held"], "0"); }

INSTANTIATE_TEST_SUITE_P(Slurmctld, DrivenOrderTest, ::testing::ValuesIn(NamesOfRuns()));

TEST(DrivenByHandTest, WhatAnAdministratorSetStays) {
  EXPECT_EQ(CapturedRuns()["multifactor"]["hand"], "1");
}

}  // namespace
}  // namespace priorityd
