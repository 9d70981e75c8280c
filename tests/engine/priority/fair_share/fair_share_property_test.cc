// What holds of fair-share on any tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/fair_share/fair_share.h"
#include "tests/engine/priority/exact_fair_tree.h"
#include "tests/engine/priority/random_tree.h"

namespace priorityd::priority {
namespace {

constexpr int kTrees = 1500;
constexpr double kCapacity = 5000;

Policy PolicyOf(FairShareAlgorithm algorithm, FairTreeTies ties = FairTreeTies::kMerge) {
  Policy policy;
  policy.algorithm = algorithm;
  policy.fair_tree_ties = ties;
  return policy;
}

const FairShareAlgorithm kAlgorithms[] = {
    FairShareAlgorithm::kFairTree, FairShareAlgorithm::kClassic,
    FairShareAlgorithm::kDepthOblivious, FairShareAlgorithm::kLinear};

int SizeOf(int tree) { return 1 + tree % 60; }

double Number(const std::string& decimal) {
  double number = 0;
  EXPECT_TRUE(absl::SimpleAtod(decimal, &number));
  return number;
}

void ExpectSameFairShare(const ComputedTree& a, const ComputedTree& b, const char* what) {
  ASSERT_EQ(a.tree.size(), b.tree.size());
  for (const int64_t id : a.tree.id()) {
    EXPECT_NEAR(a.fair_share(id), b.fair_share(id), 1e-12) << what << " " << id;
  }
}

void ExpectExactRanks(Usage usage) {
  std::mt19937 random(static_cast<unsigned>(usage) + 1);
  for (int i = 0; i < kTrees; ++i) {
    SCOPED_TRACE(i);
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), usage);
    std::map<int64_t, Rational> own_usage;
    for (const auto& [id, decimal] : made.own_usage) own_usage[id] = RationalOf(decimal);
    const ComputedTree got = Compute(made, PolicyOf(FairShareAlgorithm::kFairTree));
    const auto exact = ExactFairTree(made.associations, own_usage);
    ASSERT_EQ(static_cast<int>(exact.size()), got.tree.user_count());
    for (const auto& [id, want] : exact) {
      ASSERT_NEAR(got.fair_share(id), want.convert_to<double>(), 1e-12) << id;
    }
  }
}

TEST(FairSharePropertyTest, FairTreeIsTheNaiveExactOneWhereValuesTieByChance) {
  ExpectExactRanks(Usage::kAnything);
}

TEST(FairSharePropertyTest, FairTreeIsTheNaiveExactOneWhereEveryTieRestsOnRounding) {
  ExpectExactRanks(Usage::kProportional);
}

TEST(FairSharePropertyTest, FairTreeIsTheNaiveExactOneWhereNothingTies) {
  ExpectExactRanks(Usage::kDistinct);
}

TEST(FairSharePropertyTest, TheTwoRulesOfTiesAgreeWhereOnlyUsersTie) {
  std::mt19937 random(4);
  for (int i = 0; i < kTrees; ++i) {
    RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kDistinct);
    for (Association& a : made.associations) {
      if (a.user.empty()) {
        a.raw_shares = a.raw_shares.value_or(1) + 1;
        // Its own usage distinguishes an account without users' usage from others.
        made.own_usage[a.id] = absl::StrCat(random() % 1000000 + 1);
      }
    }
    ExpectSameFairShare(
        Compute(made, PolicyOf(FairShareAlgorithm::kFairTree, FairTreeTies::kMerge)),
        Compute(made, PolicyOf(FairShareAlgorithm::kFairTree, FairTreeTies::kSlurm)), "ties");
  }
}

TEST(FairSharePropertyTest, ScalingAllSharesChangesNothing) {
  std::mt19937 random(5);
  for (int i = 0; i < kTrees; ++i) {
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kAnything);
    RandomTree scaled = made;
    for (Association& a : scaled.associations) {
      if (a.raw_shares) *a.raw_shares *= 7;
    }
    for (const FairShareAlgorithm algorithm : kAlgorithms) {
      ExpectSameFairShare(Compute(made, PolicyOf(algorithm), kCapacity),
                          Compute(scaled, PolicyOf(algorithm), kCapacity), "scaled");
    }
  }
}

