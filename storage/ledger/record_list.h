// Lists the records of the ledger that count, with the accounting data of their jobs.
#ifndef STORAGE_LEDGER_RECORD_LIST_H_
#define STORAGE_LEDGER_RECORD_LIST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/report_store.h"

namespace priorityd::storage {

// The last record of the previous page.
struct RecordPlace {
  absl::Time end_time = absl::InfinitePast();
  int64_t seq = 0;
  bool operator==(const RecordPlace&) const = default;
};

// Selects records. Empty and unset filters select all.
struct RecordFilter {
  int32_t cluster_id = 0;
  absl::Time ended_from = absl::InfinitePast();      // Records that end at this time or later,
  absl::Time ended_before = absl::InfiniteFuture();  // and before this time.
  std::vector<std::string> job_ids;
  std::vector<std::string> accounts;  // Charged.
  std::vector<std::string> users;
  bool with_job = false;  // Only records with accounting data.
  std::optional<ReportAudience> audience;
  RecordPlace after;
  int64_t limit = 0;
};

struct ListedRecord {
  int64_t seq = 0;
  UsageRecord record;   // With accounting data of its job, if any.
  std::string account;  // Charged, also where the association is deleted.
  std::string qos;      // The QOS that priced it; empty = none.
};

// The first `limit` records after `after`, by end_time and seq. Reads what ends from there on until
// it has them; with job_ids and with_job only records of these jobs. The transaction goes on
// without plans that read whole tables.
absl::StatusOr<std::vector<ListedRecord>> ListRecords(Transaction& transaction,
                                                      const RecordFilter& filter);

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_RECORD_LIST_H_
