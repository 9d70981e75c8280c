#include "storage/ledger/job_accounting_store.h"

#include "absl/strings/str_cat.h"
#include "storage/database/column_table.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::storage {
namespace {

// A row that is there already is of a record of that name that was rolled up.
const std::string& InsertStatement() {
  static const auto* const statement = [] {
    const ColumnTable<JobAccountingRow>& columns = JobAccountingColumns();
    return new std::string(absl::StrCat(
        "INSERT INTO ", columns.Table(), " (", columns.Written("cluster_id, "),
        ") SELECT $1::integer, ", columns.GivenValues(), " FROM ", columns.Given(2),
        " ON CONFLICT (cluster_id, source, record_id) DO UPDATE SET ", columns.AssignExcluded()));
  }();
  return *statement;
}

constexpr char kDeleteBefore[] =
    "DELETE FROM priorityd.job_accounting WHERE ctid = ANY (ARRAY("
    "SELECT ctid FROM priorityd.job_accounting WHERE cluster_id = $1 AND record_end < $2 "
    "ORDER BY record_end LIMIT $3::bigint))";

template <auto kMember>
ColumnTable<JobAccountingRow>::Field Datum(const char* name) {
  return ColumnTable<JobAccountingRow>::Value<&JobAccountingRow::job, kMember>(name);
}

}  // namespace

const ColumnTable<JobAccountingRow>& JobAccountingColumns() {
  using C = ColumnTable<JobAccountingRow>;
  using R = JobAccountingRow;
  using J = JobAccounting;
  static const auto* const columns =
      new C("job_accounting", {"cluster_id"},
            {C::Key<&R::source>("source"), C::Key<&R::record_id>("record_id"),
             C::Value<&R::job_id>("job_id"), C::Value<&R::record_end>("record_end"),
             Datum<&J::state>("state"), Datum<&J::exit_code>("exit_code"),
             Datum<&J::exit_signal>("exit_signal"), Datum<&J::submit_time>("submit_time"),
             Datum<&J::eligible_time>("eligible_time"), Datum<&J::start_time>("start_time"),
             Datum<&J::end_time>("end_time"), Datum<&J::time_limit>("time_limit"),
             Datum<&J::total_cpu>("total_cpu"), Datum<&J::max_rss>("max_rss"),
             Datum<&J::req_cpus>("req_cpus"), Datum<&J::req_mem>("req_mem"),
             Datum<&J::node_list>("node_list")});
  return *columns;
}

absl::Status JobAccountingStore::Insert(int32_t cluster_id,
                                        const std::vector<const UsageRecord*>& records) {
  std::vector<JobAccountingRow> rows;
  for (const UsageRecord* record : records) {
    if (record->job == nullptr) continue;
    const SubmittedUsage& usage = record->submitted;
    rows.push_back({usage.source, usage.record_id, usage.job_id, usage.end_time, *record->job});
  }
  if (rows.empty()) return absl::OkStatus();
  return transaction_
      .Execute(InsertStatement(), JobAccountingColumns().Parameters(rows, {cluster_id}))
      .status();
}

absl::StatusOr<int64_t> JobAccountingStore::DeleteBefore(int32_t cluster_id, absl::Time horizon,
                                                         int64_t limit) {
  return transaction_.Execute(kDeleteBefore, {cluster_id, horizon, limit});
}

}  // namespace priorityd::storage
