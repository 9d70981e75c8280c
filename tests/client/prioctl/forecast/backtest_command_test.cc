// prioctl forecast backtest, run as a program. No server is there.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/run_prioctl.h"
#include "tests/engine/forecast/generated_site.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A trace as it was written at `cut`.
std::string Trace(const std::vector<forecast::RecordedJob>& history, int64_t cut) {
  std::string text = "; UnixStartTime: 0\n; MaxProcs: 128\n";
  for (const auto& recorded : history) {
    const forecast::Job& job = recorded.job;
    if (job.submit_time >= cut) continue;
    const bool started = recorded.start.has_value() && *recorded.start < cut;
    const bool ended = started && recorded.end.has_value() && *recorded.end < cut;
    absl::StrAppend(
        &text, job.id, " ", job.submit_time, " ", started ? *recorded.start - job.submit_time : -1,
        " ", ended ? *recorded.end - *recorded.start : -1, " ", job.cpus, " -1 -1 ", job.cpus, " ",
        job.limit, " -1 1 ", job.user.substr(1), " ", job.account.substr(1), " -1 -1 -1 -1 -1\n");
  }
  return text;
}

std::string Time(std::optional<int64_t> time) {
  return time.has_value() ? absl::FormatTime("%Y-%m-%dT%H:%M:%S", absl::FromUnixSeconds(*time),
                                             absl::UTCTimeZone())
                          : "Unknown";
}

// A row as sacct printed it at `cut`; nodes of 32 CPUs are exclusive.
std::string SacctRow(const std::string& id, const forecast::RecordedJob& recorded, int64_t held,
                     int64_t cut) {
  const auto known = [&](std::optional<int64_t> time) {
    return time.has_value() && *time < cut ? time : std::nullopt;
  };
  const forecast::Job& job = recorded.job;
  const auto start = known(recorded.start);
  return absl::StrCat(id, "|", job.user, "|", job.account, "|main|", Time(job.submit_time - held),
                      "|", Time(known(job.submit_time)), "|", Time(start), "|",
                      Time(known(recorded.end)), "|", job.limit / 60, "|",
                      start ? absl::StrCat("cpu=", std::ceil(job.cpus / 32) * 32) : "", "|",
                      job.cpus, "\n");
}

// Three tasks, which start an hour apart: a row for each that has started, one for the others.
std::string SacctArray(const std::string& id, forecast::RecordedJob task, int64_t cut) {
  std::string rows;
  for (int i = 0; i < 3; ++i, *task.start += 3600, *task.end += 3600) {
    const bool started = *task.start < cut;
    absl::StrAppend(
        &rows, SacctRow(started ? absl::StrCat(id, "_", i) : absl::StrCat(id, "_[", i, "-2%1]"),
                        task, 0, cut));
    if (!started) break;
  }
  return rows;
}

// A history as sacct printed it at `cut`: every fifth job is an array, every seventh was held.
std::string Sacct(const std::vector<forecast::RecordedJob>& history, int64_t cut) {
  std::string text =
      "JobID|User|Account|Partition|Submit|Eligible|Start|End|TimelimitRaw|AllocTRES|ReqCPUS\n";
  for (size_t i = 0; i < history.size(); ++i) {
    const std::string id = absl::StrCat(i + 1);
    const int64_t held = i % 7 == 0 ? 5000 : 0;
    if (history[i].job.submit_time - held >= cut) continue;
    absl::StrAppend(&text, i % 5 == 0 && held == 0 ? SacctArray(id, history[i], cut)
                                                   : SacctRow(id, history[i], held, cut));
  }
  return text;
}

Finished Backtest(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"forecast", "backtest"});
  return RunPrioctl(arguments);
}

