#include "server/priority/usage_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::priority {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Association Row(int64_t id, int64_t parent, const char* account, const char* user = "") {
  Association row;
  row.id = id;
  row.parent_id = parent;
  row.account = account;
  row.user = user;
  return row;
}

class UsageLimitsTest : public testing::Test {
 protected:
  UsageLimits Build() {
    tree_.emplace(AssociationTree::Build(rows_).value());
    return UsageLimits(*tree_, qos_, usage_);
  }
  // `TRES@account` of the limits that concern account b.
  std::vector<std::string> OfB(const UsageLimits& limits) {
    std::vector<std::string> names;
    for (const int32_t i : limits.OfAssociation(tree_->FindAccount("b"))) {
      const UsageLimit& limit = limits.limits()[i];
      names.push_back(
          std::string(limit.tres == UsageLimit::kWall ? "wall" : limits.tres()[limit.tres]) + "@" +
          std::string(tree_->account(limit.association)));
    }
    return names;
  }

  std::vector<Association> rows_ = {Row(1, 0, "root"), Row(2, 1, "a"), Row(3, 2, "b"),
                                    Row(4, 3, "b", "u")};
  std::vector<Qos> qos_ = std::vector<Qos>(2);
  UsageLimits::Usage usage_;
  std::optional<AssociationTree> tree_;
};

TEST_F(UsageLimitsTest, WithoutAnyThereIsNothingToCheck) {
  rows_[1].limits.max_submit_jobs = 3;
  const UsageLimits limits = Build();
  EXPECT_TRUE(limits.empty());
  EXPECT_THAT(OfB(limits), IsEmpty());
  EXPECT_THAT(limits.OfQos(1), IsEmpty());
}

TEST_F(UsageLimitsTest, MinutesOfAllLevelsStandBeforeWall) {
  rows_[0].limits.grp_tres_mins = {{"billing", 1}};
  rows_[1].limits.grp_wall = absl::Minutes(1);
  rows_[2].limits.grp_tres_mins = {{"mem", 1}, {"cpu", 1}};
  rows_[2].limits.grp_wall = absl::Minutes(2);
  EXPECT_THAT(OfB(Build()), ElementsAre("cpu@b", "mem@b", "billing@root", "wall@b", "wall@a"));
}

TEST_F(UsageLimitsTest, AnAssociationWithoutItsOwnHasThoseAbove) {
  rows_[1].limits.grp_tres_mins = {{"cpu", 1}};
  const UsageLimits limits = Build();
  EXPECT_THAT(OfB(limits), ElementsAre("cpu@a"));
  EXPECT_EQ(limits.OfAssociation(tree_->FindUser("b", "u", "")).size(), 1u);
  EXPECT_THAT(limits.OfAssociation(0), IsEmpty());
}

TEST_F(UsageLimitsTest, AQosHasItsOwn) {
  qos_[1].grp_tres_mins = {{"cpu", 2}};
  const QosUsage used[] = {{}, {7, {{"cpu", 5}}, 3}};
  usage_.qos = used;
  const UsageLimits limits = Build();
  EXPECT_THAT(limits.OfQos(-1), IsEmpty());
  EXPECT_THAT(limits.OfQos(0), IsEmpty());
  ASSERT_EQ(limits.OfQos(1).size(), 1u);
  const UsageLimit& limit = limits.limits()[limits.OfQos(1)[0]];
  EXPECT_EQ(limit.limit, 120);
  EXPECT_EQ(limit.used, 5);
  EXPECT_TRUE(limit.of_qos());
}

}  // namespace
}  // namespace priorityd::priority
