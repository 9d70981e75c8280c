// RebuildUsage: computes every usage row from the ledger.
#ifndef PRIORITYD_SERVER_USAGE_USAGE_REBUILD_H_
#define PRIORITYD_SERVER_USAGE_USAGE_REBUILD_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/usage/ledger_sum.h"
#include "storage/database/database.h"

namespace priorityd::usage {

// Rows are wrong if they differ from the ledger by more than this, relative, and by more than the
// uncertainty of rolled up records.
inline constexpr double kTolerance = 1e-9;

// A wrong row, by the names of its association or QOS.
struct WrongRow {
  std::string account;
  std::string user;
  std::string partition;
  std::string qos;
  double stored = 0;
  double rebuilt = 0;
};

struct RebuildRequest {
  std::string cluster;
  std::string principal;       // For the audit trail.
  bool validate_only = false;  // Compare without writing.
};

struct RebuildResult {
  int64_t records = 0;  // In the ledger, or rolled up.
  int64_t rows = 0;     // With usage.
  std::vector<WrongRow> wrong;
};

// Sums up the whole ledger while usage is being recorded and, in one transaction at the end,
// corrects wrong rows. Opening usage is not part of the ledger and stays unchanged.
//
// NOT_FOUND (UNKNOWN_CLUSTER); ABORTED if the rules of decay or the horizon of the ledger keep
// changing meanwhile; UNAVAILABLE: the database; errors of `progress`.
absl::StatusOr<RebuildResult> RebuildUsage(storage::Database& database,
                                           const RebuildRequest& request, ProgressReport progress);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_REBUILD_H_
