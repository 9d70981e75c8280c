// Selects the jobs and rows of a queue for an answer.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_FILTER_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/jobs/job_table.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

// The filters of RankOptions. A job of a merged user passes by either user's name. Compares names
// once per association and partition instead of per job.
// `snapshot` and the names in the options must outlive it. Thread-compatible.
class RowFilter {
 public:
  RowFilter(const Snapshot& snapshot, const RankOptions& options);

  bool PassesAll() const { return partitions_.empty() && accounts_.empty() && users_.empty(); }
  // Filters by the account that is charged.
  bool PassesRow(const JobTable& table, size_t row);
  // For a job without rows: filters by the account that is charged, or the named one if no account
  // was found, and by the named partitions.
  bool PassesUnresolved(const Job& job, AssociationIndex association) const;
  // PassesRow for each row; empty = all rows pass.
  std::vector<uint8_t> Wanted(const JobTable& table);

 private:
  using NameSet = absl::flat_hash_set<absl::string_view>;

  enum Known : uint8_t { kUnknown, kPasses, kFails };

  static bool Passes(const NameSet& wanted, absl::string_view name) {
    return wanted.empty() || wanted.contains(name);
  }
  bool PassesPartition(int partition) const;
  // By the name that was sent, if it is that of a merged user.
  bool PassesMerged(const JobTable& table, uint32_t job) const;
  bool PassesUser(absl::string_view user) const;

  const Snapshot& snapshot_;
  NameSet partitions_;
  NameSet accounts_;
  NameSet users_;
  std::vector<uint8_t> by_partition_;    // By index + 1; 1 = passes.
  std::vector<uint8_t> by_association_;  // Values of Known; empty without such filters.
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_ROW_FILTER_H_
