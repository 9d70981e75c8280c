#include "server/metrics/grant_metrics.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "tests/server/budgets/running_jobs.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

// The grant `paid` has 20 of 60 left, `spent` nothing, as 70 of 60 are used. `plain` is as `paid`,
// without a consequence.
Snapshots GrantedSnapshots() {
  auto tree = priority::AssociationTree::Build({{.id = 1, .account = "root"}});
  EXPECT_TRUE(tree.ok()) << tree.status();
  priority::SnapshotSource source;
  source.generation = 1;
  source.cluster.name = "c";
  source.own_usage = {0};
  source.tree = std::make_shared<const priority::AssociationTree>(*std::move(tree));
  source.grants.emplace_back() = {
      .name = "plain", .accounts = {"root"}, .tres = "gres/gpu", .available = 60, .used = 40};
  for (const auto& [name, used] : {std::pair("paid", 40.0), {"spent", 70.0}}) {
    priority::GrantStanding& grant = source.grants.emplace_back();
    grant.name = name;
    grant.accounts = {"root"};
    grant.tres = "gres/gpu";
    grant.available = 60;
    grant.used = used;
    grant.consequence = priority::GrantConsequence::kWarn;
  }
  source.grants.push_back(source.grants[2]);
  source.grants.Change(3).domain = "site";  // It is a metric of that cluster.
  return {{"c", priority::Snapshot::Compute(std::move(source))}, {"new", nullptr}};
}

TEST(GrantMetricsTest, OwnersOfGrantsWithAConsequenceAreCountedByCluster) {
  ClusterLabels labels;
  Families families;
  AddGrants(GrantedSnapshots(), &labels, &families);
  auto told = SeriesOf(std::move(families));
  EXPECT_EQ(told["priorityd_grants_in_force{cluster=\"c\"}"], 2);
  EXPECT_EQ(told["priorityd_grants_used_up{cluster=\"c\"}"], 1);
  EXPECT_EQ(told.size(), 2u);
}

TEST(GrantMetricsTest, EachHasWhatIsUsedAndLeft) {
  Families families;
  AddGrantRows(GrantedSnapshots(), {}, nullptr, &families);
  auto told = SeriesOf(std::move(families));
  const std::string paid = "{cluster=\"c\",grant=\"paid\",tres=\"gres/gpu\"}";
  const std::string spent = "{cluster=\"c\",grant=\"spent\",tres=\"gres/gpu\"}";
  EXPECT_EQ(told["priorityd_grant_available_tres_seconds" + paid], 60);
  EXPECT_EQ(told["priorityd_grant_used_tres_seconds" + paid], 40);
  EXPECT_EQ(told["priorityd_grant_left_tres_seconds" + paid], 20);
  EXPECT_EQ(told["priorityd_grant_used_up" + paid], 0);
  EXPECT_EQ(told["priorityd_grant_left_tres_seconds" + spent], 0);
  EXPECT_EQ(told["priorityd_grant_used_up" + spent], 1);
  const std::string plain = "{cluster=\"c\",grant=\"plain\",tres=\"gres/gpu\"}";
  EXPECT_EQ(told["priorityd_grant_left_tres_seconds" + plain], 20);
  EXPECT_EQ(told["priorityd_grant_used_up" + plain], 0);
  EXPECT_EQ(told["priorityd_grant_rows_omitted"], 0);
}

// 4 CPUs for the 55 minutes after the record.
TEST(GrantMetricsTest, EachHasWhatRunningJobsMayStillUseOnceTheQueueIsLoaded) {
  priority::SmallSite site;
  priority::GrantStanding& grant = site.source.grants.emplace_back();
  grant.name = "paid";
  grant.accounts = {"physics"};
  grant.tres = "cpu";
  grant.available = 60;
  site.source.recorded_until["1"] = priority::kNow - absl::Minutes(5);
  const std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
  const std::string running =
      "priorityd_grant_running_tres_seconds{cluster=\"small\",grant=\"paid\",tres=\"cpu\"}";
  Families loaded;
  AddGrantRows(
      {{"small", snapshot}},
      {{"small", budgets::QueueOf(snapshot, {budgets::HourOf("1", "ann", "physics", 4, 0)})}},
      nullptr, &loaded);
  EXPECT_EQ(SeriesOf(std::move(loaded))[running], 4 * 3300);
  Families unloaded;
  AddGrantRows({{"small", snapshot}}, {}, nullptr, &unloaded);
  const auto told = SeriesOf(std::move(unloaded));
  EXPECT_EQ(told.count(running), 0u);
  EXPECT_EQ(told.size(), 4u + 1);
}

TEST(GrantMetricsTest, WhatThereIsNoRoomForIsCountedAndHasNoConsequenceIfPossible) {
  Families families;
  AddGrantRows(GrantedSnapshots(), {}, nullptr, &families, 2);
  auto told = SeriesOf(std::move(families));
  EXPECT_EQ(told["priorityd_grant_rows_omitted"], 1);
  EXPECT_EQ(told.size(), 2 * 4u + 1);
  EXPECT_EQ(told.count("priorityd_grant_used_up{cluster=\"c\",grant=\"plain\",tres=\"gres/gpu\"}"),
            0u);
}

}  // namespace
}  // namespace priorityd::metrics
