#include "server/reports/usage_report.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/errors/error_details.h"
#include "server/priority/billing.h"
#include "storage/cluster_store.h"
#include "storage/tres_store.h"

namespace priorityd::reports {
namespace {

using storage::ReportStore;

class Reporter {
 public:
  Reporter(storage::Transaction& transaction, const UsageReportQuery& query)
      : transaction_(transaction), query_(query) {}

  absl::StatusOr<UsageReport> Report() {
    if (absl::Status found = FindCluster(); !found.ok()) return found;
    auto tres = storage::TresStore(transaction_).List();
    if (!tres.ok()) return tres.status();
    auto rows = ReadRows(*tres);
    if (!rows.ok()) return rows.status();
    UsageReport report;
    report.last_seq = filter_.last_seq;
    report.more = static_cast<int64_t>(rows->size()) > query_.max_rows;
    if (report.more) rows->pop_back();
    AddRows(*tres, *std::move(rows), &report);
    if (query_.by_account && query_.first_row == 0) {
      auto accounts = ReportStore(transaction_).Accounts(cluster_id_);
      if (!accounts.ok()) return accounts.status();
      report.accounts = *std::move(accounts);
    }
    return report;
  }

 private:
  absl::Status FindCluster() {
    auto cluster = storage::ClusterStore(transaction_).Find(query_.cluster);
    if (!cluster.ok()) return cluster.status();
    if (!cluster->has_value()) {
      return WithReason(absl::NotFoundError(absl::StrCat("cluster: got ", query_.cluster,
                                                         ", want one that exists")),
                        "UNKNOWN_CLUSTER");
    }
    cluster_id_ = (*cluster)->id;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<storage::ReportRow>> ReadRows(
      const std::map<std::string, int32_t>& tres) {
    filter_ = {.cluster_id = cluster_id_,
               .edges = query_.edges,
               .by_account = query_.by_account,
               .by_user = query_.by_user,
               .by_qos = query_.by_qos,
               .accounts = query_.accounts,
               .users = query_.users,
               .qos = query_.qos,
               .all_tres = query_.tres.empty(),
               .apply_usage_factor = query_.apply_usage_factor,
               .last_seq = query_.last_seq,
               .first_row = query_.first_row,
               .max_rows = query_.max_rows + 1};
    for (const std::string& name : query_.tres) {
      const auto number = tres.find(name);
      if (number != tres.end()) filter_.tres_ids.push_back(number->second);
    }
    ReportStore store(transaction_);
    if (filter_.last_seq == 0) {
      absl::StatusOr<int64_t> last = store.LastSeq();
      if (!last.ok()) return last.status();
      filter_.last_seq = *last;
    }
    return store.Usage(filter_);
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
  storage::ReportFilter filter_;
};

}  // namespace

absl::StatusOr<UsageReport> ReportUsage(storage::Database& database,
                                        const UsageReportQuery& query) {
  absl::StatusOr<UsageReport> report = absl::UnknownError("not run");
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    report = Reporter(transaction, query).Report();
    return report.status();
  });
  if (!status.ok()) return status;
  return report;
}

TresMap ClusterTres(const Snapshot& snapshot) {
  TresMap tres = snapshot.cluster().tres;
  tres["cpu"] = snapshot.cluster().cpus;
  tres["node"] = snapshot.cluster().nodes;
  const int partition = snapshot.default_partition();
  const TresMap weights =
      partition < 0 ? TresMap() : snapshot.partitions()[partition].billing_weights;
  tres["billing"] = Billing(snapshot.billing_rule(partition), weights, tres);
  return tres;
}

}  // namespace priorityd::reports
