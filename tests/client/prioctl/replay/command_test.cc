// prioctl policy replay, run as a program. No server is there.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/run_prioctl.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kFcfs[] = "PriorityType=priority/basic\nSchedulerType=sched/builtin\n";
constexpr char kFair[] =
    "PriorityType=priority/multifactor\nPriorityWeightFairshare=10000\nPriorityWeightAge=1000\n"
    "PriorityDecayHalfLife=4-0\n";

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The NASA trace as the archive has it, or its first jobs.
std::string NasaTrace(int64_t jobs = 18'239) {
  std::ifstream file("tests/testdata/traces/nasa_ipsc_1993.txt");
  std::string swf = "; UnixStartTime: 749458803\n; MaxNodes: 128\n; MaxProcs: 128\n";
  int64_t after = 0, run = 0, processors = 0, user = 0, group = 0, time = 0, number = 0;
  while (number < jobs && file >> after >> run >> processors >> user >> group) {
    time += after;
    absl::StrAppend(&swf, ++number, " ", time, " -1 ", run, " ", processors, " -1 -1 ", processors,
                    " -1 -1 1 ", user, " ", group, " -1 -1 -1 -1 -1\n");
  }
  return swf;
}

Finished Replay(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"policy", "replay"});
  return RunPrioctl(arguments);
}

nlohmann::json ReplayJson(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Finished run = Replay(std::move(arguments));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return nlohmann::json::parse(run.out, nullptr, /*allow_exceptions=*/false);
}

// Its jobs were submitted when they started, and 128 nodes are what there was: first come first
// served starts them when they started, but for the few moments at which more was recorded than
// there were.
TEST(ReplayCommandTest, TheNasaTraceFirstComeFirstServedIsWhatWasRecorded) {
  const auto report =
      ReplayJson({WriteFile("nasa.swf", NasaTrace()), "--policy", WriteFile("fcfs.conf", kFcfs)});
  ASSERT_EQ(report["jobs"], 18239);
  ASSERT_EQ(report["columns"].size(), 2);
  const auto& fcfs = report["columns"][1];
  EXPECT_EQ(fcfs["started"], 18239);
  EXPECT_GE(fcfs["from_recorded"]["same_start"], 18100);
  EXPECT_NEAR(fcfs["utilisation"].get<double>(), report["columns"][0]["utilisation"].get<double>(),
              0.001);
}

// Twice as fast users compete. What fair-share made of it, written as sacct prints it and
// played again under fair-share, is what it was, to the second.
TEST(ReplayCommandTest, APolicysOwnHistoryReplaysToItself) {
  const std::string history = WriteFile("made.txt", "");
  const std::string fair = WriteFile("fair.conf", kFair);
  const auto made = ReplayJson({WriteFile("nasa.swf", NasaTrace()), "--load-factor", "2",
                                "--policy", fair, "--write-sacct", history});
  const auto again = ReplayJson(
      {history, "--nodes", "128", "--policy", fair, "--policy", WriteFile("fcfs.conf", kFcfs)});
  ASSERT_EQ(again["columns"].size(), 3);
  const auto& same = again["columns"][1];
  EXPECT_EQ(same["from_recorded"]["same_start"], 18239);
  EXPECT_EQ(same["wait_seconds"], made["columns"][0]["wait_seconds"]);
  EXPECT_EQ(again["columns"][0]["wait_seconds"], same["wait_seconds"]);
  EXPECT_EQ(again["columns"][0]["jain_index"], same["jain_index"]);
  const auto& fcfs = again["columns"][2];
  EXPECT_LT(fcfs["from_recorded"]["same_start"], 18239 / 2);
  EXPECT_LT(fcfs["jain_index"], same["jain_index"]);
}

