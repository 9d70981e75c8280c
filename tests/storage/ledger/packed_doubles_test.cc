#include "storage/ledger/packed_doubles.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace priorityd::storage {
namespace {

TEST(PackedDoublesTest, EveryBitComesBack) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values = {0.0,
                                      -0.0,
                                      1.0 / 3,
                                      Limits::max(),
                                      Limits::denorm_min(),
                                      -Limits::infinity(),
                                      std::bit_cast<double>(uint64_t{0x7ff8dead'beef0102})};
  const auto unpacked = UnpackDoubles(PackDoubles(values));
  ASSERT_TRUE(unpacked.has_value());
  ASSERT_EQ(unpacked->size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint64_t>((*unpacked)[i]), std::bit_cast<uint64_t>(values[i])) << i;
  }
}

// IEEE 754: 1 is the exponent 0x3ff, 2 is 0x400.
TEST(PackedDoublesTest, BytesAreLittleEndian) {
  EXPECT_EQ(PackDoubles({1.0, 2.0}), std::string("\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16));
}

TEST(PackedDoublesTest, BytesOfAnotherLengthAreRefused) {
  EXPECT_EQ(UnpackDoubles("1234567"), std::nullopt);
  EXPECT_EQ(UnpackDoubles("123456789"), std::nullopt);
  EXPECT_EQ(UnpackDoubles(""), std::vector<double>());
}

}  // namespace
}  // namespace priorityd::storage
