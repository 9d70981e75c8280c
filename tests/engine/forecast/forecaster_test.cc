#include "engine/forecast/forecaster.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/forecast/prior.h"
#include "engine/forecast/random.h"
#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

ForecasterOptions Small() {
  ForecasterOptions options;
  options.capacity = 100;
  options.most_examples = 400;
  options.fewest_examples = 100;
  options.starts_per_training = 200;
  options.forest.trees = 20;
  return options;
}

Job JobOf(const std::string& id, Seconds time, double cpus) {
  Job job;
  job.id = id;
  job.submit_time = time;
  job.cpus = cpus;
  job.limit = 3600;
  job.user = "ann";
  return job;
}

// Jobs of `small` CPUs wait 10 minutes, those of 50 wait 10 hours, both give or take a half.
void Live(Forecaster* forecaster, int jobs, Seconds* now, double small = 1) {
  Random random(4);
  for (int i = 0; i < jobs; ++i) {
    const bool large = random.Below(2) == 0;
    const std::string id = absl::StrCat("j", *now);
    ASSERT_TRUE(forecaster->Submit(JobOf(id, *now, large ? 50 : small)));
    const Seconds wait = (large ? 36'000 : 600) * (50 + random.Below(100)) / 100;
    *now += wait;
    ASSERT_TRUE(forecaster->Start(id, *now).has_value());
    *now += 100;
    ASSERT_TRUE(forecaster->End(id, *now));
    forecaster->TrainIfDue(*now);
  }
}

TEST(ForecasterTest, BeforeAnyStartTheAnswerIsThePrior) {
  Forecaster forecaster;
  forecaster.Submit(JobOf("1", 1000, 1));
  const auto forecast = forecaster.Forecast("1", 1000, {.1, .9});
  EXPECT_EQ(forecast->source, Source::kNothing);
  EXPECT_NEAR(forecast->waits[1], PriorQuantile(.9, 0), 1);
  EXPECT_FALSE(forecaster.Forecast("2", 1000, {.1}).has_value());
}

TEST(ForecasterTest, WithFewStartsTheTableAnswersAndIsNeverTooNarrow) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 10, &now);
  const auto forecast = forecaster.ForecastNew(JobOf("", 0, 1), now, {.1, .9});
  EXPECT_EQ(forecast.source, Source::kTable);
  EXPECT_EQ(forecast.examples, 10);
  EXPECT_GE(forecast.waits[1], PriorQuantile(.9, 0) - 1);
}

TEST(ForecasterTest, WhatIsPublishedHasLearnedTheWaitsOfBothKinds) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 800, &now);
  ASSERT_GT(forecaster.model(), 1);
  const auto small = forecaster.ForecastNew(JobOf("", 0, 1), now, {.1, .5, .9});
  EXPECT_NEAR(small.waits[1], 600, 200);
  EXPECT_GT(small.waits[0], 200);
  EXPECT_LT(small.waits[2], 1200);
  const auto large = forecaster.ForecastNew(JobOf("", 0, 50), now, {.1, .5, .9});
  EXPECT_NEAR(large.waits[1], 36'000, 12'000);
  const auto influences = forecaster.InfluencesOfNew(JobOf("", 0, 50), now, 3);
  ASSERT_EQ(influences.size(), 3);
  EXPECT_GE(std::max(influences[0].factor, 1 / influences[0].factor),
            std::max(influences[2].factor, 1 / influences[2].factor));
}

TEST(ForecasterTest, AWaitingJobIsForecastGivenItsAge) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 400, &now);
  forecaster.Submit(JobOf("w", now, 1));
  for (const Seconds age : {0, 500, 800, 100'000, 10'000'000}) {
    const auto forecast = forecaster.Forecast("w", now + age, {.1, .25, .5, .75, .9, .99});
    ASSERT_TRUE(forecast.has_value());
    EXPECT_TRUE(std::is_sorted(forecast->waits.begin(), forecast->waits.end()));
    EXPECT_GE(forecast->waits.front(), age);
    EXPECT_GT(forecast->waits.back(), age);
  }
}

