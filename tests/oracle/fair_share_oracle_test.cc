// Every captured tree in every captured mode, against what slurmctld computed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"
#include "tests/engine/priority/exact_fair_tree.h"
#include "tests/oracle/captured_tree.h"

namespace priorityd {
namespace {

// Trees in which slurmctld's treatment of tied accounts, or its rounding, departs
// from the documented rule.
const std::set<std::string>& TreesThatDependOnTies() {
  static const auto* const kTrees = new std::set<std::string>{
      "parent_mix",       "stress04",      "tie_accounts", "tie_accounts3",
      "tie_order_fwd",    "tie_order_rev", "tie_rounding", "tie_rounding_accounts",
      "tie_user_account", "tie_zero",      "zero_shares"};
  return *kTrees;
}

void ExpectClose(double got, double want, const char* column) {
  if (std::isinf(want) || want == 0) {
    EXPECT_EQ(got, want) << column;
  } else {
    EXPECT_LE(std::abs(got - want), 1e-9 * std::abs(want))
        << column << ": got " << got << ", want " << want;
  }
}

void ExpectShown(double got, const std::optional<double>& want, const char* column) {
  if (want) ExpectClose(got, *want, column);
}

struct Computed {
  priority::AssociationTree tree;
  priority::FairShare fair_share;
};

Computed Compute(const CapturedTree& captured, const priority::Policy& policy) {
  auto tree = priority::AssociationTree::Build(captured.associations);
  EXPECT_TRUE(tree.ok()) << tree.status();
  std::vector<double> own_usage = OwnUsageColumn(*tree, captured);
  priority::FairShare fair_share =
      priority::ComputeFairShare(*tree, policy, std::move(own_usage), 0);
  return {*std::move(tree), std::move(fair_share)};
}

priority::Policy PolicyOf(priority::FairShareAlgorithm algorithm, double dampening_factor,
                          priority::FairTreeTies ties) {
  priority::Policy policy;
  policy.algorithm = algorithm;
  policy.dampening_factor = dampening_factor;
  policy.fair_tree_ties = ties;
  return policy;
}

// Slurm shows 1/4294967294 for root and what takes its shares from root.
bool ShowsRootShares(const priority::AssociationTree& tree, priority::AssociationIndex i) {
  return i == 0 || (tree.parent_shares(i) && tree.fair_share_parent()[i] == 0);
}

void ExpectUsage(const Computed& got, priority::AssociationIndex i, const CapturedShare& want) {
  ASSERT_TRUE(want.raw_usage);
  const double usage = got.fair_share.usage[i];
  EXPECT_EQ(std::floor(usage * (1 + 1e-12)), *want.raw_usage) << usage;
  ExpectShown(got.fair_share.norm_usage[i], want.norm_usage, "norm_usage");
  ExpectShown(got.fair_share.effective_usage[i], want.effective_usage, "effective_usage");
}

void ExpectLevel(const Computed& got, priority::AssociationIndex i, const CapturedShare& want) {
  if (!ShowsRootShares(got.tree, i)) {
    ExpectShown(got.tree.level_norm_shares()[i], want.norm_shares, "norm_shares");
  }
  ExpectShown(got.fair_share.level_fs[i], want.level_fs, "level_fs");
  if (got.tree.parent_shares(i) && got.tree.is_user(i)) {
    EXPECT_EQ(got.fair_share.level_fs[i], std::numeric_limits<double>::infinity());
  }
}

void ExpectSameRank(const Computed& got, priority::AssociationIndex i, double want_fair_share) {
  const double users = got.tree.user_count();
  EXPECT_EQ(std::lround(got.fair_share.fair_share[i] * users),
            std::lround(want_fair_share * users));
  ExpectClose(got.fair_share.fair_share[i], want_fair_share, "fair_share");
}

template <typename Check>
void ForEveryAssociation(const std::string& mode, const priority::Policy& policy, Check check) {
  const auto trees = ReadCapturedTrees();
  const auto shares = ReadCapturedShares(mode);
  ASSERT_EQ(trees.size(), 48u);
  ASSERT_EQ(shares.size(), trees.size());
  for (const auto& [name, captured] : trees) {
    const Computed got = Compute(captured, policy);
    ASSERT_EQ(shares.at(name).size(), captured.associations.size());
    for (const auto& [id, want] : shares.at(name)) {
      SCOPED_TRACE(mode + " " + name + " " + std::to_string(id));
      check(name, got, got.tree.FindId(id), want);
    }
  }
}

void ExpectEveryUserRankedLikeSlurm(priority::FairTreeTies ties,
                                    const std::set<std::string>& except) {
  const priority::Policy policy = PolicyOf(priority::FairShareAlgorithm::kFairTree, 1, ties);
  ForEveryAssociation("fairtree", policy,
                      [&](const std::string& tree, const Computed& got,
                          priority::AssociationIndex i, const CapturedShare& want) {
                        ExpectUsage(got, i, want);
                        ExpectLevel(got, i, want);
                        ASSERT_EQ(want.fair_share.has_value(), got.tree.is_user(i));
                        if (want.fair_share && except.count(tree) == 0) {
                          ExpectSameRank(got, i, *want.fair_share);
                        }
                      });
}

TEST(FairShareOracleTest, FairTreeWithSlurmsTiesIsSlurmsRankForRank) {
  ExpectEveryUserRankedLikeSlurm(priority::FairTreeTies::kSlurm, {});
}

TEST(FairShareOracleTest, FairTreeWithMergedTiesIsSlurmsWhereNoAccountsTie) {
  ExpectEveryUserRankedLikeSlurm(priority::FairTreeTies::kMerge, TreesThatDependOnTies());
}

TEST(FairShareOracleTest, FairTreeWithMergedTiesIsTheDocumentedRuleInExactArithmetic) {
  for (const auto& [name, captured] : ReadCapturedTrees()) {
    SCOPED_TRACE(name);
    std::map<int64_t, priority::Rational> own_usage;
    for (const auto& [id, decimal] : captured.own_usage)
      own_usage[id] = priority::RationalOf(decimal);
    const auto exact = priority::ExactFairTree(captured.associations, own_usage);
    const Computed got = Compute(captured, PolicyOf(priority::FairShareAlgorithm::kFairTree, 1,
                                                    priority::FairTreeTies::kMerge));
    ASSERT_EQ(static_cast<int>(exact.size()), got.tree.user_count());
    for (const auto& [id, want] : exact) {
      SCOPED_TRACE(id);
      ExpectSameRank(got, got.tree.FindId(id), want.convert_to<double>());
    }
  }
}

TEST(FairShareOracleTest, MergedTiesDifferFromSlurmsInEachTreeNamedForIt) {
  const auto shares = ReadCapturedShares("fairtree");
  const auto trees = ReadCapturedTrees();
  for (const std::string& name : TreesThatDependOnTies()) {
    const Computed got = Compute(trees.at(name), PolicyOf(priority::FairShareAlgorithm::kFairTree,
                                                          1, priority::FairTreeTies::kMerge));
    int differing = 0;
    for (const auto& [id, want] : shares.at(name)) {
      const double ours = got.fair_share.fair_share[got.tree.FindId(id)];
      if (want.fair_share && std::abs(ours - *want.fair_share) > 1e-9) ++differing;
    }
    EXPECT_GT(differing, 0) << name;
  }
}

void ExpectEveryFigureLikeSlurms(const std::string& mode, priority::FairShareAlgorithm algorithm,
                                 double dampening_factor) {
  const priority::Policy policy =
      PolicyOf(algorithm, dampening_factor, priority::FairTreeTies::kMerge);
  ForEveryAssociation(mode, policy,
                      [](const std::string&, const Computed& got, priority::AssociationIndex i,
                         const CapturedShare& want) {
                        ExpectUsage(got, i, want);
                        ExpectShown(got.tree.path_norm_shares()[i], want.norm_shares,
                                    "norm_shares");
                        ASSERT_TRUE(want.fair_share);
                        ExpectShown(got.fair_share.fair_share[i], want.fair_share, "fair_share");
                      });
}

TEST(FairShareOracleTest, ClassicIsSlurms) {
  ExpectEveryFigureLikeSlurms("classic_d1", priority::FairShareAlgorithm::kClassic, 1);
}

TEST(FairShareOracleTest, DampenedClassicIsSlurms) {
  ExpectEveryFigureLikeSlurms("classic_d5", priority::FairShareAlgorithm::kClassic, 5);
}

TEST(FairShareOracleTest, DepthObliviousIsSlurms) {
  ExpectEveryFigureLikeSlurms("depthobl", priority::FairShareAlgorithm::kDepthOblivious, 1);
}

}  // namespace
}  // namespace priorityd
