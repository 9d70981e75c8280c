#include "engine/priority/jobs/job_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace priorityd::priority {
namespace {

TEST(JobIdTest, DigitsCompareAsNumbers) {
  EXPECT_LT(CompareJobIds("9", "10"), 0);
  EXPECT_LT(CompareJobIds("job-9", "job-10"), 0);
  EXPECT_LT(CompareJobIds("7_9", "7_10"), 0);
  EXPECT_LT(CompareJobIds("2", "10a"), 0);
}

TEST(JobIdTest, NumbersOfAnyLengthCompare) {
  EXPECT_LT(CompareJobIds("99999999999999999999999", "100000000000000000000000"), 0);
  EXPECT_LT(CompareJobIds("18446744073709551616", "18446744073709551617"), 0);
}

TEST(JobIdTest, LeadingZerosCountOnlyWhenNothingElseDiffers) {
  EXPECT_LT(CompareJobIds("007", "8"), 0);
  EXPECT_LT(CompareJobIds("06", "7"), 0);
  EXPECT_LT(CompareJobIds("01b", "1c"), 0);
  EXPECT_LT(CompareJobIds("01", "1"), 0);
  EXPECT_LT(CompareJobIds("0", "00"), 0);
}

TEST(JobIdTest, OtherRunsCompareBytewise) {
  EXPECT_LT(CompareJobIds("a1", "b0"), 0);
  EXPECT_LT(CompareJobIds("A", "a"), 0);
  EXPECT_LT(CompareJobIds("a", "\xc3\xa4"), 0);
  // Whole runs: `a` ends where `a!` goes on, though `!` is before `1`.
  EXPECT_LT(CompareJobIds("a1", "a!"), 0);
  EXPECT_LT(CompareJobIds("!", "1"), 0);
  EXPECT_LT(CompareJobIds("1", "a"), 0);
}

TEST(JobIdTest, AnIdThatEndsComesFirst) {
  EXPECT_LT(CompareJobIds("", "0"), 0);
  EXPECT_LT(CompareJobIds("7", "7_1"), 0);
  EXPECT_LT(CompareJobIds("job", "job1"), 0);
}

std::vector<std::string> RandomIds() {
  std::mt19937 random(5);
  const std::string letters = "0019!a:~\xe4";
  std::vector<std::string> ids;
  for (int i = 0; i < 150; ++i) {
    std::string id;
    for (size_t length = random() % 7; length > 0; --length) {
      id += letters[random() % letters.size()];
    }
    ids.push_back(id);
  }
  ids.push_back(std::string(40, '9'));
  ids.push_back("1" + std::string(40, '0'));
  return ids;
}

TEST(JobIdTest, TheOrderIsTotal) {
  const std::vector<std::string> ids = RandomIds();
  const auto sign = [](int order) { return (order > 0) - (order < 0); };
  for (const std::string& a : ids) {
    for (const std::string& b : ids) {
      EXPECT_EQ(sign(CompareJobIds(a, b)), -sign(CompareJobIds(b, a))) << a << " " << b;
      EXPECT_EQ(CompareJobIds(a, b) == 0, a == b) << a << " " << b;
      for (const std::string& c : ids) {
        if (CompareJobIds(a, b) < 0 && CompareJobIds(b, c) < 0) {
          ASSERT_LT(CompareJobIds(a, c), 0) << a << " " << b << " " << c;
        }
      }
    }
  }
}

TEST(JobIdTest, ThePrefixNeverContradictsTheOrder) {
  std::vector<std::string> ids = RandomIds();
  std::sort(ids.begin(), ids.end(),
            [](const std::string& a, const std::string& b) { return CompareJobIds(a, b) < 0; });
  for (size_t i = 1; i < ids.size(); ++i) {
    EXPECT_LE(JobIdPrefix(ids[i - 1]), JobIdPrefix(ids[i])) << ids[i - 1] << " " << ids[i];
  }
}

TEST(JobIdTest, ThePrefixDistinguishesPlainNumbers) {
  EXPECT_LT(JobIdPrefix("9"), JobIdPrefix("10"));
  EXPECT_LT(JobIdPrefix("abc"), JobIdPrefix("abd"));
}

}  // namespace
}  // namespace priorityd::priority