TEST(FairSharePropertyTest, TheOrderOfTheInputDoesNotMatter) {
  std::mt19937 random(6);
  for (int i = 0; i < kTrees; ++i) {
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kProportional);
    RandomTree shuffled = made;
    std::shuffle(shuffled.associations.begin(), shuffled.associations.end(), random);
    for (const FairShareAlgorithm algorithm : kAlgorithms) {
      ExpectSameFairShare(Compute(made, PolicyOf(algorithm), kCapacity),
                          Compute(shuffled, PolicyOf(algorithm), kCapacity), "shuffled");
    }
  }
}

TEST(FairSharePropertyTest, TheOrderInWhichSiblingsAreHeldDoesNotMatter) {
  std::mt19937 random(7);
  for (int i = 0; i < kTrees; ++i) {
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kProportional);
    const int64_t last = static_cast<int64_t>(made.associations.size()) + 1;
    RandomTree mirrored;
    for (Association a : made.associations) {
      mirrored.own_usage[last - a.id] = made.own_usage.at(a.id);
      a.id = last - a.id;
      if (a.parent_id != 0) a.parent_id = last - a.parent_id;
      mirrored.associations.push_back(a);
    }
    for (const FairShareAlgorithm algorithm : kAlgorithms) {
      const ComputedTree a = Compute(made, PolicyOf(algorithm), kCapacity);
      const ComputedTree b = Compute(mirrored, PolicyOf(algorithm), kCapacity);
      for (const int64_t id : a.tree.id()) {
        ASSERT_NEAR(a.fair_share(id), b.fair_share(last - id), 1e-12) << i << " " << id;
      }
    }
  }
}

TEST(FairSharePropertyTest, MoreUsageNeverRaisesOnesOwnFairShare) {
  std::mt19937 random(8);
  for (int i = 0; i < kTrees; ++i) {
    SCOPED_TRACE(i);
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kAnything);
    const Association& one = made.associations[random() % made.associations.size()];
    if (one.user.empty()) continue;
    RandomTree more = made;
    more.own_usage[one.id] =
        absl::StrCat(Number(made.own_usage.at(one.id)) + 100 * (1 + random() % 9));
    for (const FairShareAlgorithm algorithm :
         {FairShareAlgorithm::kFairTree, FairShareAlgorithm::kClassic,
          FairShareAlgorithm::kLinear}) {
      const double before = Compute(made, PolicyOf(algorithm), kCapacity).fair_share(one.id);
      const double after = Compute(more, PolicyOf(algorithm), kCapacity).fair_share(one.id);
      ASSERT_LE(after, before + 1e-12) << FairShareAlgorithmName(algorithm) << " " << one.id;
    }
  }
}

TEST(FairSharePropertyTest, EveryFigureIsInRange) {
  std::mt19937 random(9);
  for (int i = 0; i < kTrees; ++i) {
    const RandomTree made = MakeRandomTree(&random, SizeOf(i), Usage::kAnything);
    for (const FairShareAlgorithm algorithm : kAlgorithms) {
      const FairShare result = Compute(made, PolicyOf(algorithm), kCapacity).result;
      EXPECT_EQ(result.algorithm, algorithm);
      for (const auto* column : {&result.norm_usage, &result.fair_share}) {
        ASSERT_EQ(column->size(), made.associations.size());
        for (const double value : *column) ASSERT_TRUE(value >= 0 && value <= 1) << value;
      }
      for (const double value : result.effective_usage) {
        ASSERT_TRUE(value >= 0 && std::isfinite(value)) << value;
      }
      for (const double value : result.level_fs) ASSERT_GE(value, 0);
    }
  }
}

TEST(FairSharePropertyTest, EveryAlgorithmWalksATreeOfAHundredThousandLevels) {
  constexpr int kDepth = 100000;
  RandomTree deep;
  for (int id = 1; id <= kDepth; ++id) {
    Association a;
    a.id = id;
    a.parent_id = id - 1;
    a.account = absl::StrCat("account", id);
    deep.own_usage[id] = "1";
    deep.associations.push_back(a);
  }
  Association user = deep.associations.back();
  user.user = "user";
  user.parent_id = user.id++;
  deep.own_usage[user.id] = "1";
  deep.associations.push_back(user);
  for (const FairShareAlgorithm algorithm : kAlgorithms) {
    EXPECT_GT(Compute(deep, PolicyOf(algorithm), kCapacity).fair_share(user.id), 0);
  }
  EXPECT_EQ(Compute(deep, PolicyOf(FairShareAlgorithm::kFairTree, FairTreeTies::kSlurm))
                .fair_share(user.id),
            1);
}

}  // namespace
}  // namespace priorityd::priority
