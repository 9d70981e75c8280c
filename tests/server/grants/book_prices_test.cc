#include "server/grants/book_prices.h"

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

// By night and day, in a partition and under a QOS.
PriceBook BookTried() {
  PriceRule night{.tres = "cpu", .per_hour = 11, .hours = 0b111};
  PriceRule big{.tres = "cpu", .per_hour = 31, .partitions = {"p1"}};
  PriceRule dear{.tres = "gres/gpu", .per_hour = 1'000'000'000'007, .qos = {"q1"}};
  PriceRule other{.tres = "cpu", .per_hour = 20'100'000'000};
  return PriceBook(
      {{ParsedTime("2026-01-01T00:00:00Z"), absl::UTCTimeZone(), {night, big, dear, other}}});
}

// Few values, so that jobs recur.
void ExpectThePricesOfTheBook(const BookPrices& prices, int seed) {
  PriceBook book = BookTried();
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  for (int i = 0; i < 2000; ++i) {
    const std::string partition = absl::StrCat("p", below(2)), qos = absl::StrCat("q", below(2));
    const double cpus = 1 + below(2), gpus = below(2);
    const auto count = [&](const std::string& tres) { return tres == "cpu" ? cpus : gpus; };
    const absl::Time start = ParsedTime("2026-01-05T00:00:00Z") + absl::Hours(below(3));
    const absl::Duration time = absl::Hours(24) * (1 + below(2) * 365 * 2);
    const absl::Time end = start + std::min(time, absl::Hours(24 * 366));
    EXPECT_EQ(prices.CostOf("price/eur", {partition, qos, start, time, count}),
              book.CostOf(start, end, {partition, qos, count}).seconds());
  }
}

TEST(BookPricesTest, AreThoseOfTheBookAlsoInSeveralThreads) {
  PriceBooks books;
  books.emplace("price/eur", BookTried());
  const BookPrices prices(std::move(books));
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&prices, seed] { ExpectThePricesOfTheBook(prices, seed); });
  }
  for (std::thread& thread : threads) thread.join();
  const auto one = [](const std::string&) { return 1.0; };
  EXPECT_EQ(prices.CostOf("price/usd", {"p1", "q1", absl::UnixEpoch(), absl::Hours(1), one}), 0);
}

}  // namespace
}  // namespace priorityd::grants
