// Undecayed usage from the ledger (docs/semantics.md, section 7, "Reports").
#ifndef PRIORITYD_SERVER_USAGE_USAGE_REPORT_H_
#define PRIORITYD_SERVER_USAGE_USAGE_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/tres.h"
#include "engine/priority/snapshot/snapshot.h"
#include "storage/database/database.h"
#include "storage/database/report_database.h"
#include "storage/ledger/report_store.h"

namespace priorityd::usage {

struct UsageReportQuery {
  std::string cluster;
  // The starts of the buckets and the end of the last one; whole microseconds.
  std::vector<absl::Time> edges;
  bool by_account = false;
  bool by_user = false;
  bool by_qos = false;
  bool by_job = false;
  bool by_association = false;  // Then max_rows must exceed the number of rows.
  // Filters; empty = all. Accounts do not include those below; TRES by canonical name.
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  std::vector<std::string> job_ids;
  std::vector<std::string> tres;
  std::optional<storage::ReportAudience> audience;  // The records that count; unset = all.
  bool apply_usage_factor = false;
  // The records of the report; 0 = all present ones. Later pages need UsageReport::last_seq of the
  // first page.
  int64_t last_seq = 0;
  std::optional<storage::ReportPlace> after;  // The last row of the previous page.
  int64_t max_rows = 0;
};

// `bucket`: the index of the edge where it starts.
struct UsageReportRow {
  int64_t bucket = 0;
  std::string account;
  std::string user;
  std::string qos;
  priority::TresMap tres_seconds;  // Also `billing`.
  double wall_seconds = 0;
  std::string job_id;
  // In a report by job: the partition of its latest record, the first start and the last end.
  std::string partition;
  std::optional<absl::Time> start_time;
  std::optional<absl::Time> end_time;
  int64_t association_id = 0;  // In a report by association, deleted ones too.
};

struct UsageReport {
  std::vector<UsageReportRow> rows;              // By bucket, account, user, QOS, job.
  bool more = false;                             // More rows follow.
  int64_t last_seq = 0;                          // Of the records counted, if there are more.
  std::vector<storage::AccountParent> accounts;  // In the first page, by account.
};

// Every record counts its TRES times the part of [start_time, end_time) in a bucket; replaced
// records and opening usage do not count. NOT_FOUND: unknown cluster; UNAVAILABLE: the database.
absl::StatusOr<UsageReport> ReportUsage(storage::Database& database, const UsageReportQuery& query);
// The same where reports are read; of several pages by the primary.
absl::StatusOr<UsageReport> ReportUsage(storage::ReportDatabase& reports,
                                        const UsageReportQuery& query);

// The cluster's amount of each TRES; `billing` is their price by the default partition, or the
// CPUs.
priority::TresMap ClusterTres(const priority::Snapshot& snapshot);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_REPORT_H_
