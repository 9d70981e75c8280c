#include "engine/grants/amount.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace priorityd::grants {
namespace {

Amount Decimal(absl::string_view text) {
  const absl::StatusOr<Amount> amount = Amount::FromDecimal(text);
  EXPECT_TRUE(amount.ok()) << amount.status();
  return amount.value_or(Amount());
}

TEST(AmountTest, IsTheRateTimesTheTime) {
  EXPECT_EQ(Amount::Of(2.5, absl::Seconds(4)).ToDecimal(), "10");
  EXPECT_EQ(Amount::Of(0.1, absl::Microseconds(1)).ToDecimal(), "0.0000001");
  EXPECT_EQ(Amount::Of(1e-12, absl::Microseconds(1)).ToDecimal(), "0.000000000000000001");
  EXPECT_EQ(Amount::Of(-3, absl::Seconds(2)).ToDecimal(), "-6");
  EXPECT_EQ(Amount::Of(1.0 / 3, absl::Seconds(3)).ToDecimal(), "0.999999999999");
  EXPECT_EQ(Amount::FromMinutes(2.5).seconds(), 150);
  EXPECT_EQ(Amount::FromMinutes(1e15).ToDecimal(), "60000000000000000");
}

TEST(AmountTest, ARateThatIsNotFiniteIsNothing) {
  for (const double rate : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(Amount::Of(rate, absl::Seconds(1)), Amount());
    EXPECT_EQ(Amount::FromMinutes(rate), Amount());
  }
}

TEST(AmountTest, ReadsWhatItWrites) {
  for (const char* text :
       {"0", "-12.5", "0.000000000000000001", "9007199254740993.000000000000007",
        "169999999999999999999.999999999999999999", "-170000000000000000000", "-0.1"}) {
    EXPECT_EQ(Decimal(text).ToDecimal(), text);
  }
  EXPECT_EQ(Decimal("007.500").ToDecimal(), "7.5");
  EXPECT_EQ(Decimal("-0"), Amount());
}

TEST(AmountTest, RejectsWhatIsNoDecimalNumber) {
  for (const char* text :
       {"", "-", ".", ".5", "5.", "+1", "1e3", "1,5", " 1", "1 ", "0x10", "nan",
        "1.0000000000000000001", "170000000000000000000.1", "170000000000000000001",
        "999999999999999999999999999999999999999999", "--1", "1.-5"}) {
    const auto amount = Amount::FromDecimal(text);
    ASSERT_FALSE(amount.ok()) << text;
    EXPECT_EQ(amount.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StartsWith(amount.status().message(), "got \"")) << amount.status();
  }
}

TEST(AmountTest, StopsAtItsBounds) {
  const std::string most = "170000000000000000000";
  const Amount much = Decimal("169999999999999999999");
  EXPECT_EQ((much + much).ToDecimal(), most);
  EXPECT_EQ((-much - much).ToDecimal(), "-" + most);
  EXPECT_EQ((much * 2).ToDecimal(), most);
  EXPECT_EQ((much * -2).ToDecimal(), "-" + most);
  EXPECT_EQ(much.Part(1'000'000'000).ToDecimal(), most);
  EXPECT_EQ(Amount::Of(1e300, absl::Hours(1)).ToDecimal(), most);
  EXPECT_EQ(Amount::Of(-1e25, absl::Hours(24)).ToDecimal(), "-" + most);
  EXPECT_EQ(much + much - much - much, Decimal("-169999999999999999998"));
}

TEST(AmountTest, PartsAreRoundedTowardsZero) {
  EXPECT_EQ(Decimal("10").Part(100'000), Decimal("1"));
  EXPECT_EQ(Decimal("-10").Part(333'333), Decimal("-3.33333"));
  EXPECT_EQ(Decimal("0.000000000000000019").Part(100'000), Decimal("0.000000000000000001"));
  EXPECT_EQ(Decimal("-0.000000000000000019").Part(100'000), Decimal("-0.000000000000000001"));
  EXPECT_EQ(Decimal("10").Part(0), Amount());
  EXPECT_EQ(Decimal("-7") / 2, Decimal("-3.5"));
  EXPECT_EQ(Decimal("0.000000000000000005") / -2, Decimal("-0.000000000000000002"));
}

TEST(AmountTest, TheProductWithAFactorIsExact) {
  const Amount amount = Decimal("123456789012345678.123456789012345678");
  EXPECT_EQ(amount.Times(1), amount);
  EXPECT_EQ(amount.Times(0), Amount());
  EXPECT_EQ(amount.Times(0.5), amount / 2);
  EXPECT_EQ((-amount).Times(0.75), -(amount * 3 / 4));
  EXPECT_EQ(amount.Times(std::ldexp(1, -62)), amount / (int64_t{1} << 62));
  EXPECT_EQ(amount.Times(std::numeric_limits<double>::denorm_min()), Amount());
  // 1/3 as a double is 6004799503160661 / 2^54.
  EXPECT_EQ(Decimal("18014.398509481984").Times(1.0 / 3), Decimal("6004.799503160661"));
}

// Digits of a factor of at most 30 bits, by whole numbers.
TEST(AmountTest, TheProductWithAnyFactorIsTheFractionRoundedDown) {
  std::mt19937_64 random(37);
  for (int i = 0; i < 20'000; ++i) {
    const int bits = static_cast<int>(random() % 31);
    const int64_t numerator = static_cast<int64_t>(random() % ((int64_t{1} << bits) + 1));
    const Amount amount =
        Amount::Of(std::ldexp(static_cast<double>(random() % 1000'000), -20), absl::Hours(1));
    EXPECT_EQ(amount.Times(std::ldexp(static_cast<double>(numerator), -bits)),
              amount * numerator / (int64_t{1} << bits));
  }
}

TEST(AmountTest, IsOrderedByValue) {
  EXPECT_LT(Decimal("-1"), Amount());
  EXPECT_LT(Decimal("1"), Decimal("1.000000000000000001"));
  EXPECT_LE(Decimal("1"), Decimal("1.0"));
  EXPECT_GT(Decimal("170"), Decimal("17"));
}

struct Record {
  double rate;
  absl::Time begin;
  absl::Time end;
};

Amount SumOf(const std::vector<Record>& records) {
  Amount sum;
  for (const Record& r : records) sum += Amount::Of(r.rate, r.end - r.begin);
  return sum;
}

class Records {
 public:
  explicit Records(uint64_t seed) : random_(seed) {}

  std::vector<Record> Draw(int count) {
    std::vector<Record> records;
    for (int i = 0; i < count; ++i) {
      const absl::Time begin =
          absl::FromUnixMicros(static_cast<int64_t>(random_() % 4'000'000'000'000'000));
      const double rate =
          std::ldexp(static_cast<double>(random_()), -static_cast<int>(random_() % 64));
      records.push_back({rate, begin, begin + absl::Microseconds(random_() % 1'000'000'000'000)});
    }
    return records;
  }

  // The same usage: each record in up to four parts, all in another order.
  std::vector<Record> Rearranged(const std::vector<Record>& records) {
    std::vector<Record> parts;
    for (Record rest : records) {
      for (int cuts = static_cast<int>(random_() % 4); cuts > 0; --cuts) {
        const int64_t length = absl::ToInt64Microseconds(rest.end - rest.begin);
        const absl::Time cut = rest.begin + absl::Microseconds(random_() % (length + 1));
        parts.push_back({rest.rate, rest.begin, cut});
        rest.begin = cut;
      }
      parts.push_back(rest);
    }
    std::shuffle(parts.begin(), parts.end(), random_);
    return parts;
  }

 private:
  std::mt19937_64 random_;
};

TEST(AmountTest, RecordsSplitAndShuffledHaveTheSameSumToTheLastDigit) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Records draw(seed);
    const auto records = draw.Draw(100);
    EXPECT_EQ(SumOf(draw.Rearranged(records)).ToDecimal(), SumOf(records).ToDecimal());
  }
}

TEST(AmountTest, ARecordThatIsCorrectedLeavesTheSumOfTheOthersToTheLastDigit) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Records draw(seed);
    const auto kept = draw.Draw(50);
    const auto voided = draw.Draw(50);
    const auto corrected = draw.Draw(50);
    Amount sum = SumOf(voided) + SumOf(kept);
    sum -= SumOf(draw.Rearranged(voided));
    sum += SumOf(corrected);
    EXPECT_EQ(sum, SumOf(draw.Rearranged(corrected)) + SumOf(kept));
  }
}

// A number of 1e-18 TRES-seconds.
Amount OfUnits(absl::int128 units) {
  constexpr int64_t kUnitsOfSecond = 1'000'000'000'000'000'000;
  const absl::int128 magnitude = units < 0 ? -units : units;
  std::ostringstream text;
  text << (units < 0 ? "-" : "") << magnitude / kUnitsOfSecond << "." << std::setw(18)
       << std::setfill('0') << magnitude % kUnitsOfSecond;
  return Decimal(text.str());
}

// By divisions of 128 bits.
TEST(AmountTest, APartIsTheRoundedQuotientOfTheUnits) {
  constexpr int64_t kMillion = 1'000'000;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto high = static_cast<int64_t>(random() >> (2 + i % 62));
    const absl::int128 units = absl::MakeInt128(high, random());
    const auto millionths = static_cast<int64_t>(random() % (kMillion + 1));
    const absl::int128 part =
        units / kMillion * millionths + units % kMillion * millionths / kMillion;
    ASSERT_EQ(OfUnits(units).Part(millionths).ToDecimal(), OfUnits(part).ToDecimal()) << i;
    ASSERT_EQ(OfUnits(-units).Part(millionths).ToDecimal(), OfUnits(-part).ToDecimal()) << i;
  }
}

}  // namespace
}  // namespace priorityd::grants
