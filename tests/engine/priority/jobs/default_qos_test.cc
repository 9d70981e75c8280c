#include "engine/priority/jobs/default_qos.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::priority {
namespace {

constexpr int64_t kRootId = 1, kAccountId = 2, kUserId = 3;

// root: physics: ann.
class DefaultQosTest : public ::testing::Test {
 protected:
  DefaultQosTest() : associations_(3) {
    for (size_t i = 0; i < associations_.size(); ++i) {
      associations_[i].id = static_cast<int64_t>(i) + 1;
      associations_[i].parent_id = static_cast<int64_t>(i);
      associations_[i].account = i == 0 ? "root" : "physics";
    }
    associations_[2].user = "ann";
  }

  Association& root() { return associations_[kRootId - 1]; }
  Association& account() { return associations_[kAccountId - 1]; }
  Association& user() { return associations_[kUserId - 1]; }

  // Ann's.
  std::string Default(bool normal_exists = true) {
    const AssociationTree tree = *AssociationTree::Build(associations_);
    return std::string(DefaultQos(tree, tree.FindId(kUserId), normal_exists));
  }

 private:
  std::vector<Association> associations_;
};

// As each captured job that named none (tests/oracle/limits).
TEST_F(DefaultQosTest, IsNormalWhereNothingIsSaid) {
  EXPECT_EQ(Default(), "normal");
  user().qos = {"deny", "normal", "wall"};
  EXPECT_EQ(Default(), "normal");
}

TEST_F(DefaultQosTest, IsNoneWhereNothingIsSaidAndThereIsNoNormal) {
  EXPECT_EQ(Default(/*normal_exists=*/false), "");
}

TEST_F(DefaultQosTest, TheOnlyOneOfTheListGoesBeforeRootsAndNormal) {
  account().qos = {"high"};
  EXPECT_EQ(Default(), "high");
  root().default_qos = "low";
  EXPECT_EQ(Default(), "high");
}

TEST_F(DefaultQosTest, RootsGoesBeforeNormal) {
  root().default_qos = "low";
  account().qos = {"low", "normal"};
  EXPECT_EQ(Default(), "low");
}

TEST_F(DefaultQosTest, WhatTheNearestAccountSaysGoesBeforeAll) {
  root().default_qos = "low";
  account().default_qos = "high";
  account().qos = {"normal"};
  EXPECT_EQ(Default(), "high");
  user().default_qos = "top";
  EXPECT_EQ(Default(), "top");
}

}  // namespace
}  // namespace priorityd::priority
