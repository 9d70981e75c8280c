// Price books: their rules as texts, and the price at each quarter of an hour beside a second
// implementation, which tries each rule.
#include "engine/grants/price_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/grants/amount.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

using testing::HasSubstr;
using TextsOfRule = std::map<std::string, std::string>;

PriceRule RuleOf(const std::string& tres, const TextsOfRule& texts) {
  auto rule = ReadPriceRule(tres, texts);
  EXPECT_TRUE(rule.ok()) << rule.status();
  return rule.value_or(PriceRule());
}

TEST(PriceRuleTest, WhatIsWrittenReadsTheSame) {
  const TextsOfRule all[] = {
      {{"PerHour", "0"}},
      {{"PerHour", "0.000000000001"}, {"QOS", "high,low"}},
      {{"PerHour", "1000000"}, {"Partition", "big,fast"}, {"Hours", "20-8"}, {"Days", "mon,sun"}},
      {{"PerHour", "12.5"}, {"Hours", "0-24"}},
      {{"PerHour", "12.5"}, {"Hours", "23-24"}},
      {{"PerHour", "12.5"},
       {"Hours", "8-20"},
       {"From", "2026-10-01T00:15:00Z"},
       {"Until", "2026-10-01T00:30:00Z"}},
  };
  for (const TextsOfRule& texts : all) {
    const PriceRule rule = RuleOf("gres/gpu", texts);
    const auto written = CellsOf(rule);
    EXPECT_EQ(TextsOfRule(written.begin(), written.end()), texts);
  }
}

TEST(PriceRuleTest, AFaultNamesTheTextFoundAndWanted) {
  const std::pair<TextsOfRule, const char*> faults[] = {
      {{}, "PerHour: got none, want one"},
      {{{"PerHour", "-1"}}, "PerHour: got \"-1\", want a number from 0"},
      {{{"PerHour", "1e3"}}, "PerHour: got \"1e3\""},
      {{{"PerHour", "1000000.1"}}, "PerHour: got"},
      {{{"PerHour", "0.0000000000001"}}, "at most 12 decimals"},
      {{{"PerHour", "1"}, {"Hours", "8-8"}}, "Hours: got \"8-8\", want full hours"},
      {{{"PerHour", "1"}, {"Hours", "24-8"}}, "Hours: got"},
      {{{"PerHour", "1"}, {"Days", "monday"}}, "Days: got \"monday\", want mon, tue"},
      {{{"PerHour", "1"}, {"Partition", "p,p"}}, "Partition: got \"p\", want each name once"},
      {{{"PerHour", "1"}, {"From", "2026-10-01T00:01:00Z"}}, "From: got"},
      {{{"PerHour", "1"}, {"From", "2026-10-01"}}, "want a full quarter of an hour"},
      {{{"PerHour", "1"}, {"From", "2026-10-01T00:15:00Z"}, {"Until", "2026-10-01T00:15:00Z"}},
       "want a time after From"},
      {{{"PerHour", "1"}, {"Account", "chem"}}, "options: got \"Account\", want PerHour"},
  };
  for (const auto& [texts, want] : faults) {
    EXPECT_THAT(ReadPriceRule("cpu", texts).status().message(), HasSubstr(want));
  }
  EXPECT_FALSE(ReadPriceRule("c pu", {{"PerHour", "1"}}).ok());
  EXPECT_FALSE(ReadPriceRule("", {{"PerHour", "1"}}).ok());
}

