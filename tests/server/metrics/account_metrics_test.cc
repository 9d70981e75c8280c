#include "server/metrics/account_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

// Account `a` with user `amy`, who has another association in partition `gpu`.
Snapshots ExampleSnapshots() {
  std::vector<priority::Association> associations(4);
  associations[0] = {.id = 1, .account = "root"};
  associations[1] = {.id = 2, .parent_id = 1, .account = "a", .raw_shares = 7};
  associations[2] = {.id = 3, .parent_id = 2, .account = "a", .user = "amy"};
  associations[3] = {.id = 4, .parent_id = 2, .account = "a", .user = "amy", .partition = "gpu"};
  auto tree = priority::AssociationTree::Build(associations);
  EXPECT_TRUE(tree.ok()) << tree.status();
  priority::SnapshotSource source;
  source.generation = 1;
  source.cluster.name = "c";
  source.own_usage = std::vector<double>(4, 0);
  source.own_usage[static_cast<size_t>(tree->FindUser("a", "amy", ""))] = 30;
  source.own_usage[static_cast<size_t>(tree->FindUser("a", "amy", "gpu"))] = 10;
  source.tree = std::make_shared<const priority::AssociationTree>(*std::move(tree));
  return {{"c", priority::Snapshot::Compute(std::move(source))}, {"new", nullptr}};
}

std::map<std::string, double> Told(size_t most_rows) {
  Families families;
  AddAccounts(ExampleSnapshots(), &families, most_rows);
  return SeriesOf(std::move(families));
}

TEST(AccountMetricsTest, TheAssociationsOfAUserInAnAccountAreOneSeries) {
  auto told = Told(kMostAccountRows);
  const std::string amy = "{cluster=\"c\",account=\"a\",user=\"amy\"}";
  EXPECT_EQ(told["slurm_user_fairshare_raw_usage_cpu_seconds" + amy], 40);
  EXPECT_EQ(told["slurm_user_fairshare_raw_shares" + amy], 1);
  EXPECT_TRUE(told.contains("slurm_user_fairshare" + amy));
  const std::string account = "{cluster=\"c\",account=\"a\"}";
  EXPECT_EQ(told["slurm_account_fairshare_raw_usage_cpu_seconds" + account], 40);
  EXPECT_EQ(told["slurm_account_fairshare_raw_shares" + account], 7);
  EXPECT_EQ(told["slurm_account_fairshare_norm_usage" + account], 1);
  EXPECT_EQ(told["priorityd_account_rows_omitted"], 0);
  EXPECT_EQ(told.size(), 3u * 5 + 1);
}

TEST(AccountMetricsTest, WhatThereIsNoRoomForIsCounted) {
  auto told = Told(2);
  EXPECT_EQ(told["priorityd_account_rows_omitted"], 2);
  EXPECT_EQ(told.size(), 2u * 5 + 1);
}

}  // namespace
}  // namespace priorityd::metrics
