// Metrics of this replica's parts on its host: certificates and an embedded PostgreSQL.
#ifndef PRIORITYD_SERVER_METRICS_HOST_METRICS_H_
#define PRIORITYD_SERVER_METRICS_HOST_METRICS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/metrics/families.h"

namespace priorityd::metrics {

struct Host {
  std::vector<std::string> certificates;  // PEM files.
  // Of the embedded PostgreSQL; empty and null = there is none.
  std::string data_dir;
  std::function<int64_t()> postgres_restarts;
  std::function<absl::StatusOr<absl::Time>()> newest_backup;  // The epoch = there is none.
  std::string cell;                                           // See --cell; empty = none.
};

// Reads the files now: a certificate that was renewed counts at once. A file or file system that
// cannot be read has no series.
void AddHost(const Host& host, Families* families);

}  // namespace priorityd::metrics

#endif  // PRIORITYD_SERVER_METRICS_HOST_METRICS_H_
