// The machine-readable output of sprio.
#ifndef PRIORITYD_CLIENT_SLURM_TABLES_SPRIO_TABLE_H_
#define PRIORITYD_CLIENT_SLURM_TABLES_SPRIO_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::tables {

// A job in one partition.
struct SprioRow {
  std::string job_id;
  std::string partition;
  int64_t priority = 0;
  int64_t site = 0;
  int64_t nice = 0;
  // By names of PriorityFactors: age, assoc, fair_share, job_size, partition, qos. Factors have
  // seven digits, contributions are whole numbers.
  std::map<std::string, double> factors;
  std::map<std::string, double> contributions;
  std::map<std::string, double> tres_contributions;

  // A priority set by hand has no factors.
  bool IsSetByHand() const;
};

// Reads the output of `sprio -o "%i|%r|%Y|%S|%N|%a|%b|%f|%j|%p|%q|%t|%A|%B|%F|%J|%P|%Q|%T"` with
// its heading. INVALID_ARGUMENT names the line.
absl::StatusOr<std::vector<SprioRow>> ReadSprioTable(absl::string_view content);

}  // namespace priorityd::tables

#endif  // PRIORITYD_CLIENT_SLURM_TABLES_SPRIO_TABLE_H_
