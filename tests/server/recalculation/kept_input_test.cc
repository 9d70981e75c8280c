// The input of a recalculation, put away and taken out again.
#include "server/recalculation/kept_input.h"

#include <gtest/gtest.h>

#include <utility>

namespace priorityd::recalculation {
namespace {

absl::Time SecondsAt(int seconds) { return absl::FromUnixSeconds(1'700'000'000 + seconds); }

RecalculationInput Input() {
  RecalculationInput input;
  input.incarnation = 3;
  input.limits_usage = true;
  input.time = SecondsAt(10);
  input.state.revision = 7;
  input.state.usage_watermark = 11;
  input.state.associations = {{.id = 1, .account = "root"}};
  input.state.association_usage = {{.id = 1, .value = 4, .as_of = SecondsAt(1)},
                                   {.id = 2, .value = 1, .as_of = SecondsAt(10)}};
  input.state.qos_usage = {{.id = 8, .value = 9, .as_of = SecondsAt(2)}};
  return input;
}

TEST(KeptInputTest, UsageAndHashesComeBackAsTheyWere) {
  storage::PackedUsage packed = storage::PackUsage(Input().state, {});
  PublishedUsage published = {
      .generation = 5, .hashes = std::move(packed.hashes), .whole = std::move(packed.whole)};
  RecalculationInput input;
  PublishedUsage again;
  ASSERT_TRUE(KeptInput(Input(), published).TakeOut(&input, &again).ok());
  EXPECT_EQ(again.generation, 5);
  EXPECT_EQ(again.hashes, published.hashes);
  EXPECT_TRUE(again.whole.empty());
  EXPECT_EQ(input.state.association_usage, Input().state.association_usage);
  EXPECT_EQ(input.state.qos_usage, Input().state.qos_usage);
  EXPECT_EQ(input.state.usage_watermark, 11);
  EXPECT_EQ(input.state.revision, 7);
  EXPECT_EQ(input.incarnation, 3);
  EXPECT_TRUE(input.limits_usage);
}

TEST(KeptInputTest, RowsOfTheConfigurationAreNotKept) {
  RecalculationInput input;
  PublishedUsage published;
  ASSERT_TRUE(KeptInput(Input(), {}).TakeOut(&input, &published).ok());
  EXPECT_EQ(input.state.associations.capacity(), 0);
}

// The published usage is the usage until then; the kept usage is all that is stored.
TEST(KeptInputTest, ARowThatIsAheadIsPutBackAndItsPublishedHashKept) {
  RecalculationInput rewound = Input();
  rewound.ahead = {{.id = 2, .value = 6, .as_of = SecondsAt(20)}};
  const storage::PackedUsage packed = storage::PackUsage(rewound.state, {});
  const PublishedUsage published = {
      .generation = 5, .hashes = packed.hashes, .whole = packed.whole};
  RecalculationInput input;
  PublishedUsage again;
  ASSERT_TRUE(KeptInput(rewound, published).TakeOut(&input, &again).ok());
  EXPECT_EQ(again.hashes, published.hashes);
  EXPECT_TRUE(input.ahead.empty());
  EXPECT_EQ(input.state.association_usage[1].value, 6);
}

}  // namespace
}  // namespace priorityd::recalculation
