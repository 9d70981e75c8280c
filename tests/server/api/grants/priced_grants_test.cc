// Grants of money: windows have the price of what counts in them, to the last digit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "tests/server/api/grants/priced_fixture.h"
#include "tests/times.h"

namespace priorityd::rpc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PricedGrantsPropertyTest : public PricedGrantsTest,
                                 public ::testing::WithParamInterface<uint32_t> {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  // Between February and April; corrects another one at times.
  void SendAny() {
    Priced run;
    run.id = absl::StrCat("p", runs_.size());
    run.user = std::vector<std::string>{"amy", "ben", "cat"}[Below(3)];
    run.partition = Below(3) == 0 ? "big" : Below(4) == 0 ? "" : "p";
    run.qos = Below(3) == 0 ? "double" : "normal";
    run.start = absl::ToUnixSeconds(ParsedTime("2026-02-25T00:00:00Z")) + Below(50 * 86400);
    run.end = run.start + 1 + Below(4 * 86400);
    run.cpus = 1 + Below(500);
    run.energy = Below(2) * Below(1'000'000'000);
    run.carbon = Below(3);
    Priced* replaced = nullptr;
    if (!runs_.empty() && Below(4) == 0) replaced = &runs_[Below(runs_.size())];
    if (replaced != nullptr && !replaced->counts) replaced = nullptr;
    Send(run, replaced == nullptr ? "" : replaced->id);
    if (replaced != nullptr) replaced->counts = false;
    runs_.push_back(run);
  }

  void ExpectThePrices(bool has_second) {
    for (const std::string account : {"a", "b"}) {
      const v1::GetGrantStatementResponse statement = Statement(account + "-money");
      EXPECT_GE(statement.windows_size(), 3);
      for (const v1::GrantBalance& window : statement.windows()) {
        const grants::Amount used = NaiveUsed(runs_, account, window.begin_time().seconds(),
                                              window.end_time().seconds(), has_second);
        const auto granted = grants::Amount::FromMinutes(60 * 1'000'000);
        EXPECT_EQ(window.left_tres_seconds(), (granted - used).ToDecimal())
            << account << " " << window.begin_time().seconds();
      }
    }
  }

  std::mt19937 random_{GetParam()};
  std::vector<Priced> runs_;
};

TEST_P(PricedGrantsPropertyTest, EachWindowHasThePriceOfWhatCountsInItToTheLastDigit) {
  ImportBooks(kFirst);
  for (const std::string account : {"a", "b"}) {
    Grant(account + "-money", {"Accounts=" + account, "TRES=price/eur", "Amount=1000000",
                               "Window=month", "Begin=2026-02-10T00:00:00Z"});
  }
  const absl::Time now = ParsedTime("2026-04-28T00:00:00Z");
  for (int i = 0; i < 25; ++i) SendAny();
  RecalculateAt(now);
  ExpectThePrices(false);
  for (int i = 0; i < 10; ++i) SendAny();
  RecalculateAt(now + absl::Hours(1));
  ExpectThePrices(false);
  ImportBooks(kSecond);
  for (int i = 0; i < 5; ++i) SendAny();
  RecalculateAt(now + absl::Hours(2));
  ExpectThePrices(true);
  ImportBooks(kFirst, nullptr, /*clean=*/true);
  RecalculateAt(now + absl::Hours(3));
  ExpectThePrices(false);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PricedGrantsPropertyTest, ::testing::Range(1u, 5u));

TEST_F(PricedGrantsTest, AVersionThatBeginsLaterLeavesThePastAsItWas) {
  ImportBooks(
      "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n"
      "Price - 'cpu':PerHour='0.5'\n");
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=100", "Begin=2026-01-05T00:00:00Z"});
  Run("1", 0, 4, 10);
  RecalculateAt(Hour(4));
  EXPECT_THAT(Left("g"), ElementsAre("80"));
  ImportBooks(
      "PriceBook - 'eur':Currency='EUR':Begin='2026-01-05T06:00:00Z'\n"
      "Price - 'cpu':PerHour='2'\n");
  Run("2", 4, 4, 1);  // Two hours at 0.5, two at 2.
  RecalculateAt(Hour(8));
  EXPECT_THAT(Left("g"), ElementsAre("75"));
}

TEST_F(PricedGrantsTest, AnotherVersionOfTheSameBeginPricesThePastAgainAndUndoOfItToo) {
  const std::string head = "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n";
  ImportBooks(head + "Price - 'cpu':PerHour='0.5'\n");
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=100", "Begin=2026-01-05T00:00:00Z"});
  Run("1", 0, 4, 10);
  RecalculateAt(Hour(4));
  EXPECT_THAT(Left("g"), ElementsAre("80"));
  const v1::ImportResponse changed = ImportBooks(head + "Price - 'cpu':PerHour='0.25'\n");
  EXPECT_THAT(changed.warnings(),
              ElementsAre("own line 1: eur: usage since 2026-01-01T00:00:00Z is priced again"));
  EXPECT_EQ(changed.grants().updated(), 1);
  RecalculateAt(Hour(5));
  EXPECT_THAT(Left("g"), ElementsAre("90"));
  v1::UndoImportRequest undo;
  undo.set_cluster("c");
  Called<v1::UndoImportResponse>(undo, nullptr);
  RecalculateAt(Hour(6));
  EXPECT_THAT(Left("g"), ElementsAre("80"));
}

TEST_F(PricedGrantsTest, TheExportedBookIsTheSameAndImportingItAgainChangesNothing) {
  ImportBooks(std::string(kFirst) + kSecond);
  std::string own;
  const v1::ExportResponse exported = ExportAll();
  for (const v1::File& file : exported.files()) {
    if (file.kind() == v1::FILE_KIND_PRIORITYD) own = file.content();
  }
  EXPECT_THAT(own, HasSubstr(std::string(kFirst) + kSecond));
  const v1::ImportResponse again = ImportBooks(own);
  EXPECT_EQ(again.grants().unchanged(), 2);
  EXPECT_EQ(again.import_id(), 0);
}

TEST_F(PricedGrantsTest, AFaultyBookIsRefusedAsAWholeWithItsLine) {
  const std::string head = "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n";
  const std::string price = "Price - 'cpu':PerHour='1'\n";
  const std::pair<std::string, const char*> faults[] = {
      {head, "own line 1: PriceBook: got no Price lines after it, want some"},
      {price, "own line 1: got a Price, want it after its PriceBook"},
      {head + "Price - 'cpu':PerHour='x'\n", "own line 2: PerHour: got \"x\", want a number"},
      {head + price + head + price, "own line 3: Begin: got \"2026-01-01T00:00:00Z\", want each"},
      {"PriceBook - 'eur':Currency='euro':Begin='2026-01-01T00:00:00Z'\n" + price,
       "Currency: got \"euro\", want three letters"},
      {"PriceBook - 'a,b':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n" + price,
       "PriceBook: got \"a,b\", want the name of a price book"},
      {"PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:01:00Z'\n" + price,
       "Begin: got \"2026-01-01T00:01:00Z\", want a full quarter of an hour"},
      {"PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z':TimeZone='Mars'\n" + price,
       "TimeZone: got \"Mars\", want an IANA name"},
      {head + price + "PriceBook - 'eur':Currency='USD':Begin='2026-02-01T00:00:00Z'\n" + price,
       "own line 1: Currency: got EUR, and EUR, USD in all versions of eur, want one currency"},
  };
  for (const auto& [content, want] : faults) {
    grpc::Status status;
    ImportBooks(content, &status);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << content;
    EXPECT_THAT(status.error_message(), HasSubstr(want));
  }
}

TEST_F(PricedGrantsTest, ABlockHoldsEachJobOnceTheMoneyIsUsedUp) {
  ImportBooks(
      "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n"
      "Price - 'gres/gpu':PerHour='2'\nPrice - 'cpu':PerHour='0.5'\n");
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=20", "Begin=2026-01-05T00:00:00Z",
              "Consequence=block"});
  Run("1", 0, 1, 39);
  RecalculateAt(Hour(1));
  EXPECT_EQ(ReasonOf("amy"), "");
  Run("2", 1, 1, 1);
  RecalculateAt(Hour(2));
  EXPECT_EQ(ReasonOf("amy"), "AssocGrpBillingMinutes");
  EXPECT_EQ(ReasonOf("cat"), "");
}

