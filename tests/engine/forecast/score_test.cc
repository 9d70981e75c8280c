#include "engine/forecast/score.h"

#include "engine/forecast/scale.h"
#include "gtest/gtest.h"

namespace priorityd::forecast {
namespace {

TEST(ScoreTest, PinballLossWeighsBothSidesByTheLevel) {
  EXPECT_NEAR(PinballLoss(.9, 2, 5), .9 * 3, 1e-12);
  EXPECT_NEAR(PinballLoss(.9, 5, 2), .1 * 3, 1e-12);
  EXPECT_EQ(PinballLoss(.5, 2, 2), 0);
  // Levels .1, .5 and .9; those between them do not count.
  EXPECT_NEAR(MeanPinballLoss({1, 99, 2, 99, 4}, 3), (.1 * 2 + .5 * 1 + .1 * 1) / 3, 1e-12);
}

TEST(ScoreTest, ASecondMoreOrLessIsNoMiss) {
  Scored scored;
  scored.published = {ToScale(100), ToScale(200), ToScale(300), ToScale(400), ToScale(500)};
  const auto of = [&](double wait) {
    scored.wait = wait;
    Score score;
    score.Add(scored);
    return score;
  };
  EXPECT_EQ(of(99.5).below, 0);
  EXPECT_EQ(of(98).below, 1);
  EXPECT_EQ(of(500.5).above, 0);
  EXPECT_EQ(of(502).above, 1);
  EXPECT_EQ(of(300.5).held[2], 1);
  EXPECT_EQ(of(302).held[2], 0);
}

TEST(ScoreTest, SumsAddUp) {
  Scored scored;
  scored.wait = 100;
  Score a, b;
  a.Add(scored);
  b.Add(scored);
  b += a;
  EXPECT_EQ(b.count, 2);
  EXPECT_EQ(b.above, 2);
  EXPECT_NEAR(b.loss, 2 * a.loss, 1e-12);
}

}  // namespace
}  // namespace priorityd::forecast
