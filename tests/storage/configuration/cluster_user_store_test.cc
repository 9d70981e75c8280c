#include "storage/configuration/cluster_user_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class ClusterUserStoreTest : public StoreTest {
 protected:
  absl::Status Upsert(const std::vector<ClusterUser>& users) {
    return Write([&](Transaction& t) { return ClusterUserStore(t).Upsert(users); });
  }
  std::vector<ClusterUser> List() {
    return Read([&](Transaction& t) { return ClusterUserStore(t).List(cluster_.id); }).value();
  }
};

TEST_F(ClusterUserStoreTest, UsersAreReadBackInOrderOfNames) {
  std::vector<ClusterUser> users;
  for (const std::string& text : AwkwardTexts()) {
    if (!text.empty()) users.push_back({cluster_.id, text, text, text, {text, "a,b"}});
  }
  ASSERT_OK(Upsert(users));
  std::sort(users.begin(), users.end(),
            [](const ClusterUser& a, const ClusterUser& b) { return a.name < b.name; });
  EXPECT_EQ(List(), users);
}

TEST_F(ClusterUserStoreTest, AnUpsertOverwrites) {
  ASSERT_OK(Upsert({{cluster_.id, "ada", "physics", ""}, {cluster_.id, "bob", "bio", ""}}));
  ASSERT_OK(Upsert({{cluster_.id, "ada", "chem", "Operator"}}));
  EXPECT_EQ(List(), (std::vector<ClusterUser>{{cluster_.id, "ada", "chem", "Operator"},
                                              {cluster_.id, "bob", "bio", ""}}));
}

TEST_F(ClusterUserStoreTest, ThePrivilegedAreThoseWithAnAdminLevelOrAnAccountToCoordinate) {
  ASSERT_OK(Upsert({{cluster_.id, "ada", "physics", "Operator"},
                    {cluster_.id, "bob", "bio", ""},
                    {cluster_.id, "cat", "bio", "None"},
                    {cluster_.id, "dan", "bio", "", {"bio", "chem"}}}));
  const auto users =
      Read([&](Transaction& t) { return ClusterUserStore(t).ListPrivileged(); }).value();
  ASSERT_EQ(users.size(), 2);
  EXPECT_EQ(users[0].cluster_name, cluster_.name);
  EXPECT_EQ(users[0].name, "ada");
  EXPECT_EQ(users[0].admin_level, "Operator");
  EXPECT_EQ(users[1].name, "dan");
  EXPECT_EQ(users[1].coordinated, (std::vector<std::string>{"bio", "chem"}));
}

TEST_F(ClusterUserStoreTest, ADeletedUserIsGone) {
  ASSERT_OK(Upsert({{cluster_.id, "ada", "", ""}, {cluster_.id, "bob", "", ""}}));
  ASSERT_OK(Write([&](Transaction& t) {
    return ClusterUserStore(t).Delete(cluster_.id, {"ada", "nobody"});
  }));
  EXPECT_EQ(List(), (std::vector<ClusterUser>{{cluster_.id, "bob", "", ""}}));
}

TEST_F(ClusterUserStoreTest, AUserOfNoClusterIsRefused) {
  EXPECT_EQ(Upsert({{99, "ada", "", ""}}).code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace priorityd::storage
