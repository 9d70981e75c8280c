#include "server/metrics/domain_metrics.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/snapshot/snapshot.h"
#include "tests/server/metrics/captured_families.h"

namespace priorityd::metrics {
namespace {

using priority::ClockMode;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

std::shared_ptr<const priority::Snapshot> SnapshotOfAge(absl::Duration age, ClockMode clock) {
  priority::SnapshotSource source;
  source.generation = 1;
  source.computed_at = kNow - age;
  source.policy.clock = clock;
  source.policy.calc_period = absl::Minutes(5);
  source.own_usage = {0};
  source.tree = std::make_shared<const priority::AssociationTree>(
      priority::AssociationTree::Build({{.id = 1, .account = "root"}}).value());
  return priority::Snapshot::Compute(std::move(source));
}

storage::DomainMember Member(const char* domain, const char* cluster) {
  storage::DomainMember member;
  member.domain = domain;
  member.cluster = cluster;
  return member;
}

TEST(DomainMetricsTest, MembersOfADomainThatStandsStillAreCountedByTheReason) {
  const auto recent = SnapshotOfAge(absl::Minutes(1), ClockMode::kReal);
  const auto manual = SnapshotOfAge(absl::Hours(9), ClockMode::kManual);
  const Snapshots snapshots = {
      {"well", recent},   {"late", SnapshotOfAge(absl::Minutes(16), ClockMode::kReal)},
      {"manual", manual}, {"new", nullptr},
      {"m", recent},      {"n", manual}};
  ClusterLabels labels;
  Families families;
  AddDomains(
      {Member("late", "m"), Member("late", "unknown"), Member("late", "n"), Member("manual", "m"),
       Member("manual", "n"), Member("new", "m"), Member("well", "m")},
      snapshots, kNow, &labels, &families);
  auto told = SeriesOf(std::move(families));
  const auto still = [&](const std::string& domain, const std::string& reason) {
    return told.at("priorityd_domain_members_still{cluster=\"" + domain + "\",reason=\"" + reason +
                   "\"}");
  };
  EXPECT_EQ(told.size(), 6u) << "the new domain has no snapshot";
  EXPECT_EQ(still("late", "overdue"), 2) << "n stands still itself";
  EXPECT_EQ(still("late", "manual_clock"), 0);
  EXPECT_EQ(still("manual", "overdue"), 0);
  EXPECT_EQ(still("manual", "manual_clock"), 1);
  EXPECT_EQ(still("well", "overdue"), 0);
  EXPECT_EQ(still("well", "manual_clock"), 0);
}

}  // namespace
}  // namespace priorityd::metrics
