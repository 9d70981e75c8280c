// Compares the columns that a store knows with those of its table.
#ifndef TESTS_STORAGE_STORED_COLUMNS_H_
#define TESTS_STORAGE_STORED_COLUMNS_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "storage/database/column_table.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {

class StoredColumnsTest : public StoreTest {
 protected:
  using NameAndType = std::pair<std::string, std::string>;

  // A column table has the columns of its table, of the types of its fields.
  void ExpectColumns(const TableColumns& columns) {
    std::vector<std::string> names = columns.All();
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, NamesOf(columns.Table())) << columns.Table();
    const std::vector<NameAndType> stored = ColumnsOf(columns.Table());
    for (const TableColumns::Column& column : columns.columns()) {
      const auto found = std::find_if(stored.begin(), stored.end(), [&](const NameAndType& it) {
        return it.first == column.name;
      });
      ASSERT_NE(found, stored.end()) << columns.Table() << "." << column.name;
      EXPECT_EQ(Spelled(found->second), column.type) << columns.Table() << "." << column.name;
    }
  }

  // The columns of a table of schema priorityd, as PostgreSQL has them.
  std::vector<std::string> NamesOf(const std::string& table) {
    std::vector<std::string> names;
    for (const NameAndType& column : ColumnsOf(table)) {
      // Of a cluster that is being deleted: ClusterDeletion alone reads it.
      if (column.first != "former_name") names.push_back(column.first);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<NameAndType> ColumnsOf(const std::string& table) {
    return Read([&](Transaction& t) {
             return t.Query(Decode,
                            "SELECT attname::text, format_type(atttypid, NULL) "
                            "FROM pg_attribute WHERE attrelid = $1::text::regclass "
                            "AND attnum > 0 AND NOT attisdropped",
                            {table});
           })
        .value();
  }

 private:
  static NameAndType Decode(RowReader& row) {
    NameAndType column;
    row.Read(&column.first, &column.second);
    return column;
  }

  static std::string Spelled(const std::string& type) {
    const std::string long_name = "timestamp with time zone";
    const size_t at = type.find(long_name);
    return at == std::string::npos ? type
                                   : std::string("timestamptz") + type.substr(long_name.size());
  }
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_STORED_COLUMNS_H_
