#include "server/metrics/cluster_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Together = ClusterFigures::Together;

std::map<std::string, double> Told(ClusterLabels& labels, Together together) {
  ClusterFigures figures(&labels, together);
  figures.Add("a", 1);
  figures.Add("b", 2);
  figures.Add("c", 3);
  Families families;
  figures.AddTo(families.Gauge("g", "help"));
  return SeriesOf(std::move(families));
}

TEST(ClusterLabelsTest, TheLabelOfAForgottenClusterIsFreeForAnother) {
  ClusterLabels labels(1);
  labels.Of("a");
  EXPECT_EQ(labels.Of("b"), "other");
  labels.Forget("a");
  EXPECT_EQ(labels.Of("b"), "b");
  EXPECT_EQ(labels.Of("a"), "other");
}

TEST(ClusterLabelsTest, ClustersBeyondTheMostShareOneLabel) {
  ClusterLabels labels(1);
  EXPECT_EQ(labels.Of("b"), "b");
  EXPECT_EQ(labels.Of("a"), "other");
  EXPECT_EQ(labels.Of("b"), "b");
  EXPECT_THAT(Told(labels, Together::kSum),
              ElementsAre(Pair("g{cluster=\"b\"}", 2), Pair("g{cluster=\"other\"}", 4)));
  EXPECT_THAT(Told(labels, Together::kLargest),
              ElementsAre(Pair("g{cluster=\"b\"}", 2), Pair("g{cluster=\"other\"}", 3)));
  EXPECT_THAT(Told(labels, Together::kSmallest),
              ElementsAre(Pair("g{cluster=\"b\"}", 2), Pair("g{cluster=\"other\"}", 1)));
}

TEST(ClusterLabelsTest, AThousandClustersAreAHundredAndOne) {
  ClusterLabels labels;
  ClusterFigures figures(&labels);
  for (int i = 0; i < 1000; ++i) figures.Add(absl::StrCat("c", i), 1);
  Families families;
  figures.AddTo(families.Gauge("g", "help"));
  const auto series = SeriesOf(std::move(families));
  EXPECT_EQ(series.size(), ClusterLabels::kMost + 1);
  EXPECT_EQ(series.at("g{cluster=\"other\"}"), 900);
}

}  // namespace
}  // namespace priorityd::metrics