std::vector<nlohmann::json> Lines(const std::string& trace) {
  const Finished run = Backtest({WriteFile("trace.swf", trace), "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::vector<nlohmann::json> lines;
  for (const absl::string_view line : absl::StrSplit(run.out, '\n', absl::SkipEmpty())) {
    lines.push_back(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
  }
  return lines;
}

TEST(BacktestCommandTest, JobsThatTwoFilesHaveCountOnce) {
  const auto history = forecast::GenerateSite({.jobs = 300});
  const int64_t middle = history[150].job.submit_time;
  const auto in_first = std::count_if(history.begin(), history.end(), [middle](const auto& job) {
    return job.job.submit_time < middle;
  });
  const std::string first = WriteFile("first.swf", "\xEF\xBB\xBF" + Trace(history, middle));
  const std::string whole = WriteFile("whole.swf", Trace(history, INT64_MAX));
  const Finished alone = Backtest({whole, "--json"});
  const Finished both = Backtest({first, whole, "--json"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(both.out, alone.out);
  EXPECT_THAT(both.err, HasSubstr(absl::StrCat(
                            "jobs that several files have, counted once: ", in_first, "\n")));
}

TEST(BacktestCommandTest, AFileWithoutEndThatIsNoTextIsRefused) {
  const Finished run = Backtest({"/dev/zero"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("/dev/zero line 1: got the byte 0x00, want UTF-8 text"));
}

TEST(BacktestCommandTest, AFileThatIsCutHasTheSameLinesUpToTheCut) {
  const auto history = forecast::GenerateSite({.jobs = 800});
  const auto all = Lines(Trace(history, INT64_MAX));
  ASSERT_EQ(all.size(), 800);
  for (const size_t at : {1, 150, 420, 700}) {
    const int64_t time = history[at].job.submit_time;
    const auto cut = Lines(Trace(history, time));
    ASSERT_GT(cut.size(), 0);
    ASSERT_LE(cut.size(), at);
    for (size_t i = 0; i < cut.size(); ++i) {
      auto expected = all[i];
      if (!expected["startTime"].is_null() && expected["startTime"] >= time) {
        expected["startTime"] = nullptr;
      }
      EXPECT_EQ(cut[i], expected) << "line " << i << " of a cut at " << at;
    }
  }
}

TEST(BacktestCommandTest, WhatSacctPrintedEarlierHasTheSameLinesUpToThen) {
  const auto history = forecast::GenerateSite({.jobs = 800});
  const auto all = Lines(Sacct(history, INT64_MAX));
  ASSERT_GT(all.size(), 1000);
  for (const size_t at : {150, 420, 700}) {
    const int64_t time = history[at].job.submit_time;
    const auto cut = Lines(Sacct(history, time));
    ASSERT_GT(cut.size(), at);
    for (size_t i = 0; i < cut.size(); ++i) {
      auto expected = all[i];
      if (!expected["startTime"].is_null() && expected["startTime"] >= time) {
        expected["startTime"] = nullptr;
      }
      ASSERT_EQ(cut[i], expected) << "line " << i << " of " << at;
    }
  }
}

TEST(BacktestCommandTest, ALineHasTimesInUnixSecondsAndQuantilesInOrder) {
  const auto history = forecast::GenerateSite({.jobs = 50});
  const auto lines = Lines(Trace(history, INT64_MAX));
  ASSERT_EQ(lines.size(), 50);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["jobId"], history[i].job.id);
    EXPECT_EQ(lines[i]["submitTime"], history[i].job.submit_time);
    EXPECT_EQ(lines[i]["startTime"], *history[i].start);
    EXPECT_LE(0, lines[i]["q10"].get<double>());
    EXPECT_LE(lines[i]["q10"].get<double>(), lines[i]["q25"].get<double>());
    EXPECT_LE(lines[i]["q75"].get<double>(), lines[i]["q90"].get<double>());
  }
}

TEST(BacktestCommandTest, TheScoreHasBothTailsAndBothReferences) {
  const Finished run =
      Backtest({WriteFile("a.swf", Trace(forecast::GenerateSite({.jobs = 500}), INT64_MAX))});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("500 jobs, 450 scored"), HasSubstr("BEFORE q10"),
                             HasSubstr("OF QBETS"), HasSubstr("quarter 4"),
                             HasSubstr("user's next 90 jobs")));
}

TEST(BacktestCommandTest, WrongCommandLinesAndFilesAreNamed) {
  EXPECT_EQ(Backtest({}).exit_code, 2);
  const Finished both = Backtest({"--ledger", WriteFile("a.swf", "")});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--ledger: got it with FILE"));
  const Finished empty = Backtest({WriteFile("b.swf", "; Version: 2\n")});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.err, HasSubstr("got no job, want some"));
}

}  // namespace
}  // namespace priorityd
