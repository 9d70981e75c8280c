#include "engine/explanation/branch_sketch.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/explanation/branch_change.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

// Accounts below accounts, `parent` ones among them, and users in each; nobody ties.
std::unique_ptr<const priority::Snapshot> RandomSite(std::mt19937& random) {
  priority::SmallSite site;
  site.associations.resize(1);
  std::vector<int64_t> accounts = {1};
  int64_t id = 1;
  for (int n = 0; n < 12; ++n) {
    priority::Association account;
    account.id = ++id;
    account.parent_id = accounts[random() % accounts.size()];
    account.account = absl::StrCat("a", n);
    account.raw_shares = 1 + random() % 100;
    if (random() % 5 == 0) account.raw_shares.reset();
    accounts.push_back(account.id);
    site.associations.push_back(account);
    for (int m = 1 + static_cast<int>(random() % 4); m > 0; --m) {
      priority::Association user = account;
      user.id = ++id;
      user.parent_id = account.id;
      user.user = absl::StrCat("u", id);
      user.raw_shares = 1 + random() % 100;
      site.usage[absl::StrCat(user.account, "/", user.user)] = 1 + random() % 1000003;
      site.associations.push_back(user);
    }
  }
  return site.Build();
}

TEST(BranchSketch, IsFairTreeWhereNobodyTies) {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto snapshot = RandomSite(random);
    const priority::AssociationTree& tree = snapshot->tree();
    const priority::AssociationIndex branch = 1 + static_cast<int>(random() % (tree.size() - 1));
    const BranchSketch sketch(*snapshot, branch);
    BranchChange change(*snapshot, branch);
    for (const double kept : {1.0, 0.7, 0.01}) {
      const priority::FairShare exact = change.WithUsage(kept);
      for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
        if (!tree.is_user(i)) continue;
        ASSERT_NEAR(sketch.FairShareWithUsage(i, kept), exact.fair_share[i], 1e-9);
      }
    }
    if (tree.parent_shares(branch)) continue;
    for (const uint32_t shares : {1u, 50u, 100000u}) {
      const priority::FairShare exact = change.WithRawShares(shares);
      for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
        if (!tree.is_user(i)) continue;
        ASSERT_NEAR(sketch.FairShareWithRawShares(i, shares), exact.fair_share[i], 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace priorityd::explanation
