#include "engine/slurm/conf/partition_state.h"

#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

// slurm.conf(5), State: UP takes jobs and starts them, DOWN takes them alone, DRAIN starts those
// that it has, INACTIVE neither.
TEST(PartitionStateTest, FourWordsSayWhetherItTakesJobsAndStartsThem) {
  const struct {
    const char* word;
    bool takes;
    bool starts;
  } kStates[] = {{"UP", true, true},
                 {"DOWN", true, false},
                 {"DRAIN", false, true},
                 {"INACTIVE", false, false}};
  for (const auto& state : kStates) {
    priority::Partition partition;
    ASSERT_TRUE(SetPartitionState(state.word, &partition));
    EXPECT_EQ(partition.open, state.takes) << state.word;
    EXPECT_EQ(partition.up, state.starts) << state.word;
    EXPECT_EQ(PartitionState(partition), state.word);
  }
}

TEST(PartitionStateTest, AnotherWordIsNoStateAndChangesNothing) {
  priority::Partition partition;
  EXPECT_FALSE(SetPartitionState("SIDEWAYS", &partition));
  EXPECT_TRUE(SetPartitionState("drain", &partition));
  EXPECT_FALSE(SetPartitionState("", &partition));
  EXPECT_EQ(PartitionState(partition), "DRAIN");
}

}  // namespace
}  // namespace priorityd::slurm