TEST(ForecasterTest, ALevelHasTheSameValueWhateverElseIsAskedFor) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 400, &now);
  const Job job = JobOf("", 0, 1);
  const double alone = forecaster.ForecastNew(job, now, {.3}).waits[0];
  EXPECT_EQ(forecaster.ForecastNew(job, now, {.9, .3, .05}).waits[1], alone);
}

TEST(ForecasterTest, TheSameCallsGiveTheSameBits) {
  Forecaster one(Small()), two(Small());
  Seconds now = 1000, same = 1000;
  Live(&one, 500, &now);
  Live(&two, 500, &same);
  for (double cpus = 1; cpus < 60; cpus *= 1.5) {
    EXPECT_EQ(one.ForecastNew(JobOf("", 0, cpus), now, kLevels).waits,
              two.ForecastNew(JobOf("", 0, cpus), now, kLevels).waits);
  }
}

TEST(ForecasterTest, ATrainingElsewhereLearnsWhatStartedMeanwhile) {
  Forecaster elsewhere(Small());
  Seconds same = 1000;
  Live(&elsewhere, 99, &same);
  const Training training = elsewhere.NextTraining();
  EXPECT_EQ(training.examples.size(), 99);
  Live(&elsewhere, 50, &same);
  const int64_t before = elsewhere.model();
  elsewhere.Adopt(training, training.Run(), same);
  EXPECT_EQ(elsewhere.model(), before + 1);
  EXPECT_EQ(elsewhere.ForecastNew(JobOf("", 0, 1), same, {.5}).examples, 149);
}

TEST(ForecasterTest, ExamplesAreBounded) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 700, &now);
  EXPECT_EQ(forecaster.NextTraining().examples.size(), 400);
}

TEST(ForecasterTest, ACancelledJobIsNoExample) {
  Forecaster forecaster(Small());
  forecaster.Submit(JobOf("1", 1000, 1));
  EXPECT_TRUE(forecaster.Cancel("1", 2000));
  EXPECT_FALSE(forecaster.Start("1", 2001).has_value());
  EXPECT_TRUE(forecaster.NextTraining().examples.empty());
}

TEST(ForecasterTest, AfterANewPolicyTheTableBeginsAgain) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 50, &now);
  forecaster.PolicyChanged();
  EXPECT_EQ(forecaster.ForecastNew(JobOf("", 0, 1), now, {.5}).source, Source::kNothing);
}

