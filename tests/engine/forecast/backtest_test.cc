#include "engine/forecast/backtest.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/engine/forecast/generated_site.h"

namespace priorityd::forecast {
namespace {

// Trains early and often, on few examples: as many of its steps as fit in a short history.
ForecasterOptions Quick() {
  ForecasterOptions options;
  options.capacity = 128;
  options.most_examples = 500;
  options.fewest_examples = 100;
  options.starts_per_training = 150;
  options.forest.trees = 15;
  return options;
}

// What a file has that was written at that time.
std::vector<RecordedJob> CutAt(Seconds time, const std::vector<RecordedJob>& history) {
  std::vector<RecordedJob> cut;
  for (RecordedJob job : history) {
    if (job.job.submit_time >= time) continue;
    if (job.start.has_value() && *job.start >= time) job.start.reset();
    if (job.end.has_value() && *job.end >= time) job.end.reset();
    if (job.cancel.has_value() && *job.cancel >= time) job.cancel.reset();
    cut.push_back(job);
  }
  return cut;
}

std::vector<RecordedJob> WithCancelled(std::vector<RecordedJob> history) {
  for (size_t i = 0; i < history.size(); i += 17) {
    if (!history[i].start.has_value()) continue;
    history[i].cancel =
        history[i].job.submit_time + (*history[i].start - history[i].job.submit_time) / 2;
    history[i].start.reset();
    history[i].end.reset();
  }
  return history;
}

TEST(BacktestTest, AHistoryThatIsCutHasTheSameLinesUpToTheCut) {
  const auto history = WithCancelled(
      GenerateSite({.jobs = 900, .order = Order::kUserPriority, .with_knowledge = true}));
  const auto all = Backtest(history, Quick());
  ASSERT_EQ(all.size(), history.size());
  ASSERT_GT(all.back().model, 2) << "it trained";
  for (size_t at = 7; at < history.size(); at += 97) {
    const auto cut = Backtest(CutAt(history[at].job.submit_time, history), Quick());
    ASSERT_LE(cut.size(), at);
    for (size_t i = 0; i < cut.size(); ++i) {
      EXPECT_EQ(cut[i].waits, all[i].waits) << "line " << i << " of a cut at " << at;
      EXPECT_EQ(cut[i].source, all[i].source);
    }
  }
}

TEST(BacktestTest, TheOrderOfAFileDoesNotMatterExceptWithinASecond) {
  auto history = GenerateSite({.jobs = 500});
  const auto lines = Backtest(history, Quick());
  std::stable_sort(history.begin(), history.end(), [](const auto& a, const auto& b) {
    return a.job.submit_time > b.job.submit_time;
  });
  const auto again = Backtest(history, Quick());
  ASSERT_EQ(again.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(again[i].waits, lines[i].waits);
}

TEST(BacktestTest, EachJobHasALineOfQuantilesInOrder) {
  auto history = GenerateSite({.jobs = 600});
  history[3].start.reset();
  history[3].end.reset();
  history[9].job.id = history[8].job.id;
  const auto lines = Backtest(history, Quick());
  ASSERT_EQ(lines.size(), 600);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_GE(lines[i].waits.front(), 0);
    EXPECT_TRUE(std::is_sorted(lines[i].waits.begin(), lines[i].waits.end()));
    EXPECT_EQ(lines[i].scored.has_value(), history[lines[i].job].start.has_value());
  }
}

// Nothing is known of the first job: an answer as wide as the tail of an hour's median is long.
TEST(BacktestTest, TheFirstJobGetsAWideAnswer) {
  const auto lines = Backtest(GenerateSite({.jobs = 5}), Quick());
  EXPECT_EQ(lines[0].source, Source::kNothing);
  EXPECT_LT(lines[0].waits.front(), 60);
  EXPECT_GT(lines[0].waits.back(), 3 * 86'400);
}

Score ScoreOf(const std::vector<BacktestLine>& lines, size_t begin, size_t end) {
  Score score;
  for (size_t i = begin; i < end && i < lines.size(); ++i) {
    if (lines[i].scored.has_value()) score.Add(*lines[i].scored);
  }
  return score;
}

double LossOf(const SiteOptions& site) {
  const Score score =
      ScoreOf(Backtest(GenerateSite(site), {.capacity = 128}), site.jobs / 10, site.jobs);
  return score.loss / static_cast<double>(score.count);
}

double PartAbove(const Score& score) { return static_cast<double>(score.above) / score.count; }
double PartBelow(const Score& score) { return static_cast<double>(score.below) / score.count; }

TEST(BacktestTest, OnASteadySiteBothTailsHoldAndTheLossIsTwoThirdsOfQbets) {
  for (const Order order : {Order::kSubmission, Order::kUserPriority}) {
    const auto lines = Backtest(GenerateSite({.jobs = 2500, .order = order}), {.capacity = 128});
    const Score score = ScoreOf(lines, 250, 2500);
    EXPECT_LE(PartAbove(score), .15);
    EXPECT_LE(PartBelow(score), .15);
    EXPECT_LE(score.loss / score.qbets_loss, .66);
  }
}

// Jobs start by an order that no trace shows, and under a limit: its place alone says little.
TEST(BacktestTest, WhatTheServiceKnowsTakesAQuarterOfTheLoss) {
  for (const int most_running : {0, 3}) {
    SiteOptions site = {.jobs = 2500,
                        .load = most_running == 0 ? .9 : .95,
                        .order = Order::kUserPriority,
                        .most_running_of_user = most_running};
    double without = 0, with_place = 0, with_all = 0;
    for (site.seed = 1; site.seed <= 3; ++site.seed) {
      site.with_knowledge = false;
      without += LossOf(site);
      site.with_knowledge = true;
      site.with_plan = false;
      with_place += LossOf(site);
      site.with_plan = true;
      with_all += LossOf(site);
    }
    EXPECT_LE(with_all, .75 * without) << most_running;
    EXPECT_LT(with_all, with_place) << most_running;
    EXPECT_LT(with_place, without) << most_running;
  }
}

TEST(BacktestTest, AnAnnouncedReservationIsForecast) {
  SiteOptions site = {
      .jobs = 2500, .load = .8, .order = Order::kUserPriority, .with_knowledge = true};
  const auto free = GenerateSite(site);
  site.reserved_from = free[1500].job.submit_time - free[0].job.submit_time;
  site.reserved_until = site.reserved_from + 2 * 86'400;
  const auto history = GenerateSite(site);
  auto unaware = history;
  for (RecordedJob& job : unaware) job.job.known.earliest_wait.reset();
  Score with, without;
  const auto lines = Backtest(history, {.capacity = 128});
  const auto unaware_lines = Backtest(unaware, {.capacity = 128});
  for (size_t i = 0; i < lines.size(); ++i) {
    const double earliest = history[lines[i].job].job.known.earliest_wait.value_or(0);
    if (earliest == 0) continue;
    EXPECT_GE(lines[i].waits.front(), earliest - 1e-3);
    ASSERT_GE(lines[i].scored->wait, earliest) << "no job starts before it";
    with.Add(*lines[i].scored);
    without.Add(*unaware_lines[i].scored);
  }
  ASSERT_GT(with.count, 100);
  EXPECT_LE(with.loss, .6 * without.loss);
  EXPECT_LE(PartAbove(with), .2) << "what comes until its end is ahead of them";
  EXPECT_LE(PartBelow(with), .2);
}

}  // namespace
}  // namespace priorityd::forecast
