// The words of `scontrol create reservation`. Times, flags and their order are those that a real
// Slurm 22.05 printed.
#include "engine/slurm/conf/reservation_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/violations.h"

namespace priorityd::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Cells = std::map<std::string, std::string>;

const absl::Time kAtEight = absl::FromUnixSeconds(1'800'000'000);  // 2027-01-15T08:00:00Z.

Cells OnNodeThree() {
  return {{"StartTime", "2026-12-01T08:00:00Z"},
          {"Duration", "1-00:00:00"},
          {"Nodes", "n3"},
          {"Accounts", "chem"}};
}

std::string FaultOfReservation(const Cells& changes) {
  Cells cells = OnNodeThree();
  for (const auto& [word, value] : changes) cells[word] = value;
  const auto read = ReadReservation("r", cells, kAtEight);
  if (read.ok()) return "";
  std::vector<std::string> faults;
  for (const errors::FieldViolation& violation : errors::ViolationsOf(read.status())) {
    faults.push_back(violation.description);
  }
  return absl::StrJoin(faults, "; ");
}

TEST(ReservationWordsTest, SettingsAreReadAndPrintedAgain) {
  Cells cells = OnNodeThree();
  cells["Flags"] = "ignore_jobs,OVERLAP,flex,Maint,SPEC_NODES";
  cells["Users"] = "-daemon,-ann";
  const auto read = ReadReservation("r", cells, kAtEight);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->maint && read->flex && read->overlap && read->ignore_jobs);
  EXPECT_THAT(read->users.names, ElementsAre("daemon", "ann"));
  EXPECT_TRUE(read->users.excludes);
  cells["Flags"] = "MAINT,FLEX,OVERLAP,IGNORE_JOBS";
  EXPECT_EQ(ReservationCells(*read), cells);
  EXPECT_EQ(ReadReservation("r", ReservationCells(*read), kAtEight).value(), *read);
}

// As Slurm stores them.
TEST(ReservationWordsTest, NodesAreASet) {
  const auto nodes_of = [](const std::string& nodes) {
    Cells cells = OnNodeThree();
    cells["Nodes"] = nodes;
    const auto read = ReadReservation("r", cells, kAtEight);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->nodes : "";
  };
  EXPECT_EQ(nodes_of("n1,n1,n[1-2]"), "n[1-2]");
  EXPECT_EQ(nodes_of("n10,n2,n10"), "n2,n10");
  EXPECT_EQ(nodes_of("n3,n1"), "n3,n1");
}

TEST(ReservationWordsTest, FactsAreThoseThatSlurmShowsBesides) {
  const auto facts = [](const Cells& changes, absl::Time now) {
    Cells cells = OnNodeThree();
    for (const auto& [word, value] : changes) cells[word] = value;
    return ReservationFacts(ReadReservation("r", cells, now).value(), now);
  };
  EXPECT_EQ(facts({{"Flags", "FLEX"}}, kAtEight), (Cells{{"EndTime", "2026-12-02T08:00:00Z"},
                                                         {"Flags", "FLEX,SPEC_NODES"},
                                                         {"NodeCnt", "1"},
                                                         {"State", "INACTIVE"}}));
  const Cells all = facts(
      {{"Nodes", "all"}, {"PartitionName", "main"}, {"Flags", "OVERLAP"}, {"StartTime", "now"}},
      kAtEight);
  EXPECT_EQ(all.at("Flags"), "OVERLAP,SPEC_NODES,PART_NODES");
  EXPECT_EQ(all.at("State"), "ACTIVE");
  EXPECT_EQ(all.count("NodeCnt"), 0u);
  EXPECT_EQ(facts({{"Nodes", "ALL"}}, kAtEight).at("Flags"), "SPEC_NODES,ALL_NODES");
  EXPECT_EQ(facts({{"Nodes", "n[1-4]"}}, kAtEight).at("NodeCnt"), "4");
  EXPECT_EQ(facts({{"Duration", "infinite"}}, kAtEight).at("EndTime"), "2027-12-01T08:00:00Z");
}

TEST(ReservationWordsTest, AnEndTimeStandsForADuration) {
  Cells cells = OnNodeThree();
  cells["EndTime"] = "2026-12-01T09:30:00+01:00";
  cells.erase("Duration");
  EXPECT_EQ(ReservationCells(ReadReservation("r", cells, kAtEight).value()).at("Duration"),
            "00:30:00");
}

TEST(ReservationWordsTest, FaultsNameTheWord) {
  EXPECT_THAT(FaultOfReservation({{"StartTime", ""}}),
              HasSubstr("StartTime: got \"\", want a time"));
  EXPECT_THAT(FaultOfReservation({{"StartTime", "infinite-future"}}), HasSubstr("StartTime: got"));
  EXPECT_THAT(FaultOfReservation({{"StartTime", "12026-12-01T08:00:00Z"}}),
              HasSubstr("StartTime: got"));
  EXPECT_THAT(FaultOfReservation({{"EndTime", "2026-12-01T08:00:00Z"}}),
              HasSubstr("EndTime: got \"2026-12-01T08:00:00Z\", want a time after StartTime"));
  EXPECT_THAT(FaultOfReservation({{"Duration", "0"}}),
              HasSubstr("Duration: got \"0\", want more than 0"));
  EXPECT_THAT(FaultOfReservation({{"Duration", "36501-0"}}), HasSubstr("Duration: got"));
  EXPECT_THAT(FaultOfReservation({{"Nodes", ""}}),
              HasSubstr("Nodes: got 0 nodes, want 1 to 100000"));
  EXPECT_THAT(FaultOfReservation({{"Nodes", "n[1-"}}), HasSubstr("Nodes: got"));
  EXPECT_THAT(FaultOfReservation({{"Nodes", "n[1-100001]"}}), HasSubstr("Nodes: got 100001 nodes"));
  EXPECT_THAT(FaultOfReservation({{"PartitionName", "main"}}),
              HasSubstr("PartitionName: got it with other"));
  EXPECT_THAT(FaultOfReservation({{"Accounts", ""}}),
              HasSubstr("Users: got neither Users nor Accounts"));
  EXPECT_THAT(FaultOfReservation({{"Users", "ann,-bob"}}),
              HasSubstr("Users: got \"ann,-bob\", want either"));
  EXPECT_THAT(FaultOfReservation({{"Users", "a\x01"}}), HasSubstr("Users: "));
  EXPECT_THAT(FaultOfReservation({{"Flags", "DAILY"}}),
              HasSubstr("Flags: got \"DAILY\", want some of MAINT, FLEX, OVERLAP, IGNORE_JOBS"));
  std::string many = "u0";
  for (int i = 1; i <= 1000; ++i) absl::StrAppend(&many, ",u", i);
  EXPECT_THAT(FaultOfReservation({{"Users", many}}),
              HasSubstr("got 1001 names, want at most 1000"));
}

TEST(ReservationWordsTest, AWordMayBeAbbreviated) {
  EXPECT_EQ(FindReservationWord("starttime").value().name, "StartTime");
  EXPECT_EQ(FindReservationWord("Part").value().name, "PartitionName");
  EXPECT_TRUE(FindReservationWord("user").value().is_list);
  EXPECT_THAT(FindReservationWord("NodeCnt").status().message(),
              HasSubstr("got \"NodeCnt\", want one of Accounts, Duration, EndTime, Flags, Nodes, "
                        "PartitionName, StartTime, Users"));
}

}  // namespace
}  // namespace priorityd::slurm
