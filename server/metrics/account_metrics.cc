#include "server/metrics/account_metrics.h"

#include <map>
#include <string>
#include <utility>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"

namespace priorityd::metrics {
namespace {

struct Row {
  double fair_share = 0;
  double raw_shares = 0;
  double norm_shares = 0;
  double raw_usage = 0;
  double norm_usage = 0;
};

// Rows of one cluster by account and user; accounts have an empty user.
using Rows = std::map<std::pair<std::string, std::string>, Row>;

Row RowOf(const priority::Snapshot& snapshot, priority::AssociationIndex i) {
  const priority::AssociationTree& tree = snapshot.tree();
  const priority::FairShare& shares = snapshot.fair_share();
  const bool fair_tree = shares.algorithm == priority::FairShareAlgorithm::kFairTree;
  return {.fair_share = shares.fair_share[i],
          .raw_shares = static_cast<double>(tree.raw_shares()[i]),
          .norm_shares = fair_tree ? tree.level_norm_shares()[i] : tree.path_norm_shares()[i],
          .raw_usage = shares.usage[i],
          .norm_usage = shares.norm_usage[i]};
}

// Takes at most `*room` rows; returns the number of omitted rows.
size_t Collect(const priority::Snapshot& snapshot, size_t* room, Rows* rows) {
  const priority::AssociationTree& tree = snapshot.tree();
  size_t omitted = 0;
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    const std::pair key(std::string(tree.account(i)), std::string(tree.user(i)));
    const Row row = RowOf(snapshot, i);
    if (const auto found = rows->find(key); found != rows->end()) {
      found->second.raw_usage += row.raw_usage;
      found->second.norm_usage += row.norm_usage;
    } else if (*room == 0) {
      ++omitted;
    } else {
      --*room;
      rows->emplace(key, row);
    }
  }
  return omitted;
}

// The five metrics of accounts, or of users.
struct Columns {
  Family fair_share, raw_shares, norm_shares, raw_usage, norm_usage;

  void Add(const Row& row, Family::Labels labels) {
    fair_share.Add(row.fair_share, labels);
    raw_shares.Add(row.raw_shares, labels);
    norm_shares.Add(row.norm_shares, labels);
    raw_usage.Add(row.raw_usage, labels);
    norm_usage.Add(row.norm_usage, labels);
  }
};

Columns BeginAccounts(Families* families) {
  return {families->Gauge("slurm_account_fairshare", "FairShare of the account"),
          families->Gauge("slurm_account_fairshare_raw_shares", "RawShares of the account"),
          families->Gauge("slurm_account_fairshare_norm_shares", "NormShares of the account"),
          families->Gauge("slurm_account_fairshare_raw_usage_cpu_seconds",
                          "RawUsage of the account in decayed billing-seconds"),
          families->Gauge("slurm_account_fairshare_norm_usage", "NormUsage of the account")};
}

Columns BeginUsers(Families* families) {
  return {families->Gauge("slurm_user_fairshare", "FairShare of the user in the account"),
          families->Gauge("slurm_user_fairshare_raw_shares", "RawShares of the user"),
          families->Gauge("slurm_user_fairshare_norm_shares", "NormShares of the user"),
          families->Gauge("slurm_user_fairshare_raw_usage_cpu_seconds",
                          "RawUsage of the user in decayed billing-seconds"),
          families->Gauge("slurm_user_fairshare_norm_usage", "NormUsage of the user")};
}

}  // namespace

void AddAccounts(const Snapshots& snapshots, Families* families, size_t most_rows) {
  size_t room = most_rows;
  size_t omitted = 0;
  Columns accounts = BeginAccounts(families);
  Columns users = BeginUsers(families);
  for (const auto& [cluster, snapshot] : snapshots) {
    if (snapshot == nullptr) continue;
    Rows rows;
    omitted += Collect(*snapshot, &room, &rows);
    for (const auto& [key, row] : rows) {
      const auto& [account, user] = key;
      if (user.empty()) {
        accounts.Add(row, {{"cluster", cluster}, {"account", account}});
      } else {
        users.Add(row, {{"cluster", cluster}, {"account", account}, {"user", user}});
      }
    }
  }
  families
      ->Gauge("priorityd_account_rows_omitted",
              "Accounts and users omitted beyond the row limit of --metrics_accounts")
      .Add(static_cast<double>(omitted));
}

}  // namespace priorityd::metrics
