// What is read again after which notifications.
#include "server/recalculation/news.h"

#include <gtest/gtest.h>

namespace priorityd::recalculation {
namespace {

using storage::Subject;
using NewsNames = absl::btree_set<std::string>;

News Of(const storage::Notifications& notifications) {
  News news;
  for (const storage::Notification& notification : notifications) news.Add(notification);
  return news;
}

TEST(NewsTest, NothingIsReadWithoutANotification) {
  EXPECT_EQ(News().Changed(false), NewsNames());
  EXPECT_EQ(News().Queues(false), NewsNames());
  EXPECT_FALSE(News().requests());
}

TEST(NewsTest, OnlyTheClustersThatAreNamedAreRead) {
  const News news = Of({{Subject::kConfiguration, "a"},
                        {Subject::kSnapshot, "b"},
                        {Subject::kSnapshot, "b"},
                        {Subject::kNumbers, "c"},
                        {Subject::kQueue, "d"}});
  EXPECT_EQ(news.Changed(false), (NewsNames{"a", "b", "c"}));
  EXPECT_EQ(news.Queues(false), (NewsNames{"b", "d"}));
  EXPECT_FALSE(news.requests());
}

TEST(NewsTest, TheLeaderDoesNotReadWhatItPublished) {
  const News news = Of({{Subject::kSnapshot, "b"}, {Subject::kQueue, "d"}});
  EXPECT_EQ(news.Changed(true), NewsNames());
  EXPECT_EQ(news.Queues(true), NewsNames{"d"});
}

TEST(NewsTest, RequestsAndAnswersMakeNoClusterRead) {
  EXPECT_TRUE(Of({{Subject::kRequest, "a"}}).requests());
  EXPECT_FALSE(Of({{Subject::kAnswer, "a"}}).requests());
  EXPECT_EQ(Of({{Subject::kRequest, "a"}, {Subject::kAnswer, "a"}}).Changed(false), NewsNames());
}

TEST(NewsTest, HasteIsOfTheClustersThatAreNamedAndMakesNoneRead) {
  const News news = Of({{Subject::kHaste, "a"}, {Subject::kHaste, "b"}});
  EXPECT_EQ(news.hastened(), (NewsNames{"a", "b"}));
  EXPECT_EQ(news.Changed(false), NewsNames());
  EXPECT_EQ(news.Queues(false), NewsNames());
}

TEST(NewsTest, OneOfAnythingMakesAllRead) {
  const News news = Of({{Subject::kQueue, "a"}, {}});
  EXPECT_EQ(news.Changed(true), std::nullopt);
  EXPECT_EQ(news.Queues(true), std::nullopt);
  EXPECT_TRUE(news.requests());
}

}  // namespace
}  // namespace priorityd::recalculation
