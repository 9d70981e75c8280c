#include "storage/grants/price_book_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/database/row_reader.h"

namespace priorityd::storage {
namespace {

constexpr char kDeletePrices[] =
    "DELETE FROM priorityd.price_book WHERE cluster_id = $1 AND name = $2::text "
    "AND begin_time = $3::timestamptz";

constexpr char kPriceClusters[] =
    "SELECT id, name FROM priorityd.cluster c WHERE former_name IS NULL "
    "AND EXISTS (SELECT FROM priorityd.price_book b WHERE b.cluster_id = c.id)";

struct PriceStatements {
  const ColumnTable<PriceBook>& books = PriceBookColumns();
  std::string list = absl::StrCat("SELECT ", books.Selected(), " FROM ", books.Table(),
                                  " WHERE cluster_id = $1 ORDER BY name, begin_time");
  std::string insert =
      absl::StrCat("INSERT INTO ", books.Table(), " (", books.Written("cluster_id, "),
                   ") SELECT $1::integer, ", books.GivenValues(), " FROM ", books.Given(2));
};

const PriceStatements& PriceSql() {
  static const auto* const statements = new PriceStatements;
  return *statements;
}

std::pair<int32_t, std::string> DecodePriceCluster(RowReader& row) {
  std::pair<int32_t, std::string> cluster;
  row.Read(&cluster.first, &cluster.second);
  return cluster;
}

}  // namespace

const ColumnTable<PriceBook>& PriceBookColumns() {
  using C = ColumnTable<PriceBook>;
  using B = PriceBook;
  static const auto* const columns =
      new C("price_book", {"cluster_id"},
            {C::Key<&B::name>("name"), C::Key<&B::begin_time>("begin_time"),
             C::Value<&B::currency>("currency"), C::Value<&B::time_zone>("time_zone"),
             C::Value<&B::rules>("rules"), C::Value<&B::changed_by>("changed_by"),
             C::Value<&B::comment>("comment")});
  return *columns;
}

absl::StatusOr<std::vector<std::pair<int32_t, std::string>>> PriceBookStore::ListClusters() {
  return transaction_.Query(DecodePriceCluster, kPriceClusters, {});
}

absl::StatusOr<std::vector<PriceBook>> PriceBookStore::List(int32_t cluster_id) {
  return transaction_.Query(DecodeTableRow<PriceBookColumns>, PriceSql().list, {cluster_id});
}

absl::Status PriceBookStore::Write(int32_t cluster_id, const PriceBook& book) {
  absl::Status deleted = Delete(cluster_id, book.name, book.begin_time);
  if (!deleted.ok()) return deleted;
  return transaction_
      .Execute(PriceSql().insert, PriceBookColumns().Parameters({&book, 1}, {cluster_id}))
      .status();
}

absl::Status PriceBookStore::Delete(int32_t cluster_id, const std::string& name,
                                    absl::Time begin_time) {
  return transaction_.Execute(kDeletePrices, {cluster_id, name, begin_time}).status();
}

}  // namespace priorityd::storage
