#include "storage/snapshots/recalculation_request_store.h"

#include <gtest/gtest.h>

#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class RecalculationRequestStoreTest : public StoreTest {
 protected:
  int64_t Add(const RecalculationRequest& request) {
    absl::StatusOr<int64_t> id = absl::UnknownError("not run");
    EXPECT_OK(Write([&](Transaction& transaction) {
      id = RecalculationRequestStore(transaction).Add(request);
      return id.status();
    }));
    return id.value_or(0);
  }
  std::vector<RecalculationRequest> Open(absl::Duration patience = absl::Hours(1)) {
    return Read([&](Transaction& t) { return RecalculationRequestStore(t).ListOpen(patience); })
        .value();
  }
  std::optional<RecalculationAnswer> FindAnswer(int64_t id) {
    return Read([&](Transaction& t) { return RecalculationRequestStore(t).FindAnswer(id); })
        .value();
  }
};

TEST_F(RecalculationRequestStoreTest, ARequestIsOpenUntilItIsAnswered) {
  const int64_t first = Add({.cluster_name = "a"});
  const int64_t second = Add({.cluster_name = "b", .as_of = Microseconds(7)});
  EXPECT_EQ(Open(), (std::vector<RecalculationRequest>{{first, "a", std::nullopt},
                                                       {second, "b", Microseconds(7)}}));
  EXPECT_EQ(FindAnswer(first), std::nullopt);
  const RecalculationAnswer answer{9, 5, "WHY", "text"};
  ASSERT_OK(Write([&](Transaction& transaction) {
    return RecalculationRequestStore(transaction).Answer(first, answer);
  }));
  EXPECT_EQ(FindAnswer(first), answer);
  ASSERT_EQ(Open().size(), 1u);
  EXPECT_EQ(Open()[0].id, second);
}

TEST_F(RecalculationRequestStoreTest, OldOnesAreLeftAndForgotten) {
  const int64_t id = Add({.cluster_name = "a"});
  EXPECT_TRUE(Open(absl::ZeroDuration()).empty());
  ASSERT_OK(Write([](Transaction& transaction) {
    return RecalculationRequestStore(transaction).DeleteOld(absl::ZeroDuration());
  }));
  EXPECT_TRUE(Open().empty());
  EXPECT_EQ(FindAnswer(id), std::nullopt);
}

}  // namespace
}  // namespace priorityd::storage
