#include "storage/configuration/tres_store.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

using Tres = std::map<std::string, int32_t>;

class TresStoreTest : public StoreTest {
 protected:
  int32_t NewCluster(const std::string& name) {
    return Write([&](Transaction& transaction) {
             return ClusterStore(transaction).FindOrCreate(name);
           })
        ->id;
  }

  Tres Register(const std::vector<std::string>& names, size_t most = 1000) {
    return RegisterFor(cluster_.id, names, most);
  }

  Tres RegisterFor(int32_t cluster_id, const std::vector<std::string>& names, size_t most) {
    Tres tres;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto registered = TresStore(transaction).Register(cluster_id, names, most);
      if (registered.ok()) tres = *registered;
      return registered.status();
    }));
    return tres;
  }
};

TEST_F(TresStoreTest, SlurmsOwnAreThereWithTheirNumbers) {
  EXPECT_EQ(Read([](Transaction& t) { return TresStore(t).List(); }).value(), (Tres{{"cpu", 1},
                                                                                    {"mem", 2},
                                                                                    {"energy", 3},
                                                                                    {"node", 4},
                                                                                    {"billing", 5},
                                                                                    {"fs/disk", 6},
                                                                                    {"vmem", 7},
                                                                                    {"pages", 8}}));
}

TEST_F(TresStoreTest, ANumberNeverChanges) {
  const Tres first = Register({"gres/gpu", "gres/gpu:a100", "cpu"});
  EXPECT_EQ(first.size(), 10u);
  const Tres second = Register({"license/x", "gres/gpu", "gres/gpu"});
  for (const auto& [name, id] : first) EXPECT_EQ(second.at(name), id) << name;
  EXPECT_EQ(second.size(), 11u);
}

TEST_F(TresStoreTest, TwoMayRegisterTheSameAtOnce) {
  std::vector<Tres> seen(4);
  std::vector<std::thread> threads;
  for (Tres& tres : seen) {
    threads.emplace_back([this, &tres] { tres = Register({"gres/a", "gres/b", "gres/c"}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tres& tres : seen) EXPECT_EQ(tres, seen[0]);
}

TEST_F(TresStoreTest, AClusterHasRoomForSoManyAndContinuesWithThose) {
  const Tres full = Register({"gres/b", "cpu", "gres/a", "gres/c"}, 2);
  EXPECT_EQ(full.size(), kSlurmsOwnTres + 2);
  EXPECT_TRUE(full.contains("gres/b"));
  EXPECT_TRUE(full.contains("gres/a"));
  EXPECT_EQ(Register({"gres/c", "gres/a"}, 2), full);
  EXPECT_FALSE(Read([](Transaction& t) { return TresStore(t).List(); })->contains("gres/c"));
}

TEST_F(TresStoreTest, WhatOneClusterHasTakesNoRoomOfAnother) {
  const Tres full = Register({"gres/a", "gres/b"}, 2);
  const Tres other = RegisterFor(NewCluster("d"), {"gres/b", "gres/c"}, 2);
  EXPECT_EQ(other.at("gres/b"), full.at("gres/b"));
  EXPECT_TRUE(other.contains("gres/c"));
  EXPECT_FALSE(other.contains("gres/a"));
}

TEST_F(TresStoreTest, TwoWhoRegisterAtOnceDoNotExceedTheRoom) {
  std::vector<std::thread> threads;
  for (const char* name : {"gres/a", "gres/b", "gres/c", "gres/d"}) {
    threads.emplace_back([this, name] { Register({name}, 2); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Register({}, 2).size(), kSlurmsOwnTres + 2);
}

TEST_F(TresStoreTest, ANameInCapitalsIsRefused) {
  EXPECT_EQ(Write([this](Transaction& t) {
              return TresStore(t).Register(cluster_.id, {"CPU"}, 10).status();
            }).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace priorityd::storage
