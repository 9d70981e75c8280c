#include "storage/grants/price_book_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/grants/usage_pool_store.h"
#include "storage/ledger/ledger_scan.h"
#include "tests/storage/retention_fixture.h"

namespace priorityd::storage {
namespace {

PriceBook BookFrom(const std::string& name, absl::Time begin, const std::string& rule = "a") {
  return {.name = name,
          .begin_time = begin,
          .currency = "EUR",
          .time_zone = "Europe/Berlin",
          .rules = {rule, "Price - 'cpu, \\'x\\'':PerHour='1'"},
          .changed_by = "root",
          .comment = "contract"};
}

class PriceBookStoreTest : public RetentionStoreTest {
 protected:
  void WriteBook(const PriceBook& book) {
    ASSERT_OK(Write([&](Transaction& t) { return PriceBookStore(t).Write(cluster_.id, book); }));
  }
  std::vector<PriceBook> Books() {
    return Read([&](Transaction& t) { return PriceBookStore(t).List(cluster_.id); }).value();
  }
  void AddPool(const std::string& tres) {
    ASSERT_OK(Write([&](Transaction& t) {
      return UsagePoolStore(t).Insert(cluster_.id, {0, {"a"}, "", tres, 7, false}).status();
    }));
  }
  // The TRES of stale pools.
  std::vector<std::string> Stale() {
    std::vector<std::string> tres;
    const auto pools = Read([&](Transaction& t) { return UsagePoolStore(t).List(cluster_.id); });
    for (const UsagePool& pool : *pools) {
      if (pool.is_stale) tres.push_back(pool.tres);
    }
    return tres;
  }
};

TEST_F(PriceBookStoreTest, AVersionReplacesTheOneOfItsNameAndBegin) {
  WriteBook(BookFrom("b", Hour(1)));
  WriteBook(BookFrom("b", Hour(0)));
  WriteBook(BookFrom("a", Hour(1)));
  WriteBook(BookFrom("b", Hour(1), "another"));
  EXPECT_EQ(Books(), (std::vector<PriceBook>{BookFrom("a", Hour(1)), BookFrom("b", Hour(0)),
                                             BookFrom("b", Hour(1), "another")}));
  ASSERT_OK(
      Write([&](Transaction& t) { return PriceBookStore(t).Delete(cluster_.id, "b", Hour(0)); }));
  EXPECT_EQ(Books().size(), 2u);
}

TEST_F(PriceBookStoreTest, PoolsOfTheBookAreStaleOnceThereIsUsageAfterTheBegin) {
  AddPool("price/b");
  AddPool("price/c");
  AddPool("cpu");
  WriteBook(BookFrom("b", Hour(0)));
  EXPECT_EQ(Stale(), std::vector<std::string>());
  Append({Record("r", Hour(1), Hour(2))});
  WriteBook(BookFrom("b", Hour(2)));
  EXPECT_EQ(Stale(), std::vector<std::string>()) << "the record ends when the version begins";
  WriteBook(BookFrom("b", Hour(1.75)));
  EXPECT_EQ(Stale(), std::vector<std::string>{"price/b"});
}

TEST_F(PriceBookStoreTest, TheLedgerHasThePartitionOfEachRecord) {
  UsageRecord record = Record("r", Hour(1), Hour(2));
  record.submitted.partition = "big";
  Append({record});
  const auto page = Read([&](Transaction& t) {
    return LedgerScan(t).Read(cluster_.id, {.after = 0, .upto = 1'000'000}, 0, 10);
  });
  ASSERT_EQ(page->records.size(), 1u);
  EXPECT_EQ(page->records[0].submitted.partition, "big");
}

}  // namespace
}  // namespace priorityd::storage
