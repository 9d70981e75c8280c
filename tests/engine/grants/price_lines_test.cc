#include "engine/grants/price_lines.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/times.h"

namespace priorityd::grants {
namespace {

using ::testing::HasSubstr;

constexpr char kTwoVersions[] =
    "# As priorityd exports them.\n"
    "PriceBook - 'eur':Currency='EUR':Begin='2026-02-01T00:00:00Z':Comment='dearer'\r\n"
    "Price - 'cpu':PerHour='2'\n"
    "Grant - 'g':Accounts='chem'\n"
    "Amount - '3600':From='2026-01-01T00:00:00Z'\n"
    "pricebook - 'eur':currency='EUR':TimeZone='Europe/Berlin':begin='2026-01-01T00:00:00Z'\n"
    "Price - 'cpu':PerHour='0.5':Hours='0-8'\n"
    "Price - 'cpu':perhour='1'\n";

// What an hour of one CPU costs.
std::string CostAt(PriceBook& book, const char* time) {
  const absl::Time start = ParsedTime(time);
  const auto one = [](const std::string& tres) { return tres == "cpu" ? 1.0 : 0; };
  return (book.CostOf(start, start + absl::Hours(1), {"", "", one}) / 3600).ToDecimal();
}

TEST(PriceLinesTest, VersionsAreOrderedByTheirBegins) {
  auto books = ReadPriceBooks({"own", kTwoVersions});
  ASSERT_TRUE(books.ok()) << books.status();
  ASSERT_EQ(books->size(), 1u);
  PriceBook& book = books->at("price/eur");
  EXPECT_EQ(book.currency(), "EUR");
  EXPECT_EQ(CostAt(book, "2025-12-31T12:00:00Z"), "0");
  EXPECT_EQ(CostAt(book, "2026-01-01T06:30:00Z"), "0.75") << "8:00 in Berlin is in the middle";
  EXPECT_EQ(CostAt(book, "2026-02-01T00:00:00Z"), "2");
}

TEST(PriceLinesTest, AFileWithoutBooksHasNone) {
  const auto books = ReadPriceBooks({"own", "Alias - 'a':Kind='user'\n"});
  ASSERT_TRUE(books.ok()) << books.status();
  EXPECT_TRUE(books->empty());
}

TEST(PriceLinesTest, FaultsNameTheirLine) {
  const std::string book = "PriceBook - 'b':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n";
  const std::string price = "Price - 'cpu':PerHour='1'\n";
  const std::pair<std::string, const char*> faults[] = {
      {price, "own line 1: got a Price, want it after its PriceBook"},
      {absl::StrCat(book, "Grant - 'g':Accounts='a'\n", price), "line 3: got a Price, want it"},
      {absl::StrCat(book, "Price - 'cpu':PerHour='x'\n"), "line 2: PerHour: got \"x\""},
      {book, "PriceBook b: got no Price lines after it"},
      {absl::StrCat(book, price, book, price), "line 3: Begin: got \"2026-01-01T00:00:00Z\""},
      {absl::StrCat(book, price, "PriceBook - 'b':Currency='USD':Begin='2027-01-01T00:00:00Z'\n",
                    price),
       "line 3: Currency: got \"USD\", want EUR, that of the other versions"},
      {"PriceBook - 'b':Currency='Eur':Begin='2026-01-01T00:00:00Z'\n", "Currency: got \"Eur\""},
      {"PriceBook - 'b':Currency='EUR'\n", "line 1: Begin: got \"\""},
      {"PriceBook - 'b':Currency='EUR':TimeZone='Mars':Begin='2026-01-01T00:00:00Z'\n",
       "TimeZone: got \"Mars\", want an IANA name"},
      {"PriceBook - 'a b':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n", "PriceBook: got"},
      {"price books\n", "own line 1"}};
  for (const auto& [text, want] : faults) {
    const auto books = ReadPriceBooks({"own", text});
    ASSERT_FALSE(books.ok()) << text;
    EXPECT_THAT(std::string(books.status().message()), HasSubstr(want)) << text;
  }
}

TEST(PriceLinesTest, AVersionHasAtMostTwoHundredPrices) {
  std::string text = "PriceBook - 'b':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n";
  for (int i = 0; i < 200; ++i) absl::StrAppend(&text, "Price - 'gres/g", i, "':PerHour='1'\n");
  EXPECT_TRUE(ReadPriceBooks({"own", text}).ok());
  EXPECT_THAT(std::string(ReadPriceBooks({"own", absl::StrCat(text, "Price - 'cpu':PerHour='1'\n")})
                              .status()
                              .message()),
              HasSubstr("line 202: Price: want at most 200"));
}

}  // namespace
}  // namespace priorityd::grants
