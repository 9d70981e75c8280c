#include "server/usage/usage_columns.h"

#include <gtest/gtest.h>

#include "server/configuration/stored_rows.h"
#include "tests/server/usage/small_site.h"

namespace priorityd::usage {
namespace {

const priority::UsageDecay& HourlyDecay() {
  static const auto* const decay =
      new priority::UsageDecay({{absl::InfinitePast(), absl::Hours(1)}}, priority::ResetRule());
  return *decay;
}

TEST(UsageColumnsTest, RowsAndOpeningUsageDecayToOneTime) {
  storage::ClusterState state = SmallSite();
  const absl::Time at = kQosGoneAt + absl::Hours(2);
  state.association_usage = {{.id = kUser,
                              .value = 80,
                              .as_of = kQosGoneAt,
                              .tres_seconds = {{1, 40}},
                              .wall_seconds = 20},
                             {.id = kAccount}};
  state.opening_usage = {{.association_id = kUser, .value = 6, .as_of = at - absl::Hours(1)}};
  const auto tree = configuration::BuildTree(state.associations).value();
  const UsageColumns columns = DecayTo(at, state, *tree, HourlyDecay());
  const auto user = tree->FindId(kUser);
  EXPECT_DOUBLE_EQ(columns.usage[user], 20 + 3);
  EXPECT_DOUBLE_EQ(columns.wall_seconds[user], 5);
  ASSERT_EQ(columns.tres_seconds.size(), 1u);
  EXPECT_DOUBLE_EQ(columns.tres_seconds.at("cpu")[user], 10);
  EXPECT_EQ(columns.usage[tree->FindId(kAccount)], 0);
  EXPECT_EQ(LatestUsage(state), kQosGoneAt);
}

TEST(UsageColumnsTest, UsageOfTheDeletedGoesToTheNearestLivingAncestor) {
  storage::ClusterState state = SmallSite();
  state.association_usage = {{.id = kGoneAccount, .value = 1, .as_of = kQosGoneAt},
                             {.id = kGoneUser, .value = 2, .as_of = kQosGoneAt}};
  const auto tree = configuration::BuildTree(state.associations).value();
  const UsageColumns columns = DecayTo(kQosGoneAt, state, *tree, HourlyDecay());
  EXPECT_EQ(columns.usage[tree->FindId(kRoot)], 3);
}

}  // namespace
}  // namespace priorityd::usage
