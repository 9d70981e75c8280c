#include "engine/forecast/conformal.h"

#include "engine/forecast/random.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

TEST(ConformalTest, AMissMovesAnEndByNineTenthsOfAStepAndAHitBackByOne) {
  Conformal correction({.step = .1, .most = 1, .narrowest = .2});
  correction.Judge("a", false, true, 2);  // Of a width of 2: a step is .2.
  EXPECT_NEAR(correction.ShiftOf("a").high, .18, 1e-12);
  EXPECT_NEAR(correction.ShiftOf("a").low, .02, 1e-12);
  correction.Judge("a", true, false, 2);
  EXPECT_NEAR(correction.ShiftOf("a").high, .16, 1e-12);
  EXPECT_NEAR(correction.ShiftOf("a").low, -.16, 1e-12);
}

TEST(ConformalTest, HalfOfAShiftIsOfAllJobs) {
  Conformal correction({.step = .1, .most = 1, .narrowest = .2});
  correction.Judge("a", false, true, 1);
  correction.Judge("b", false, false, 1);
  // All: .09 - .01. a: .09. b: from .09, what all had, to .08.
  EXPECT_NEAR(correction.ShiftOf("a").high, (.08 + .09) / 2, 1e-12);
  EXPECT_NEAR(correction.ShiftOf("b").high, .08, 1e-12);
  EXPECT_NEAR(correction.ShiftOf("unknown").high, .08, 1e-12);
}

TEST(ConformalTest, NarrowIntervalsMoveByTheLeastWidthAndShiftsHaveABound) {
  Conformal correction({.step = .1, .most = .05, .narrowest = .2});
  correction.Judge("a", false, true, 0);
  EXPECT_NEAR(correction.ShiftOf("a").high, .018, 1e-12);
  for (int i = 0; i < 100; ++i) correction.Judge("a", false, true, 1);
  EXPECT_EQ(correction.ShiftOf("a").high, .05);
  correction.Clear();
  EXPECT_EQ(correction.ShiftOf("a").high, 0);
}

// Outcomes are uniform in 0 to 1 and the interval is 0.45 to 0.55: each tail becomes a tenth.
TEST(ConformalTest, AnIntervalThatIsTooNarrowGetsItsTails) {
  Conformal correction;
  Random random(7);
  int below = 0, above = 0;
  for (int i = 0; i < 40'000; ++i) {
    const double outcome = random.Below(1'000'000) / 1e6;
    const Conformal::Shift shift = correction.ShiftOf("a");
    const bool is_below = outcome<.45 + shift.low, is_above = outcome> .55 + shift.high;
    correction.Judge("a", is_below, is_above, .1);
    if (i < 20'000) continue;
    below += is_below;
    above += is_above;
  }
  EXPECT_NEAR(below / 20'000., .1, .01);
  EXPECT_NEAR(above / 20'000., .1, .01);
}

// From one outcome to the next all are later by three widths of the interval, such as after an
// outage, and later it is over.
TEST(ConformalTest, TailsReturnWithin150OutcomesOfASuddenShift) {
  Conformal correction;
  Random random(8);
  for (const double later : {0., 3., 0.}) {
    int below = 0, above = 0;
    for (int i = 0; i < 750; ++i) {
      const double outcome = random.Below(1'000'000) / 1e6 + later;
      const Conformal::Shift shift = correction.ShiftOf("a");
      const bool is_below = outcome<.1 + shift.low, is_above = outcome> .9 + shift.high;
      correction.Judge("a", is_below, is_above, 1);
      if (i < 150) continue;
      below += is_below;
      above += is_above;
    }
    EXPECT_LT(below / 600., .17) << later;
    EXPECT_LT(above / 600., .17) << later;
    EXPECT_LT(correction.ShiftOf("a").high, 4) << "no wider than the shift needs";
  }
}

TEST(ConformalTest, OtherLevelsMoveInProportion) {
  const Conformal::Shift shift = {-.4, .8};
  EXPECT_NEAR(Shifted(1, .1, shift), .6, 1e-12);
  EXPECT_NEAR(Shifted(1, .3, shift), .8, 1e-12);
  EXPECT_NEAR(Shifted(1, .5, shift), 1, 1e-12);
  EXPECT_NEAR(Shifted(1, .7, shift), 1.4, 1e-12);
  EXPECT_NEAR(Shifted(1, .9, shift), 1.8, 1e-12);
}

}  // namespace
}  // namespace priorityd::forecast
