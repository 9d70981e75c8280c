#include "storage/snapshots/publication_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class PublicationStoreTest : public StoreTest {
 protected:
  Publication Find() {
    return Read([&](Transaction& t) { return PublicationStore(t).Find(cluster_.id); }).value();
  }
  void Store(const Publication& publication) {
    ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
      PublicationStore store(transaction);
      auto locked = store.Lock(cluster_.id);
      if (!locked.ok()) return locked.status();
      return store.Write(cluster_.id, publication);
    }));
  }
  void Append(int64_t generation, const std::vector<std::string>& parts) {
    ASSERT_OK(Write([&](Transaction& transaction) {
      return PublicationStore(transaction).AppendParts(cluster_.id, generation, parts);
    }));
  }
  std::vector<std::string> Parts(int64_t after) {
    return Read([&](Transaction& t) { return PublicationStore(t).ListParts(cluster_.id, after); })
        .value();
  }
  bool WantNumbers() {
    return Write([&](Transaction& t) { return PublicationStore(t).WantNumbers(cluster_.id); })
        .value();
  }
};

TEST_F(PublicationStoreTest, ThereIsNoneAtFirstAndThenTheOneThatWasWritten) {
  EXPECT_EQ(Find(), Publication());
  const Publication publication = {7, 5, 100, -8'000'000'000'000'000'000, 6, false};
  Store(publication);
  EXPECT_EQ(Find(), publication);
}

TEST_F(PublicationStoreTest, PartsAreListedInOrderAndByteForByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  Append(10, {"b", bytes});
  Append(9, {"a"});
  EXPECT_EQ(Parts(0), (std::vector<std::string>{"a", "b", bytes}));
  EXPECT_EQ(Parts(9), (std::vector<std::string>{"b", bytes}));
  EXPECT_TRUE(Parts(10).empty());
  ASSERT_OK(Write([&](Transaction& t) { return PublicationStore(t).DeleteParts(cluster_.id); }));
  EXPECT_TRUE(Parts(0).empty());
}

TEST_F(PublicationStoreTest, NumbersThatAreWantedAreAskedForOnce) {
  EXPECT_FALSE(WantNumbers()) << "nothing is published";
  Store({.generation = 1});
  EXPECT_TRUE(WantNumbers());
  EXPECT_FALSE(WantNumbers());
  EXPECT_TRUE(Find().numbers_wanted);
}

}  // namespace
}  // namespace priorityd::storage
