// What tests/testdata/sacct_resources.txt, which the Python reader's test reads too, does not have.
#include "client/slurm/tables/gres.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(GresTest, CountsOfAJobAreThoseOfEachNodeButForPerJob) {
  const auto counts = ReadRequestedGres("gpu:2,PER_JOB:shm:1M", 3);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_THAT(**counts, ElementsAre(Pair("gres/gpu", 6), Pair("gres/shm", 1 << 20)));
}

TEST(GresTest, WithoutNodesOnlyCountsOfTheJobAreKnown) {
  EXPECT_FALSE(ReadRequestedGres("PER_JOB:shm:1,gpu:2", std::nullopt)->has_value());
  EXPECT_THAT(**ReadRequestedGres("PER_JOB:shm:1", std::nullopt), ElementsAre(Pair("gres/shm", 1)));
  EXPECT_THAT(**ReadRequestedGres("", std::nullopt), IsEmpty());
}

TEST(GresTest, NamesThatArePrintedAsNumbersAreNames) {
  EXPECT_THAT(*ReadAllocatedGres("7696487:1,7565421:2,6515054"),
              ElementsAre(Pair("gres/gpu", 1), Pair("gres/mps", 2), Pair("gres/nic", 1)));
}

TEST(GresTest, WhatIsNoResourceIsRefused) {
  for (const char* text : {":2", "gpu:a:b:2", "gpu:1.5", "gpu:2T", "gpu:1234567890123456",
                           "PER_TASK:gpu:2", "gpu:a:"}) {
    EXPECT_FALSE(ReadAllocatedGres(text).ok()) << text;
  }
}

}  // namespace
}  // namespace priorityd::tables
