#include "engine/slurm/words/array_task_ids.h"

#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::slurm {
namespace {

using ::testing::HasSubstr;

uint32_t Count(absl::string_view text) {
  const auto count = CountArrayTasks(text);
  EXPECT_TRUE(count.ok()) << text << ": " << count.status();
  return count.value_or(0);
}

TEST(ArrayTaskIdsTest, ReadsWhatSbatchTakes) {
  EXPECT_EQ(Count("0"), 1);
  EXPECT_EQ(Count("1,3,5,7"), 4);
  EXPECT_EQ(Count("0-31"), 32);
  EXPECT_EQ(Count("1-7:2"), 4);
  EXPECT_EQ(Count("0-15:4,20"), 5);
  EXPECT_EQ(Count("0-15%4"), 16);
  EXPECT_EQ(Count("0-4000000"), 4000001);
  EXPECT_EQ(Count("4000000"), 1);
}

TEST(ArrayTaskIdsTest, CountsATaskOnce) {
  EXPECT_EQ(Count("1,1,1"), 1);
  EXPECT_EQ(Count("0-10,5-15"), 16);
  EXPECT_EQ(Count("0-10,2-3,20"), 12);
  EXPECT_EQ(Count("0-12:4,0-12:6"), 5);
  EXPECT_EQ(Count("0-4000000,0-4000000"), 4000001);
}

TEST(ArrayTaskIdsTest, CountsAsASetDoes) {
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    std::set<int> tasks;
    for (int n = 1 + random() % 6; n > 0; --n) {
      const int first = random() % 60;
      const int last = first + random() % 20;
      const int step = 1 + random() % 5;
      absl::StrAppend(&text, text.empty() ? "" : ",", first);
      if (random() % 3 == 0) {
        tasks.insert(first);
        continue;
      }
      absl::StrAppend(&text, "-", last);
      const bool stepped = random() % 2 == 0;
      if (stepped) absl::StrAppend(&text, ":", step);
      for (int id = first; id <= last; id += stepped ? step : 1) tasks.insert(id);
    }
    EXPECT_EQ(Count(text), tasks.size()) << text;
    EXPECT_EQ(LastArrayTask(text), *tasks.rbegin()) << text;
  }
}

TEST(ArrayTaskIdsTest, RefusesAnythingElse) {
  for (const std::string text : {"",
                                 ",",
                                 "1,",
                                 "-1",
                                 "1-",
                                 "5-3",
                                 "1:2",
                                 "1-5:0",
                                 "1-5:",
                                 "0-5%",
                                 "0-5%0",
                                 "%3",
                                 "a",
                                 "1 ",
                                 "4000001",
                                 "0-4000001",
                                 "99999999999999999999",
                                 "1-2-3",
                                 "1-5:2:2",
                                 "0-5%2%2",
                                 "0x10"}) {
    const auto count = CountArrayTasks(text);
    ASSERT_FALSE(count.ok()) << text;
    EXPECT_THAT(std::string(count.status().message()), HasSubstr("want task ids from 0 to"));
  }
  std::string endless = "1";
  while (endless.size() <= 64 << 10) endless += ",1";
  EXPECT_FALSE(CountArrayTasks(endless).ok());
}

TEST(ArrayTaskIdsTest, DoesNotCountMillionsOneByOne) {
  EXPECT_EQ(Count("0-4000000:2"), 2000001);
  const auto count = CountArrayTasks("0-4000000:2,0-4000000:3");
  EXPECT_THAT(std::string(count.status().message()), HasSubstr("more than 100000 tasks"));
}

TEST(ArrayTaskIdsTest, HasTheTasksThatItsRangesName) {
  std::set<uint32_t> tasks;
  for (uint32_t task = 0; task <= 30; ++task) {
    if (HasArrayTask("0-15:4,20,25-26%3", task)) tasks.insert(task);
  }
  EXPECT_EQ(tasks, (std::set<uint32_t>{0, 4, 8, 12, 20, 25, 26}));
  EXPECT_FALSE(HasArrayTask("", 0));
}

TEST(ArrayTaskIdsTest, TheLimitStandsBehindThePercentSign) {
  EXPECT_EQ(ArrayTaskLimit("0-15%4"), 4u);
  EXPECT_EQ(ArrayTaskLimit("0-15"), std::nullopt);
  EXPECT_EQ(ArrayTaskLimit(""), std::nullopt);
}

}  // namespace
}  // namespace priorityd::slurm
