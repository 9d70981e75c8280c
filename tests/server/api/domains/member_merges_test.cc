// Merges of users in a usage domain and in its members: each cluster has those of its own, the
// members have the domain's fair-share, and a merge that the domain lacks is a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/service/domain_site.h"

namespace priorityd::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MemberMergesTest : public DomainSite {
 protected:
  // ben into amy; returns the warnings.
  Names Merge(const std::string& cluster) {
    v1::MergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user("ben");
    request.set_into_user("amy");
    return WarningsOf(Asked<v1::ChangeResponse>(request, nullptr));
  }
  void Unmerge(const std::string& cluster) {
    v1::UnmergeUsersRequest request;
    request.set_cluster(cluster);
    request.set_from_user("ben");
    Asked<v1::ChangeResponse>(request, nullptr);
  }
  static Names WarningsOf(const v1::ChangeResponse& response) {
    return {response.warnings().begin(), response.warnings().end()};
  }
};

TEST_F(MemberMergesTest, AMergeThatTheDomainLacksIsAWarningInTheMember) {
  Merge("beta");
  const auto one_warning = ElementsAre(HasSubstr(
      " has merges of users that the usage domain site lacks (1), where the usage of "
      "each user counts for that user alone; merge them there too: \"ben\" into \"amy\""));
  EXPECT_THAT(WarningsOf(Join({"beta"})), one_warning);
  EXPECT_THAT(WarningsOf(Join({"alpha"})), IsEmpty());
  EXPECT_THAT(Merge("alpha"), one_warning);
  EXPECT_THAT(Merge("alpha"), IsEmpty());  // Nothing changes.
  EXPECT_THAT(Merge("site"), IsEmpty());
  EXPECT_THAT(WarningsOf(Join({"alpha", "beta"})), IsEmpty());
}

class MemberMergesPropertyTest : public MemberMergesTest,
                                 public ::testing::WithParamInterface<uint32_t> {
 protected:
  void RecordAny() {
    const std::string cluster = random_() % 2 == 0 ? "alpha" : "beta";
    const std::string user = random_() % 2 == 0 ? "amy" : "ben";
    const Stretch stretch{Hour(static_cast<double>(random_() % 5)), Hour(6),
                          static_cast<double>(1 + random_() % 50)};
    v1::UsageRecord record = Usage(absl::StrCat("r", ++records_), stretch.start,
                                   stretch.end - stretch.start, stretch.rate);
    record.set_user(user);
    Record(cluster, record);
    recorded_[cluster][user].push_back(stretch);
    recorded_["site"][user].push_back(stretch);
  }

  void ChangeAny() {
    const std::string cluster = Names{"site", "alpha", "beta"}[random_() % 3];
    bool& is_merged = is_merged_[cluster];
    if (is_merged) Unmerge(cluster);
    if (!is_merged) Merge(cluster);
    is_merged = !is_merged;
  }

  // By the definition: what counts for the user in the cluster's tree.
  double NaiveOf(const std::string& cluster, const std::string& user, absl::Time at) {
    const std::map<std::string, absl::Duration> half_lives = {
        {"site", absl::Hours(2)}, {"alpha", absl::Hours(5)}, {"beta", absl::Minutes(30)}};
    std::vector<Stretch> stretches = recorded_[cluster][user];
    if (is_merged_[cluster]) {
      const std::vector<Stretch>& bens = recorded_[cluster]["ben"];
      stretches.insert(stretches.end(), bens.begin(), bens.end());
    }
    return NaiveUsage(stretches, {{absl::InfinitePast(), half_lives.at(cluster)}},
                      absl::InfinitePast(), at);
  }

  void Compare(absl::Time at) {
    const double of_amy = FairShareIn("site", "a", "amy");
    const double of_ben = is_merged_["site"] ? of_amy : FairShareIn("site", "a", "ben");
    for (const char* cluster : {"site", "alpha", "beta"}) {
      SCOPED_TRACE(cluster);
      const std::map<std::string, double> shares = {{"amy", of_amy}, {"ben", of_ben}};
      for (const auto& [user, share] : shares) {
        if (user == "ben" && is_merged_[cluster]) continue;
        const double want = NaiveOf(cluster, user, at);
        EXPECT_LE(std::abs(UsageIn(cluster, "a", user) - want), 1e-9 * want + 1e-6) << user;
        EXPECT_EQ(FairShareIn(cluster, "a", user), share) << user;
      }
    }
  }

  std::mt19937 random_{GetParam()};
  std::map<std::string, bool> is_merged_;
  std::map<std::string, std::map<std::string, std::vector<Stretch>>> recorded_;
  int records_ = 0;
};

TEST_P(MemberMergesPropertyTest, EachClusterHasItsOwnMergesAndMembersTheFairShareOfTheDomain) {
  Join({"alpha", "beta"});
  for (int step = 0; step < 12; ++step) {
    for (uint32_t i = random_() % 3; i > 0; --i) RecordAny();
    ChangeAny();
    const absl::Time at = Hour(7 + step);
    RecalculateAllAt(at);
    Compare(at);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemberMergesPropertyTest, ::testing::Range(1u, 4u));

}  // namespace
}  // namespace priorityd::rpc