TEST_F(PricedGrantsTest, AmountsAreInTheCurrencyAndAnUnknownBookIsWarnedOf) {
  const v1::ChangeResponse created =
      Grant("g", {"Accounts=a", "TRES=price/usd", "Amount=12.5", "Begin=2026-01-05T00:00:00Z"});
  EXPECT_THAT(created.warnings(),
              testing::Contains(HasSubstr("the cluster does not have price/usd: the grant counts 0 "
                                          "of it until a price book is imported")));
  Run("1", 0, 1, 1);
  RecalculateAt(Hour(1));
  EXPECT_THAT(Left("g"), ElementsAre("12.5"));
  EXPECT_EQ(OneGrant("g").attributes().at("Amount"), "12.5");
  EXPECT_EQ(OneGrant("g").balance().left_minutes(), 750);
  grpc::Status status;
  Grant("h", {"Accounts=a", "TRES=price/usd", "Amount=12h"}, &status);
  EXPECT_THAT(status.error_message(), HasSubstr("Amount: got \"12h\", want an amount of the curr"));
}

// As in the statement of priorityd-money.
TEST_F(PricedGrantsTest, UsageFactorIsNoPartOfAPrice) {
  ImportBooks(
      "PriceBook - 'eur':Currency='EUR':Begin='2026-01-01T00:00:00Z'\n"
      "Price - 'cpu':PerHour='0.5'\n");
  Grant("g", {"Accounts=a", "TRES=price/eur", "Amount=100", "Begin=2026-01-05T00:00:00Z"});
  Used(0, 1, 10, "amy", "a", "double");
  RecalculateAt(Hour(1));
  EXPECT_THAT(Left("g"), ElementsAre("95"));
}

}  // namespace
}  // namespace priorityd::rpc
