// Rows of a cluster, read from one database and written to another.
#ifndef STORAGE_SCHEMA_CLUSTER_COPY_H_
#define STORAGE_SCHEMA_CLUSTER_COPY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"
#include "storage/schema/moved_tables.h"

namespace priorityd::storage {

// Rows of a table; see proto/priority/v1/cluster_move.proto.
struct CopiedRows {
  std::vector<std::string> columns;
  std::vector<std::string> rows;  // Composite values.
  std::vector<std::string> last;  // The key of the last row that was looked at.
  bool complete = false;
  std::map<int32_t, std::string> tres;
  std::map<int32_t, std::string> principals;
};

// The progress of writing a table.
struct CopyProgress {
  std::string table;
  std::vector<std::string> after;
  bool complete = false;
  int64_t rows = 0;
  bool operator==(const CopyProgress&) const = default;
};

// Numbers of rows (associations, QOS, records ...) stay the same, as they are keys within the
// cluster only. Numbers of the cluster, of TRES and of principals become those of the target.
class ClusterCopy {
 public:
  // A page ends after so many bytes.
  static constexpr size_t kPageBytes = size_t{2} << 20;

  explicit ClusterCopy(Transaction& transaction) : transaction_(transaction) {}

  // The page after the key `after`; empty = the first. Of MoveStage::kLive: only what records up to
  // `last_seq` are about. INVALID_ARGUMENT if `after` is no key of the table. REQUIRES: in
  // Database::Read.
  absl::StatusOr<CopiedRows> Read(const MovedTable& table, int32_t cluster_id,
                                  const std::vector<std::string>& after, int64_t last_seq);

  // Writes a page into the rows of `cluster_id`. FAILED_PRECONDITION if the table has other columns
  // here; INVALID_ARGUMENT if the cluster would have more than `most_tres` TRES besides Slurm's
  // own.
  absl::Status Write(const MovedTable& table, const std::string& cluster, int32_t cluster_id,
                     const CopiedRows& page, size_t most_tres);

  // In the order of MovedTables; a table without a row is at its beginning.
  absl::StatusOr<std::vector<CopyProgress>> Progress(const std::string& cluster);
  absl::Status WriteProgress(const std::string& cluster, const CopyProgress& progress);

  // Gives the usage that the newest snapshot was computed from the TRES numbers of this database.
  absl::Status TranslatePublication(const std::string& cluster, int32_t cluster_id);

 private:
  // The numbers of TRES in the target, by those in the source.
  using Numbers = std::map<int32_t, int32_t>;

  absl::StatusOr<std::vector<std::string>> ColumnsOf(const std::string& table);
  absl::Status ReadNames(int32_t cluster_id, const std::vector<std::string>& after,
                         CopiedRows* page);
  absl::StatusOr<Numbers> RegisterTres(const std::string& cluster, int32_t cluster_id,
                                       const std::map<int32_t, std::string>& names, size_t most);
  absl::StatusOr<Numbers> RegisterPrincipals(const std::map<int32_t, std::string>& names);

  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_CLUSTER_COPY_H_