TEST(ForecasterTest, AJobBlockedByAReservationIsForecastFromItsEndOn) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 400, &now);
  const std::vector<double> levels = {.01, .1, .5, .9};
  const auto usual = forecaster.ForecastNew(JobOf("", 0, 1), now, levels);
  ASSERT_NE(usual.source, Source::kNothing);
  Job blocked = JobOf("b", now, 1);
  blocked.known.earliest_wait = 5'000;
  const auto supposed = forecaster.ForecastNew(blocked, now, levels);
  ASSERT_TRUE(forecaster.Submit(blocked));
  const auto waiting = forecaster.Forecast("b", now, levels);
  const auto later = forecaster.Forecast("b", now + 4'000, levels);
  const auto late = forecaster.Forecast("b", now + 60'000, levels);
  for (size_t i = 0; i < levels.size(); ++i) {
    EXPECT_NEAR(supposed.waits[i], 5'000 + usual.waits[i], 1e-6) << levels[i];
    EXPECT_NEAR(waiting->waits[i], supposed.waits[i], 1e-6);
    EXPECT_NEAR(later->waits[i], supposed.waits[i], 1e-6) << "it has not waited for a start yet";
    EXPECT_GE(late->waits[i], 60'000);
  }
}

TEST(ForecasterTest, WhenReservationsChangeTheForecastMoves) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 150, &now);
  ASSERT_TRUE(forecaster.Submit(JobOf("b", now, 1)));
  const double usual = forecaster.Forecast("b", now, {.5})->waits[0];
  EXPECT_TRUE(forecaster.SetEarliestWait("b", 5'000));
  EXPECT_FALSE(forecaster.SetEarliestWait("b", 5'000)) << "it is the same";
  EXPECT_NEAR(forecaster.Forecast("b", now, {.5})->waits[0], 5'000 + usual, 1e-6);
  EXPECT_TRUE(forecaster.SetEarliestWait("b", 0));
  EXPECT_EQ(forecaster.Forecast("b", now, {.5})->waits[0], usual);
  EXPECT_FALSE(forecaster.SetEarliestWait("unknown", 5'000));
}

TEST(ForecasterTest, AfterALongReservationTheQueueIsLonger) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  Live(&forecaster, 400, &now, 20);  // Of one class with those of 50, so that the forest leads.
  const std::vector<double> levels = {.1, .5, .9};
  Job blocked = JobOf("", 0, 20);
  const auto usual = forecaster.ForecastNew(blocked, now, levels);
  ASSERT_EQ(usual.source, Source::kForest);
  blocked.known.earliest_wait = 72'000;  // Ten hours of work come meanwhile.
  const auto later = forecaster.ForecastNew(blocked, now, levels);
  EXPECT_GT(later.waits[0], 72'000);
  EXPECT_GT(later.waits[1], 72'000 + 2 * usual.waits[1]);
  EXPECT_GT(later.waits[2], 72'000 + 5 * usual.waits[2]);
  EXPECT_LT(later.waits[2], 72'000 + 20 * usual.waits[2]);
}

TEST(ForecasterTest, AJobThatAReservationBlockedTeachesNothing) {
  Forecaster one(Small()), other(Small());
  Seconds now = 1000, same = 1000;
  Live(&one, 150, &now);
  Live(&other, 150, &same);
  Job blocked = JobOf("b", now, 1);
  blocked.known.earliest_wait = 50'000;
  ASSERT_TRUE(one.Submit(blocked));
  const auto outcome = one.Start("b", now + 90'000);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->scored.wait, 90'000) << "it is scored";
  EXPECT_GE(FromScale(outcome->scored.published.front()), 49'999.9);
  EXPECT_GE(FromScale(outcome->scored.qbets.front()), 49'999.9) << "so are the references";
  EXPECT_EQ(one.NextTraining().examples.size(), other.NextTraining().examples.size());
}

TEST(ForecasterTest, JobsThatWaitedWhenNothingStartedForADayAreNoExamples) {
  Forecaster forecaster(Small());
  Seconds now = 1000;
  ASSERT_TRUE(forecaster.Submit(JobOf("before", now, 1)));
  ASSERT_TRUE(forecaster.Submit(JobOf("during", now + 50'000, 1)));
  ASSERT_TRUE(forecaster.Start("before", now + 86'401).has_value());
  ASSERT_TRUE(forecaster.Submit(JobOf("after", now + 86'500, 1)));
  ASSERT_TRUE(forecaster.Start("during", now + 86'600).has_value());
  EXPECT_TRUE(forecaster.NextTraining().examples.empty());
  ASSERT_TRUE(forecaster.Start("after", now + 86'700).has_value());
  EXPECT_EQ(forecaster.NextTraining().examples.size(), 1);
}

TEST(ForecasterTest, AnEmptyQueueIsNoStandstill) {
  Forecaster forecaster(Small());
  ASSERT_TRUE(forecaster.Submit(JobOf("1", 1000, 1)));
  ASSERT_TRUE(forecaster.Start("1", 1010).has_value());
  ASSERT_TRUE(forecaster.Submit(JobOf("2", 500'000, 1)));
  ASSERT_TRUE(forecaster.Start("2", 500'010).has_value());
  EXPECT_EQ(forecaster.NextTraining().examples.size(), 2);
}

TEST(PriorTest, TheMedianIsAnHourAndATenthWaitsMoreThan81Hours) {
  EXPECT_NEAR(PriorQuantile(.5, 0), 3600, 1e-6);
  EXPECT_NEAR(PriorQuantile(.9, 0), 81 * 3600, 1e-6);
  EXPECT_GT(PriorQuantile(.1, 7200), 7200);
}

}  // namespace
}  // namespace priorityd::forecast
