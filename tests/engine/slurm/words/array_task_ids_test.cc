#include "engine/slurm/words/array_task_ids.h"

#include <random>
#include <set>
#include <string>
#include <vector>

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

// In the order of ForEachArrayTask, up to `most`.
std::vector<uint32_t> Each(absl::string_view text, size_t most = 10'000'000) {
  std::vector<uint32_t> tasks;
  ForEachArrayTask(text, [&](uint32_t task) {
    tasks.push_back(task);
    return tasks.size() < most;
  });
  return tasks;
}

// The part as often as a text has room for it.
std::string Repeated(absl::string_view part) {
  std::string text(part);
  while (text.size() + part.size() + 1 <= 64 << 10) absl::StrAppend(&text, ",", part);
  return text;
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
    EXPECT_EQ(Each(text), std::vector<uint32_t>(tasks.begin(), tasks.end())) << text;
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

TEST(ArrayTaskIdsTest, TheWorkIsBoundedHoweverOftenRangesNameATask) {
  const std::string text = Repeated("0-1000000");
  EXPECT_EQ(Count(text), 1'000'001);
  EXPECT_EQ(Each(text).size(), 1'000'001) << "each task once";
  // Pairs that overlap each other, not the other pairs, in 100,020 tasks together.
  // The bound is that of all ranges together, whether or not each overlaps with each.
  constexpr char kPair[] = "0-60000:2,0-60000:1";
  EXPECT_EQ(Count(kPair), 60'001);
  EXPECT_EQ(Count(absl::StrCat(kPair, ",70000-4000000:2")), 60'001 + 1'965'001) << "alone";
  const auto pairs = CountArrayTasks(absl::StrCat(kPair, ",100000-160000:2,100000-160000:1"));
  EXPECT_THAT(std::string(pairs.status().message()), HasSubstr("more than 100000 tasks"));
}

TEST(ArrayTaskIdsTest, TasksAreTakenAscendingUntilThereAreEnough) {
  EXPECT_EQ(Each("20,0-5,3-8:5,8%2", 100), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 8, 20}));
  EXPECT_EQ(Each("20,0-5", 3), (std::vector<uint32_t>{0, 1, 2}));
  EXPECT_EQ(Each("7,1-9:4,2-4:1", 3), (std::vector<uint32_t>{1, 2, 3}));
  EXPECT_EQ(Each("0-4000000", 1), (std::vector<uint32_t>{0}));
}

std::set<uint32_t> TasksUpTo30(absl::string_view text) {
  const ArrayTasks parsed(text);
  std::set<uint32_t> tasks;
  for (uint32_t task = 0; task <= 30; ++task) {
    if (parsed.Has(task)) tasks.insert(task);
  }
  return tasks;
}

TEST(ArrayTaskIdsTest, HasTheTasksThatItsRangesName) {
  EXPECT_EQ(TasksUpTo30("0-15:4,20,25-26%3"), (std::set<uint32_t>{0, 4, 8, 12, 20, 25, 26}));
  EXPECT_EQ(TasksUpTo30("20,2-30:9,0-12:6"), (std::set<uint32_t>{0, 2, 6, 11, 12, 20, 29}));
  EXPECT_EQ(TasksUpTo30(""), (std::set<uint32_t>{}));
}

TEST(ArrayTaskIdsTest, TheLimitStandsBehindThePercentSign) {
  EXPECT_EQ(ArrayTaskLimit("0-15%4"), 4u);
  EXPECT_EQ(ArrayTaskLimit("0-15"), std::nullopt);
  EXPECT_EQ(ArrayTaskLimit(""), std::nullopt);
}

}  // namespace
}  // namespace priorityd::slurm
