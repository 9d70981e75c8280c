// What the tests of the stores share.
#ifndef TESTS_STORAGE_STORE_TEST_H_
#define TESTS_STORAGE_STORE_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/configuration/association_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/database/database.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {

// Text that quoting gets wrong when it is done wrong.
inline std::vector<std::string> AwkwardTexts() {
  return {"",   "NULL", "null",    " ",  "a b",
          "{}", "{,}",  "\"",      "\\", "\\\"",
          "'",  ",",    "a\tb\nc", "$1", "Zo\xc3\xab \xe2\x82\xac",
          "--", ";",    "(a,b)",   "\\N"};
}

// Doubles that cheap formatting changes.
inline std::vector<double> AwkwardDoubles() {
  return {
      0.1,  1.0 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 123456789012345680.,
      -0.25};
}

inline absl::Time Microseconds(int64_t micros) { return absl::FromUnixMicros(micros); }

// The status of either a Status or a StatusOr.
inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

#define ASSERT_OK(expression) ASSERT_EQ(StatusOf(expression), absl::OkStatus())
#define EXPECT_OK(expression) EXPECT_EQ(StatusOf(expression), absl::OkStatus())

// How many rows of `table` its work reads, which returns a status.
template <typename Work>
absl::StatusOr<int64_t> RowsReadBy(Transaction& transaction, const std::string& table, Work work) {
  // PostgreSQL flushes its statistics between transactions; flushed ones are not counted here.
  const auto rows_read = [&] {
    return transaction.QueryOne(
        OnlyColumn<int64_t>,
        "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM "
        "pg_stat_xact_user_tables WHERE relid = $1::regclass",
        {table});
  };
  const absl::StatusOr<int64_t> before = rows_read();
  if (!before.ok()) return before;
  if (absl::Status status = work(); !status.ok()) return status;
  const absl::StatusOr<int64_t> after = rows_read();
  if (!after.ok()) return after;
  return *after - *before;
}

// A database of its own for each test, with one cluster in it.
class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : database_({.url = NewTestDatabase(), .pool_size = 4}) {}

  void SetUp() override {
    auto created = Write(
        [](Transaction& transaction) { return ClusterStore(transaction).FindOrCreate("test"); });
    ASSERT_OK(created);
    cluster_ = *std::move(created);
  }

  template <typename Work>
  ResultOf<Work> Write(Work&& work) {
    return database_.Write(work);
  }

  // As Database::Read; the test fails if the result is an error.
  template <typename Work>
  ResultOf<Work> Read(Work&& work) {
    auto result = database_.Read(work);
    EXPECT_OK(result);
    return result;
  }

  // Inserts accounts, each below the one at an index, -1 = root itself; returns their ids.
  std::vector<int64_t> InsertAccounts(const std::vector<std::pair<std::string, int>>& accounts) {
    std::vector<int64_t> ids;
    EXPECT_OK(Write([&](Transaction& transaction) {
      AssociationStore store(transaction);
      ids = store.ReserveIds(accounts.size()).value();
      std::vector<Association> rows;
      for (const auto& [account, parent] : accounts) {
        Association& row = rows.emplace_back();
        row.id = ids[rows.size() - 1];
        row.cluster_id = cluster_.id;
        if (parent >= 0) row.parent_id = ids[parent];
        row.account = account;
      }
      return store.Insert(rows);
    }));
    return ids;
  }

  // From then on the cluster is a new one, of which statistics know nothing, and of the other they
  // know what it has.
  void BecomeNewCluster() {
    ASSERT_OK(Write([&](Transaction& transaction) -> absl::Status {
      auto created = ClusterStore(transaction).FindOrCreate("new");
      if (created.ok()) cluster_ = *std::move(created);
      return transaction.ExecuteScript("ANALYZE");
    }));
  }
  // In a transaction that does `work`.
  template <typename Work>
  int64_t RowsRead(const std::string& table, Work work) {
    return Read([&](Transaction& transaction) {
             return RowsReadBy(transaction, table, [&] { return work(transaction); });
           })
        .value();
  }

  Database database_;
  Cluster cluster_;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_STORE_TEST_H_
