#include "storage/tres_store.h"

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
  Tres Register(const std::vector<std::string>& names) {
    Tres tres;
    EXPECT_OK(Write([&](Transaction& transaction) {
      auto registered = TresStore(transaction).Register(names);
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

TEST_F(TresStoreTest, ANameInCapitalsIsRefused) {
  EXPECT_EQ(Write([](Transaction& t) { return TresStore(t).Register({"CPU"}).status(); }).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace priorityd::storage
