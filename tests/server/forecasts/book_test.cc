#include "server/forecasts/book.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/job.h"

namespace priorityd::forecasts {
namespace {

Event Submission(int64_t number) {
  Event event = MakeEvent(EventKind::kSubmit, priority::Job{.job_id = absl::StrCat(number)},
                          1000 + 10 * number);
  event.number = number;
  event.cpus = 1;
  return event;
}

TEST(BookTest, AStopBetweenEventsLeavesABookOfTheEventsBefore) {
  std::vector<Event> events;
  for (int64_t number = 1; number <= 1000; ++number) events.push_back(Submission(number));
  Book stopped, short_one;
  int asked = 0;
  stopped.Apply(events, [&] { return ++asked > 400; });
  short_one.Apply(absl::MakeConstSpan(events).first(400));
  EXPECT_EQ(asked, 401);
  EXPECT_EQ(stopped.last(), 400);
  EXPECT_EQ(stopped.phases(), short_one.phases());
  const Question question = {.now = 20'000, .levels = {.1, .5, .9}};
  EXPECT_EQ(stopped.Forecast("400", question)->start.waits,
            short_one.Forecast("400", question)->start.waits);
  EXPECT_FALSE(stopped.Forecast("401", question).has_value());
}

TEST(BookTest, EarliestStartsMoveForecasts) {
  Book book;
  book.Apply({Submission(1)});
  const Question question = {.now = 1010, .levels = {.01, .5}};
  const double usual = book.Forecast("1", question)->start.waits[0];
  EXPECT_TRUE(book.SetEarliestStarts({{"1", 5000}, {"2", 6000}}));
  EXPECT_FALSE(book.SetEarliestStarts({{"1", 5000}}));
  EXPECT_NEAR(book.Forecast("1", question)->start.waits[0], 3990 + usual, 1e-6);
  EXPECT_TRUE(book.SetEarliestStarts({}));
  EXPECT_EQ(book.Forecast("1", question)->start.waits[0], usual);
}

}  // namespace
}  // namespace priorityd::forecasts
