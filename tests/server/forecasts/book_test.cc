#include "server/forecasts/book.h"

#include <gtest/gtest.h>

#include "engine/priority/jobs/job.h"

namespace priorityd::forecasts {
namespace {

TEST(BookTest, EarliestStartsMoveForecasts) {
  Book book;
  Event event = MakeEvent(EventKind::kSubmit, priority::Job{.job_id = "1"}, 1000);
  event.number = 1;
  event.cpus = 1;
  book.Apply({event});
  const Question question = {.now = 1000, .levels = {.01, .5}};
  const double usual = book.Forecast("1", question)->start.waits[0];
  EXPECT_TRUE(book.SetEarliestStarts({{"1", 5000}, {"2", 6000}}));
  EXPECT_FALSE(book.SetEarliestStarts({{"1", 5000}}));
  EXPECT_NEAR(book.Forecast("1", question)->start.waits[0], 4000 + usual, 1e-6);
  EXPECT_TRUE(book.SetEarliestStarts({}));
  EXPECT_EQ(book.Forecast("1", question)->start.waits[0], usual);
}

}  // namespace
}  // namespace priorityd::forecasts