// Ten decimals of a price times a count of 16 digits are exact, where a double has 16 in all.
TEST(PriceOfTest, IsExactForWholeCounts) {
  EXPECT_EQ(PriceOf(3, 20'100'000'000), 60'300'000'000);
  EXPECT_EQ(PriceOf(9007199254740991.0, 1), Rate(9007199254740991));
  EXPECT_EQ(PriceOf(123456789012345.0, 123'456'789'012), Rate(123456789012345) * 123'456'789'012);
  EXPECT_EQ(PriceOf(0.5, 3), 2);  // Rounded half up.
  EXPECT_EQ(PriceOf(2.25, 4), 9);
}

class PriceBookTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }
  absl::Time Quarter() { return ParsedTime("2026-10-20T00:00:00Z") + kPriceStep * Below(14 * 96); }

  PriceRule AnyRule() {
    PriceRule rule;
    rule.tres = Below(3) == 0 ? "gres/gpu" : "cpu";
    rule.per_hour = Below(5);
    if (Below(3) == 0) rule.partitions = {absl::StrCat("p", Below(3))};
    if (Below(3) == 0) rule.qos = {absl::StrCat("q", Below(3)), "q7"};
    if (Below(2) == 0) rule.hours = 1 + static_cast<uint32_t>(Below((1 << 24) - 1));
    if (Below(3) == 0) rule.days = 1 + static_cast<uint32_t>(Below(127));
    if (Below(4) == 0) rule.from = Quarter();
    if (Below(4) == 0) rule.until = Quarter();
    return rule;
  }

  std::vector<PriceVersion> AnyVersions() {
    const char* const zones[] = {"Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"};
    std::map<absl::Time, PriceVersion> versions;
    for (int i = 0; i < 3; ++i) {
      PriceVersion version;
      version.begin = Quarter();
      EXPECT_TRUE(absl::LoadTimeZone(zones[Below(4)], &version.zone));
      for (int rule = 0; rule < 6; ++rule) version.rules.push_back(AnyRule());
      versions[version.begin] = version;
    }
    std::vector<PriceVersion> sorted;
    for (const auto& [begin, version] : versions) sorted.push_back(version);
    return sorted;
  }

  // By all rules, one after another.
  static int64_t NaivePrice(const std::vector<PriceVersion>& versions, absl::Time time,
                            const std::string& tres, const std::string& partition,
                            const std::string& qos) {
    const PriceVersion* in_force = nullptr;
    for (const PriceVersion& version : versions) {
      if (version.begin <= time) in_force = &version;
    }
    if (in_force == nullptr) return 0;
    const absl::TimeZone::CivilInfo local = in_force->zone.At(time);
    const int days_since_monday =
        static_cast<int>(((absl::CivilDay(local.cs) - absl::CivilDay(2026, 1, 5)) % 7 + 7) % 7);
    for (const PriceRule& rule : in_force->rules) {
      if (rule.tres != tres || time < rule.from || time >= rule.until) continue;
      if (rule.hours != 0 && (rule.hours & (1u << local.cs.hour())) == 0) continue;
      if (rule.days != 0 && (rule.days & (1u << days_since_monday)) == 0) continue;
      if (!rule.partitions.empty() && rule.partitions.count(partition) == 0) continue;
      if (!rule.qos.empty() && rule.qos.count(qos) == 0) continue;
      return rule.per_hour;
    }
    return 0;
  }

  std::mt19937 random_{1};
};

// In each zone, over a change to and from daylight saving time.
TEST_F(PriceBookTest, EachTimeHasTheFirstRuleThatFits) {
  for (int round = 0; round < 60; ++round) {
    const std::vector<PriceVersion> versions = AnyVersions();
    PriceBook book(versions);
    for (int i = 0; i < 400; ++i) {
      const absl::Time time = Quarter() + absl::Microseconds(Below(900'000'000));
      const std::string partition = absl::StrCat("p", Below(4));
      const std::string qos = absl::StrCat("q", Below(4));
      const PriceBook::Span span = book.SpanOf(time);
      ASSERT_LE(span.begin, time);
      ASSERT_GT(span.end, time);
      std::map<std::string, int64_t> found;
      for (const TresPrice& price : book.PricesIn(span.state, partition, qos)) {
        found[price.tres] = price.per_hour;
      }
      const absl::Time last = std::min(span.end - absl::Microseconds(1), time + absl::Hours(400));
      for (const absl::Time at :
           {std::max(span.begin, versions.front().begin - absl::Hours(1)), time, last}) {
        for (const char* tres : {"cpu", "gres/gpu"}) {
          ASSERT_EQ(found[tres], NaivePrice(versions, at, tres, partition, qos)) << at;
        }
      }
    }
  }
}

// Counts with fractions too, which are rounded once for each rule.
TEST_F(PriceBookTest, TheCostOfALongTimeIsTheSumOfItsPartsToTheLastDigit) {
  for (int round = 0; round < 100; ++round) {
    const std::vector<PriceVersion> versions = AnyVersions();
    PriceBook book(versions);
    PriceBook cut(versions);
    for (int i = 0; i < 20; ++i) {
      const absl::Time start = Quarter() + absl::Microseconds(Below(900'000'000));
      const absl::Time end =
          start + absl::Hours(24) * Below(50) + absl::Microseconds(Below(1 << 30));
      const double cpus = static_cast<double>(Below(1000)) / (Below(2) == 0 ? 7 : 1);
      const auto count = [cpus](const std::string& tres) { return tres == "cpu" ? cpus : 3; };
      const std::string partition = absl::StrCat("p", Below(4));
      const PricedUse use{partition, "q1", count};
      Amount parts;
      absl::Time until = start;
      cut.Cut(start, end, use, [&](Rate rate, absl::Time from, absl::Time to) {
        EXPECT_EQ(from, until);
        until = to;
        parts += Amount::OfRate(rate, to - from);
      });
      EXPECT_EQ(until, end);
      ASSERT_EQ(book.CostOf(start, end, use), parts) << start << " to " << end;
    }
  }
}

TEST_F(PriceBookTest, NothingCostsAnythingWithoutAVersion) {
  PriceBook book;
  const PriceBook::Span span = book.SpanOf(Quarter());
  EXPECT_EQ(span.end, absl::InfiniteFuture());
  EXPECT_TRUE(book.PricesIn(span.state, "p", "q").empty());
}

}  // namespace
}  // namespace priorityd::grants