// What forecast backtest says of the schedule that was made, which it reads as sacct prints it.
TEST(ReplayCommandTest, ForecastsAreThoseOfABacktestOfThePlayedHistory) {
  const std::string history = WriteFile("forecast.txt", "");
  const auto report =
      ReplayJson({WriteFile("nasa.swf", NasaTrace(2000)), "--load-factor", "8", "--policy",
                  WriteFile("fair.conf", kFair), "--write-sacct", history, "--forecast"});
  const Finished run = RunPrioctl({"forecast", "backtest", history, "--cpus", "128", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  int64_t number = 0, jobs = 0, before = 0, after = 0;
  std::vector<double> waits, lengths;
  for (const absl::string_view text : absl::StrSplit(run.out, '\n', absl::SkipEmpty())) {
    const auto line = nlohmann::json::parse(text);
    if (++number <= 200 || line["startTime"].is_null()) continue;
    const double wait = line["startTime"].get<double>() - line["submitTime"].get<double>();
    ++jobs;
    before += wait < line["q10"].get<double>() - 1;
    after += wait > line["q90"].get<double>() + 1;
    waits.push_back(line["q50"]);
    lengths.push_back(line["q90"].get<double>() - line["q10"].get<double>());
  }
  const auto& forecasts = report["columns"][0]["forecasts"];
  ASSERT_EQ(forecasts["jobs"], jobs);
  EXPECT_NEAR(forecasts["before_q10"].get<double>(), 1.0 * before / jobs, 1e-9);
  EXPECT_NEAR(forecasts["after_q90"].get<double>(), 1.0 * after / jobs, 1e-9);
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[(values.size() - 1) / 2];
  };
  // The lines are rounded to tenths.
  EXPECT_NEAR(forecasts["median_wait_seconds"].get<double>(), median(waits), .06);
  EXPECT_NEAR(forecasts["median_length_seconds"].get<double>(), median(lengths), .11);
}

constexpr char kSacct[] =
    "JobIDRaw|User|Account|Partition|QOS|Submit|Start|End|Timelimit|AllocTRES|NodeList\n"
    "1|fay|chem|main|normal|2026-11-20T10:00:00|2026-11-20T10:00:00|2026-11-20T12:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n"
    "2|fay|chem|main|normal|2026-11-20T10:10:00|2026-11-20T12:00:00|2026-11-20T13:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n"
    "3|eve|chem|main|normal|2026-11-20T10:20:00|2026-11-20T13:00:00|2026-11-20T13:30:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n";

TEST(ReplayCommandTest, ASitesHistoryIsShownBesideWhatAnotherPolicyMakesOfIt) {
  const std::string svg = WriteFile("replay.svg", "");
  const Finished run = Replay({WriteFile("sacct.txt", kSacct), "--site", "deploy/example",
                               "--policy", WriteFile("fcfs.conf", kFcfs), "--against",
                               WriteFile("fair.conf", kFair), "--svg", svg});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(ContainsRegex("recorded +fcfs.conf +fair.conf"),
                             ContainsRegex("started as recorded +3 \\(100.0 %\\) +1 \\(33.3 %\\)"),
                             ContainsRegex("wait, mean +01:30:00 +01:30:00 +01:20:00"),
                             ContainsRegex("ACCOUNT +JOBS +SHARE"), ContainsRegex("chem +3"),
                             ContainsRegex("eve +1"), ContainsRegex("65-256 CPUs +3")));
  EXPECT_THAT(run.err, HasSubstr("played in "));
  EXPECT_THAT(run.err, Not(HasSubstr("\r"))) << "progress is for terminals";
  const std::string picture = Contents(svg);
  EXPECT_THAT(picture, AllOf(HasSubstr("<svg xmlns="), HasSubstr("</svg>"),
                             HasSubstr("Mean wait by size"), HasSubstr("fair.conf"),
                             Not(HasSubstr("http://www.w3.org/1999")), Not(HasSubstr("<script"))));
}

// Job 1 stays where it was; of what is then left the second user's job goes first.
TEST(ReplayCommandTest, FromPlaysWhatStartedLaterOnly) {
  const auto report =
      ReplayJson({WriteFile("sacct.txt", kSacct), "--site", "deploy/example", "--policy",
                  WriteFile("fair.conf", kFair), "--from", "2026-11-20T11:00:00"});
  EXPECT_EQ(report["columns"][1]["jobs"], 2);
  EXPECT_EQ(report["columns"][1]["from_recorded"]["same_start"], 0);
  const auto cut = ReplayJson(
      {WriteFile("sacct.txt", kSacct), "--site", "deploy/example", "--to", "2026-11-20T10:20:00"});
  EXPECT_EQ(cut["jobs"], 2);
  EXPECT_EQ(cut["columns"][1]["name"], "slurm.conf") << "the site's own policy";
}

constexpr char kLongSacct[] =
    "JobIDRaw|User|Account|Partition|QOS|Submit|Start|End|Timelimit|AllocTRES|NodeList\n"
    "1|fay|chem|main|normal|2026-11-20T10:00:00|2026-11-20T10:00:00|2026-11-20T12:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n"
    "2|eve|chem|main|normal|2026-11-20T12:30:00|2026-11-20T12:30:00|2026-11-20T13:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n"
    "3|fay|chem|main|normal|2026-11-20T12:40:00|2026-11-20T13:00:00|2026-11-20T14:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n"
    "4|fay|chem|main|normal|2026-11-20T13:10:00|2026-11-20T14:00:00|2026-11-20T15:00:00|"
    "02:00:00|cpu=256,node=8|n[1-8]\n";

