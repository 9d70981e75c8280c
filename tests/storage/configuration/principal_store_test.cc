#include "storage/configuration/principal_store.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class PrincipalStoreTest : public StoreTest {
 protected:
  int32_t Register(const std::string& name) {
    auto number =
        Write([&](Transaction& transaction) { return PrincipalStore(transaction).Register(name); });
    EXPECT_OK(number);
    return number.value_or(0);
  }
};

TEST_F(PrincipalStoreTest, APrincipalKeepsItsNumberAndEachHasAnother) {
  const int32_t first = Register("k8s:collector");
  const int32_t second = Register("user:collectd");
  EXPECT_NE(first, second);
  EXPECT_EQ(Register("k8s:collector"), first);
  const auto names = Write([&](Transaction& transaction) {
    return PrincipalStore(transaction).NamesOf({first, second, 999'999});
  });
  ASSERT_OK(names);
  EXPECT_EQ(*names,
            (std::map<int32_t, std::string>{{first, "k8s:collector"}, {second, "user:collectd"}}));
}

TEST_F(PrincipalStoreTest, ManyWhoRegisterOneNameAtOnceHaveOneNumber) {
  std::vector<int32_t> numbers(4);
  std::vector<std::thread> threads;
  for (int32_t& number : numbers) {
    threads.emplace_back([this, &number] { number = Register("tls:one"); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<int32_t>(numbers.begin(), numbers.end()).size(), 1u);
  EXPECT_NE(numbers[0], 0);
}

}  // namespace
}  // namespace priorityd::storage
