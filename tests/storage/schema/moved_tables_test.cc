#include "storage/schema/moved_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "storage/configuration/cluster_deletion.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

class MovedTablesTest : public StoreTest {};

TEST(MovedTablesListTest, EveryTableWithRowsOfClustersMovesOrStays) {
  std::set<std::string> listed;
  for (const MovedTable& table : MovedTables()) {
    if (absl::string_view(table.name) != kLaterParents) listed.insert(table.name);
  }
  for (const absl::string_view stays : TablesThatStay()) {
    EXPECT_TRUE(listed.insert(std::string(stays)).second) << stays;
  }
  std::set<std::string> all(ClusterDeletion::Tables().begin(), ClusterDeletion::Tables().end());
  all.insert({"cluster", "published_cluster"});
  EXPECT_EQ(listed, all);
}

// Pages would otherwise leave rows out.
TEST_F(MovedTablesTest, TheKeyIsAUniqueIndexOrAllColumns) {
  for (const MovedTable& table : MovedTables()) {
    ASSERT_EQ(table.key.size(), table.key_types.size()) << table.name;
    const bool by_rule = absl::string_view(table.name) == "association" ||
                         absl::string_view(table.name) == kLaterParents ||
                         absl::string_view(table.name) == "job_accounting" ||
                         absl::string_view(table.name) == "job_record" ||
                         absl::string_view(table.name) == "cluster" ||
                         absl::string_view(table.name) == "published_cluster";
    if (by_rule) continue;
    std::vector<std::string> wanted(table.key.begin(), table.key.end());
    wanted.push_back("cluster_id");
    std::sort(wanted.begin(), wanted.end());
    const auto indexes = Read([&](Transaction& t) {
      return t.Query(OnlyColumn<std::vector<std::string>>,
                     "SELECT (SELECT array_agg(a.attname::text ORDER BY a.attname COLLATE \"C\") "
                     "FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY "
                     "(i.indkey::smallint[])) FROM pg_index i WHERE i.indisunique AND i.indpred IS "
                     "NULL AND i.indrelid = ('priorityd.' || $1)::regclass",
                     {table.name});
    });
    ASSERT_TRUE(indexes.ok()) << indexes.status();
    EXPECT_NE(std::find(indexes->begin(), indexes->end(), wanted), indexes->end()) << table.name;
  }
}

}  // namespace
}  // namespace priorityd::storage
