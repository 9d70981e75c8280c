// Reads the ledger for reports and limits: records of jobs, never opening usage or resets.
#ifndef STORAGE_LEDGER_REPORT_STORE_H_
#define STORAGE_LEDGER_REPORT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// The end of a job's recorded usage.
struct JobEnd {
  std::string job_id;
  absl::Time end_time;
  bool operator==(const JobEnd&) const = default;
};

// Of the columns job_id and end_time.
JobEnd DecodeJobEnd(RowReader& row);

// Stands for wall time among the TRES of a ReportRow.
inline constexpr int32_t kWallSeconds = 0;

// A row of a report by what it is about; names are empty where the report is not by them.
struct ReportPlace {
  int64_t bucket = 0;  // The index of the edge it begins at.
  std::string account;
  std::string user_name;
  std::string qos;
  std::string job_id;
  bool operator==(const ReportPlace&) const = default;
};

// The records of this user (empty = of nobody), and all that were charged to these accounts
// themselves.
struct ReportAudience {
  std::string user_name;
  std::vector<std::string> accounts;
};

// The records that a report counts, and the fields by which it has rows.
struct ReportFilter {
  int32_t cluster_id = 0;
  // The start times of the buckets, ascending, and the end of the last one; whole microseconds. At
  // least two.
  std::vector<absl::Time> edges;
  bool by_account = false;
  bool by_user = false;
  bool by_qos = false;
  bool by_job = false;
  bool by_association = false;  // Then max_rows must exceed the number of rows.
  // Only these; empty = all.
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  std::vector<std::string> job_ids;
  // The only records that may be counted; unset = everybody's.
  std::optional<ReportAudience> audience;
  bool all_tres = true;
  std::vector<int32_t> tres_ids;  // Read unless all_tres.
  bool apply_usage_factor = false;
  // The ledger as it was when LedgerScan::End answered this; unset = as it is.
  std::optional<int64_t> last_seq;
  std::optional<ReportPlace> after;  // Only rows after this one, whether or not it is there.
  int64_t max_rows = 0;
};

// The usage of one combination in a bucket; names are empty where the report is not by them.
struct ReportRow {
  int64_t bucket = 0;  // The index of the edge it begins at.
  std::string account;
  std::string user_name;
  std::string qos;
  // TRES-seconds, ascending by number; billing, and wall time as kWallSeconds.
  std::vector<TresAmount> tres_seconds;
  std::string job_id;
  // Of the job, in a report by job: where its latest record ran, when the first of those in
  // this bucket begins and the last one ends.
  std::string partition;
  std::optional<absl::Time> start_time;
  std::optional<absl::Time> end_time;
  int64_t association_id = 0;  // In a report by association, deleted ones too.
  bool operator==(const ReportRow&) const = default;
};

// An account and the one above; empty for root.
struct AccountParent {
  std::string account;
  std::string parent_account;
  bool operator==(const AccountParent&) const = default;
};

class ReportStore {
 public:
  explicit ReportStore(Transaction& transaction) : transaction_(transaction) {}

  // The latest end_time of every job that has a record that counts (ledger_store.h)
  // and ends after `since`, by job_id. Records without job_id are left out.
  absl::StatusOr<std::vector<JobEnd>> LatestEnds(int32_t cluster_id, absl::Time since);

  // The first max_rows rows of the report that come after `after`, by bucket, account,
  // user, QOS and job. A record counts its TRES times the whole microseconds it has in
  // a bucket, also when its association or QOS is deleted; one that another
  // replaces counts nothing.
  absl::StatusOr<std::vector<ReportRow>> Usage(const ReportFilter& filter);

  // Every account there is or was, by name: deleted ones as they last stood.
  absl::StatusOr<std::vector<AccountParent>> Accounts(int32_t cluster_id);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_REPORT_STORE_H_
