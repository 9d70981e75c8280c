#include "server/usage/usage_report.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "engine/priority/site/billing.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/ledger/ledger_scan.h"

namespace priorityd::usage {
namespace {

using storage::ReportStore;

class Reporter {
 public:
  Reporter(storage::Transaction& transaction, const UsageReportQuery& query)
      : transaction_(transaction), query_(query) {}

  absl::StatusOr<UsageReport> Report() {
    auto cluster = configuration::FindCluster(transaction_, query_.cluster);
    if (!cluster.ok()) return cluster.status();
    cluster_id_ = cluster->id;
    auto tres = storage::TresStore(transaction_).List();
    if (!tres.ok()) return tres.status();
    auto rows = ReadRows(*tres);
    if (!rows.ok()) return rows.status();
    UsageReport report;
    report.last_seq = query_.last_seq;
    report.more = static_cast<int64_t>(rows->size()) > query_.max_rows;
    if (report.more) rows->pop_back();
    AddRows(*tres, *std::move(rows), &report);
    if (query_.by_account && !query_.after.has_value()) {
      auto accounts = ReportStore(transaction_).Accounts(cluster_id_);
      if (!accounts.ok()) return accounts.status();
      report.accounts = *std::move(accounts);
    }
    return report;
  }

 private:
  absl::StatusOr<std::vector<storage::ReportRow>> ReadRows(
      const std::map<std::string, int32_t>& tres) {
    storage::ReportFilter filter = {.cluster_id = cluster_id_,
                                    .edges = query_.edges,
                                    .by_account = query_.by_account,
                                    .by_user = query_.by_user,
                                    .by_qos = query_.by_qos,
                                    .by_job = query_.by_job,
                                    .by_association = query_.by_association,
                                    .accounts = query_.accounts,
                                    .users = query_.users,
                                    .qos = query_.qos,
                                    .job_ids = query_.job_ids,
                                    .audience = query_.audience,
                                    .all_tres = query_.tres.empty(),
                                    .apply_usage_factor = query_.apply_usage_factor,
                                    .after = query_.after,
                                    .max_rows = query_.max_rows + 1};
    for (const std::string& name : query_.tres) {
      const auto number = tres.find(name);
      if (number != tres.end()) filter.tres_ids.push_back(number->second);
    }
    if (query_.last_seq > 0) filter.last_seq = query_.last_seq;
    return ReportStore(transaction_).Usage(filter);
  }

  void AddRows(const std::map<std::string, int32_t>& tres, std::vector<storage::ReportRow> rows,
               UsageReport* report) {
    absl::flat_hash_map<int32_t, absl::string_view> names;
    for (const auto& [name, id] : tres) names[id] = name;
    for (storage::ReportRow& row : rows) {
      UsageReportRow& added = report->rows.emplace_back();
      added.bucket = row.bucket;
      added.account = std::move(row.account);
      added.user = std::move(row.user_name);
      added.qos = std::move(row.qos);
      added.job_id = std::move(row.job_id);
      added.partition = std::move(row.partition);
      added.start_time = row.start_time;
      added.end_time = row.end_time;
      added.association_id = row.association_id;
      for (const storage::TresAmount& amount : row.tres_seconds) {
        if (amount.tres_id == storage::kWallSeconds) {
          added.wall_seconds = amount.amount;
        } else if (const auto name = names.find(amount.tres_id); name != names.end()) {
          added.tres_seconds[std::string(name->second)] = amount.amount;
        }
      }
    }
  }

  storage::Transaction& transaction_;
  const UsageReportQuery& query_;
  int32_t cluster_id_ = 0;
};

// The end of the ledger: no append is in progress before it.
absl::StatusOr<int64_t> EndOfLedger(storage::Database& database, const std::string& cluster) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    absl::Status locked = storage::ClusterStore(transaction).Lock(found->id);
    if (!locked.ok()) return locked;
    return storage::LedgerScan(transaction).End(found->id);
  });
}

template <typename Database>
absl::StatusOr<UsageReport> Read(Database& database, const UsageReportQuery& query) {
  return database.Read(
      [&](storage::Transaction& transaction) { return Reporter(transaction, query).Report(); });
}

// The first of several pages again, so that later ones, read at other moments, count the same
// records.
absl::StatusOr<UsageReport> Pin(storage::Database& primary, const UsageReportQuery& query,
                                absl::StatusOr<UsageReport> report) {
  if (!report.ok() || !report->more || query.last_seq > 0) return report;
  absl::StatusOr<int64_t> end = EndOfLedger(primary, query.cluster);
  if (!end.ok()) return end.status();
  UsageReportQuery pinned = query;
  pinned.last_seq = *end;
  return Read(primary, pinned);
}

}  // namespace

absl::StatusOr<UsageReport> ReportUsage(storage::Database& database,
                                        const UsageReportQuery& query) {
  absl::StatusOr<UsageReport> report = Read(database, query);
  return Pin(database, query, std::move(report));
}

absl::StatusOr<UsageReport> ReportUsage(storage::ReportDatabase& reports,
                                        const UsageReportQuery& query) {
  // A standby may lack records before the end that was pinned.
  if (query.last_seq > 0) return ReportUsage(reports.primary(), query);
  absl::StatusOr<UsageReport> report = Read(reports, query);
  return Pin(reports.primary(), query, std::move(report));
}

priority::TresMap ClusterTres(const priority::Snapshot& snapshot) {
  priority::TresMap tres = snapshot.cluster().tres;
  tres["cpu"] = snapshot.cluster().cpus;
  tres["node"] = snapshot.cluster().nodes;
  const int partition = snapshot.default_partition();
  const priority::TresMap weights =
      partition < 0 ? priority::TresMap() : snapshot.partitions()[partition].billing_weights;
  tres["billing"] = priority::Billing(snapshot.billing_rule(partition), weights, tres);
  return tres;
}

}  // namespace priorityd::usage
