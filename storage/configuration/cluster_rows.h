// Rows of a cluster that have an id and are marked as deleted instead of being removed.
#ifndef STORAGE_CONFIGURATION_CLUSTER_ROWS_H_
#define STORAGE_CONFIGURATION_CLUSTER_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/database/column_table.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The statements for a table with the columns id, cluster_id and deleted_at, generated once from
// its column table. Immutable.
template <typename Row, const ColumnTable<Row>& (*kColumns)()>
class ClusterRows {
 public:
  // `table`: its name in the schema priorityd, also used for a row in errors.
  explicit ClusterRows(const char* table)
      : table_(table),
        list_{ListOf(Edition::kCurrent), ListOf(Edition::kPublished)},
        insert_(absl::StrCat("INSERT INTO ", kColumns().Table(), " (",
                             kColumns().Written("cluster_id, "), ") SELECT $1::integer, ",
                             kColumns().GivenValues(), " FROM ", kColumns().Given(2),
                             " RETURNING id")),
        update_(absl::StrCat("UPDATE ", kColumns().Table(), " r SET ", kColumns().AssignGiven(),
                             " FROM ", kColumns().Given(3),
                             " WHERE r.cluster_id = $1 AND r.id = $2 AND r.deleted_at IS NULL")),
        delete_(absl::StrCat("UPDATE ", kColumns().Table(), " SET deleted_at = $3 ",
                             "WHERE cluster_id = $1 AND id = $2 AND deleted_at IS NULL")) {}

  // By id.
  absl::StatusOr<std::vector<Row>> List(Transaction& transaction, int32_t cluster_id,
                                        Edition edition) const {
    return transaction.Query(DecodeTableRow<kColumns>, list_[static_cast<int>(edition)],
                             {cluster_id, false});
  }
  absl::StatusOr<std::vector<Row>> ListDeleted(Transaction& transaction, int32_t cluster_id) const {
    return transaction.Query(DecodeTableRow<kColumns>, list_[0], {cluster_id, true});
  }

  // Returns the new id.
  absl::StatusOr<int64_t> Insert(Transaction& transaction, const Row& row) const {
    return transaction.QueryOne(
        OnlyColumn<int64_t>, insert_,
        kColumns().Parameters(absl::MakeConstSpan(&row, 1), {row.cluster_id}));
  }

  // NOT_FOUND if it does not exist or is deleted.
  absl::Status Update(Transaction& transaction, const Row& row) const {
    return WantOne(transaction.Execute(update_, kColumns().Parameters(absl::MakeConstSpan(&row, 1),
                                                                      {row.cluster_id, row.id})),
                   row.id);
  }
  absl::Status Delete(Transaction& transaction, int32_t cluster_id, int64_t id,
                      absl::Time at) const {
    return WantOne(transaction.Execute(delete_, {cluster_id, id, at}), id);
  }

 private:
  static std::string ListOf(Edition edition) {
    return absl::StrCat("SELECT ", kColumns().Selected(), " FROM ", kColumns().Table(edition),
                        " WHERE cluster_id = $1 AND (deleted_at IS NOT NULL) = $2 ORDER BY id");
  }
  absl::Status WantOne(const absl::StatusOr<int64_t>& rows, int64_t id) const {
    if (!rows.ok()) return rows.status();
    if (*rows == 1) return absl::OkStatus();
    return absl::NotFoundError(absl::StrCat(table_, ": got id ", id, ", want a known one"));
  }

  const std::string table_;
  const std::string list_[2];  // By Edition.
  const std::string insert_;
  const std::string update_;
  const std::string delete_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_CONFIGURATION_CLUSTER_ROWS_H_
