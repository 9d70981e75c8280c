#include "server/recalculation/snapshot_digest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::recalculation {
namespace {

TEST(SnapshotDigestTest, TheSameNumbersHaveTheSameDigest) {
  priority::SmallSite a, b;
  EXPECT_EQ(DigestOf(*a.Build()), DigestOf(*b.Build()));
}

TEST(SnapshotDigestTest, TheLastBitOfANumberMakesAnotherDigest) {
  priority::SmallSite site;
  const auto snapshot = site.Build();
  site.source.tree = std::make_shared<const priority::AssociationTree>(
      priority::AssociationTree::Build(site.associations).value());
  priority::SnapshotNumbers numbers{.own_usage = snapshot->own_usage(),
                                    .fair_share = snapshot->fair_share(),
                                    .wall_seconds = std::vector<double>(snapshot->tree().size())};
  std::vector<double> cpu(snapshot->tree().size(), 1);
  numbers.tres_usage["cpu"] = cpu;
  std::set<int64_t> digests;
  const auto take = [&] {
    digests.insert(DigestOf(*priority::Snapshot::Restore(site.source, numbers)));
  };
  take();
  for (std::vector<double>* column :
       {&numbers.own_usage, &numbers.fair_share.usage, &numbers.fair_share.norm_usage,
        &numbers.fair_share.effective_usage, &numbers.fair_share.level_fs,
        &numbers.fair_share.fair_share, &numbers.wall_seconds}) {
    for (double& value : *column) {
      value = std::nextafter(value, value == 0 ? 1 : 0);
      take();
    }
  }
  for (double& seconds : cpu) {
    seconds = std::nextafter(seconds, 0);
    numbers.tres_usage["cpu"] = cpu;
    take();
  }
  EXPECT_EQ(digests.size(), 1 + 8 * numbers.own_usage.size());
}

}  // namespace
}  // namespace priorityd::recalculation
