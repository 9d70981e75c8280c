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
#include "server/priority/snapshot.h"
#include "server/priority/tres.h"
#include "storage/database.h"
#include "storage/report_store.h"

namespace priorityd::usage {

struct UsageReportQuery {
  std::string cluster;
  // Where the buckets begin and the last one ends; whole microseconds.
  std::vector<absl::Time> edges;
  bool by_account = false;
  bool by_user = false;
  bool by_qos = false;
  bool by_job = false;
  // Only these; empty = all. Accounts without those below; TRES by canonical name.
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  std::vector<std::string> job_ids;
  std::vector<std::string> tres;
  std::optional<storage::ReportAudience> audience;  // Whose records; unset = everybody's.
  bool apply_usage_factor = false;
  // Which records: those of the first page; 0 = all there are now. Pages after the first want
  // the first's UsageReport::last_seq.
  int64_t last_seq = 0;
  std::optional<storage::ReportPlace> after;  // The last row of the page before.
  int64_t max_rows = 0;
};

// `bucket` is the index of the edge it begins at.
struct UsageReportRow {
  int64_t bucket = 0;
  std::string account;
  std::string user;
  std::string qos;
  priority::TresMap tres_seconds;  // Also `billing`.
  double wall_seconds = 0;
  std::string job_id;
  // In a report by job: where its latest record ran, when the first of them begins and the last
  // one ends.
  std::string partition;
  std::optional<absl::Time> start_time;
  std::optional<absl::Time> end_time;
};

struct UsageReport {
  std::vector<UsageReportRow> rows;              // By bucket, account, user, QOS, job.
  bool more = false;                             // There are rows after these.
  int64_t last_seq = 0;                          // Of the records counted, if there are more.
  std::vector<storage::AccountParent> accounts;  // In the first page, by account.
};

// Every record counts its TRES times the part of [start_time, end_time) that
// lies in a bucket; one that was replaced by another counts nothing, nor does
// opening usage. NOT_FOUND: no such cluster; UNAVAILABLE: the database.
absl::StatusOr<UsageReport> ReportUsage(storage::Database& database, const UsageReportQuery& query);

// What the cluster has of each TRES; `billing` is that priced by the default
// partition, else its CPUs.
priority::TresMap ClusterTres(const priority::Snapshot& snapshot);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_USAGE_REPORT_H_
