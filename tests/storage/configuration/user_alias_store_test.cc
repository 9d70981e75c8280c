#include "storage/configuration/user_alias_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/configuration/configuration_store.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UserAliasStoreTest : public StoreTest {
 protected:
  std::vector<UserAlias> List() {
    return Read([&](Transaction& t) { return UserAliasStore(t).List(cluster_.id); }).value();
  }
  std::vector<UserAlias> Page(const UserAliasFilter& filter, const std::string& after_source,
                              const std::string& after_alias, int64_t limit) {
    return Read([&](Transaction& t) {
             return UserAliasStore(t).ListPage(cluster_.id, filter, after_source, after_alias,
                                               limit);
           })
        .value();
  }
  absl::Status Insert(const std::vector<UserAlias>& aliases) {
    return Write([&](Transaction& t) { return UserAliasStore(t).Insert(cluster_.id, aliases); });
  }
  int64_t Revision() {
    return Read([&](Transaction& t) { return ConfigurationStore(t).Revision(cluster_.id); })
        .value();
  }

  const UserAlias any_ = {"", "x", "bob", 2};
  const UserAlias upper_ = {"k8s", "Y", "ann", 3};
  const UserAlias lower_ = {"k8s", "x", "ann", 2};
};

TEST_F(UserAliasStoreTest, RowsAreReadBackInBytewiseOrder) {
  ASSERT_OK(Insert({lower_, any_, upper_}));
  EXPECT_THAT(List(), ElementsAre(any_, upper_, lower_));
  EXPECT_THAT(Page({}, "", "", 2), ElementsAre(any_, upper_));
  EXPECT_THAT(Page({}, "k8s", "Y", 2), ElementsAre(lower_));
  EXPECT_THAT(Page({.sources = {""}}, "", "", 9), ElementsAre(any_));
  EXPECT_THAT(Page({.users = {"ann"}}, "", "", 9), ElementsAre(upper_, lower_));
}

TEST_F(UserAliasStoreTest, ADeletedKeyIsOfOneSource) {
  ASSERT_OK(Insert({lower_, any_}));
  const std::vector<UserAlias> keys = {{"k8s", "x"}, {"k8s", "z"}};
  const auto found =
      Read([&](Transaction& t) { return UserAliasStore(t).Find(cluster_.id, keys); });
  EXPECT_THAT(*found, ElementsAre(lower_));
  ASSERT_OK(Write([&](Transaction& t) { return UserAliasStore(t).Delete(cluster_.id, keys); }));
  EXPECT_THAT(List(), ElementsAre(any_));
}

TEST_F(UserAliasStoreTest, AChangeIsARevisionOfTheConfigurationAndAVersionIsCountedByItself) {
  const int64_t before = Revision();
  ASSERT_OK(Insert({any_}));
  EXPECT_GT(Revision(), before);
  const auto advance = [&](Transaction& t) {
    return UserAliasStore(t).Advance(cluster_.id).status();
  };
  ASSERT_OK(Write(advance));
  ASSERT_OK(Write(advance));
  const auto versions = Read([&](Transaction& t) { return UserAliasStore(t).Versions(); });
  EXPECT_THAT(*versions, ElementsAre(UserAliasVersion{cluster_.id, cluster_.name, 2}));
}

TEST_F(UserAliasStoreTest, NamesAreKnownAsAliasesAndAsTheirUsers) {
  ASSERT_OK(Insert({lower_, any_}));
  const std::vector<std::string> names = {"x", "bob", "zoe"};
  const auto aliases =
      Read([&](Transaction& t) { return UserAliasStore(t).AliasesAmong(cluster_.id, names); });
  EXPECT_THAT(*aliases, ElementsAre("x"));
  const auto targets =
      Read([&](Transaction& t) { return UserAliasStore(t).TargetsAmong(cluster_.id, names); });
  EXPECT_THAT(*targets, ElementsAre("bob"));
  const auto users =
      Read([&](Transaction& t) { return UserAliasStore(t).UsersAmong(cluster_.id, names); });
  EXPECT_THAT(*users, IsEmpty()) << "no association";
}

}  // namespace
}  // namespace priorityd::storage