// Job 1 uses 512 of 500 hours until 12:00, so job 2 is refused. From 12:35 on there are 128 more,
// so job 3 is accepted, and starts at once as job 2 is not there. At 13:10 it has used 128 of the
// 116 that were left, so job 4 is refused.
TEST(ReplayCommandTest, ATransferLetsJobsInUntilItIsUsedUp) {
  const std::string grants =
      WriteFile("grants.txt",
                "call Accounts=chem TRES=cpu Amount=500h Consequence=refuse\n"
                "spare Accounts=root TRES=cpu Amount=2000h\n"
                "transfer spare call 128h 2026-11-20T12:35:00\n");
  const std::string history = WriteFile("long.txt", kLongSacct);
  const Finished run =
      Replay({history, "--site", "deploy/example", "--policy",
              WriteFile("zoned.conf", absl::StrCat(kFair, "TimeZone=UTC\n")), "--grants", grants});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(ContainsRegex("jobs started +4 +4 +2"),
                             ContainsRegex("zoned.conf\\+grants: never started: 2 Refused"),
                             ContainsRegex("call +refuse +2026-11-20T12:00:00 .* 2 +2 +- "),
                             ContainsRegex("\neve +1 .* 00:00:00 +00:00:00 +- "),
                             ContainsRegex("REFUSED BY +USER +JOBS +FIRST +LAST"),
                             ContainsRegex("call +eve +1 +2026-11-20T12:30:00 +2026-11-20T12:30"),
                             ContainsRegex("call +fay +1 +2026-11-20T13:10:00 +2026-11-20T13:10")));
}

// Job 1 costs 128 EUR until 11:00 and 256 after it; from 12:35 on there are 128 EUR more, half an
// hour of job 3.
TEST(ReplayCommandTest, MoneyOfAPriceBookLetsJobsInUntilItIsUsedUp) {
  const std::string prices =
      WriteFile("prices.priorityd",
                "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n"
                "Price - 'cpu':PerHour='0.5':Hours='0-11'\n"
                "Price - 'cpu':PerHour='1':Partition='main'\n"
                "Price - 'cpu':PerHour='1000'\n");
  const std::string grants =
      WriteFile("money.txt",
                "call Accounts=chem TRES=price/eur Amount=384 Consequence=refuse\n"
                "spare Accounts=root TRES=price/eur Amount=2000\n"
                "transfer spare call 128 2026-11-20T12:35:00\n");
  const std::vector<std::string> command = {
      WriteFile("long.txt", kLongSacct),
      "--site",
      "deploy/example",
      "--policy",
      WriteFile("zoned.conf", absl::StrCat(kFair, "TimeZone=UTC\n")),
      "--grants",
      grants};
  std::vector<std::string> priced = command;
  priced.insert(priced.end(), {"--prices", prices});
  const Finished run = Replay(priced);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(ContainsRegex("jobs started +4 +4 +2"),
                             ContainsRegex("call +refuse +2026-11-20T12:00:00 .* 2 +2 +- "),
                             ContainsRegex("call +eve +1 +2026-11-20T12:30:00 +2026-11-20T12:30"),
                             ContainsRegex("call +fay +1 +2026-11-20T13:10:00 +2026-11-20T13:10")));
  EXPECT_THAT(
      Replay(command).err,
      HasSubstr("money.txt line 1: TRES: got \"price/eur\", want a TRES, a sum of them or a "
                "price book of --prices"));
  const Finished alone =
      Replay({WriteFile("long.txt", kLongSacct), "--nodes", "8", "--prices", prices});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_THAT(alone.err, HasSubstr("--prices: got it without --grants, want both"));
}

TEST(ReplayCommandTest, FaultsNameFileOrOption) {
  const std::string sacct = WriteFile("sacct.txt", kSacct);
  EXPECT_THAT(Replay({sacct}).err, HasSubstr("got no description of nodes, want --site"));
  EXPECT_THAT(Replay({"nowhere.txt"}).err, HasSubstr("nowhere.txt"));
  EXPECT_THAT(Replay({sacct, "--site", "docs"}).err, HasSubstr("docs: got no slurm.conf"));
  EXPECT_THAT(
      Replay({sacct, "--nodes", "8", "--policy", WriteFile("bad.conf", "PriorityX=1\n")}).err,
      HasSubstr("bad.conf line 1"));
  EXPECT_THAT(Replay({sacct, "--nodes", "8", "--policy", WriteFile("empty.conf", "# none\n")}).err,
              HasSubstr("empty.conf: got no lines, want lines that are not comments"));
  const Finished order = Replay(
      {sacct, "--nodes", "8", "--from", "2026-11-20T12:00:00", "--to", "2026-11-20T11:00:00"});
  EXPECT_EQ(order.exit_code, 2);
  EXPECT_THAT(order.err, HasSubstr("--to: got a time not after --from"));
  EXPECT_THAT(Replay({sacct, "--nodes", "8", "--from", "2027-01-01"}).err,
              HasSubstr("got no job that started at --from or later"));
  EXPECT_THAT(Replay({WriteFile("none.swf", "; nothing\n")}).err,
              HasSubstr("none.swf: got no job that ran"));
  EXPECT_THAT(Replay({}).err, HasSubstr("HISTORY: got none, want a file, - or --ledger"));
  EXPECT_THAT(Replay({sacct, "--ledger"}).err, HasSubstr("--ledger: got it with HISTORY"));
  EXPECT_THAT(Replay({sacct, "--ledger-from", "2026-11-20"}).err,
              HasSubstr("--ledger-from: got it without --ledger"));
}

}  // namespace
}  // namespace priorityd
