// Which jobs and rows of a queue an answer is about.
#ifndef PRIORITYD_SERVER_PRIORITY_ROW_FILTER_H_
#define PRIORITYD_SERVER_PRIORITY_ROW_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/priority/job.h"
#include "server/priority/job_table.h"
#include "server/priority/ranking.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

// The filters of RankOptions. Names are looked at once per association and
// partition, not per job. `snapshot` and what the options point to must outlive
// it. Thread-compatible.
class RowFilter {
 public:
  RowFilter(const Snapshot& snapshot, const RankOptions& options);

  bool PassesAll() const { return partitions_.empty() && accounts_.empty() && users_.empty(); }
  // By the account charged.
  bool PassesRow(const JobTable& table, size_t row);
  // Of a job without any row: by the account charged, or that named where none
  // could be found, and by the partitions named.
  bool PassesUnresolved(const Job& job, AssociationIndex association) const;
  // PassesRow of each row; empty = all pass.
  std::vector<uint8_t> Wanted(const JobTable& table);

 private:
  using NameSet = absl::flat_hash_set<absl::string_view>;

  enum Known : uint8_t { kUnknown, kPasses, kFails };

  static bool Passes(const NameSet& wanted, absl::string_view name) {
    return wanted.empty() || wanted.contains(name);
  }
  bool PassesPartition(int partition) const;

  const Snapshot& snapshot_;
  NameSet partitions_;
  NameSet accounts_;
  NameSet users_;
  std::vector<uint8_t> by_partition_;    // By index + 1; 1 = passes.
  std::vector<uint8_t> by_association_;  // Known; empty without such filters.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_ROW_FILTER_H_
