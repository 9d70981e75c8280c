#include "server/metrics/grant_metrics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/site/tres_sum.h"
#include "server/budgets/grant_running.h"
#include "server/budgets/running_usage.h"

namespace priorityd::metrics {
namespace {

bool HasConsequence(const priority::GrantStanding& grant) {
  return grant.consequence != priority::GrantConsequence::kNone;
}

// Of the clusters with one label.
struct GrantCounts {
  double in_force = 0;
  double used_up = 0;
};

// The running jobs of a cluster with grants.
class ClusterRunning {
 public:
  ClusterRunning(const priority::Snapshot& snapshot, std::shared_ptr<const queue::QueueState> queue,
                 grants::PriceBooks prices)
      : usage_(std::move(queue)), of_grants_(snapshot, usage_, std::move(prices)) {}
  ClusterRunning(const ClusterRunning&) = delete;  // One member refers to the other.
  ClusterRunning& operator=(const ClusterRunning&) = delete;

  double SecondsOf(const priority::GrantStanding& grant) { return of_grants_.SecondsOf(grant); }

 private:
  const budgets::RunningUsage usage_;
  budgets::GrantRunning of_grants_;
};

// The running jobs of all clusters, summed up at the first grant of each.
class RunningJobs {
 public:
  RunningJobs(const QueueStates& queues, const ClusterPrices* prices)
      : queues_(queues), prices_(prices) {}

  // Unset = the queue, or a price book, is not loaded.
  std::optional<double> SecondsOf(const std::string& cluster, const priority::Snapshot& snapshot,
                                  const priority::GrantStanding& grant) {
    const auto queue = queues_.find(cluster);
    const bool lacks_prices = prices_ == nullptr && priority::IsPrice(grant.tres);
    if (queue == queues_.end() || lacks_prices) return std::nullopt;
    const auto running =
        of_clusters_.try_emplace(cluster, snapshot, queue->second, PricesOf(cluster)).first;
    return running->second.SecondsOf(grant);
  }

 private:
  grants::PriceBooks PricesOf(const std::string& cluster) const {
    if (prices_ == nullptr || !prices_->contains(cluster)) return {};
    return prices_->at(cluster);
  }

  const QueueStates& queues_;
  const ClusterPrices* const prices_;
  std::map<std::string, ClusterRunning> of_clusters_;
};

// The metrics of single grants.
struct GrantColumns {
  Family available, used, left, running, used_up;

  void Add(const std::string& cluster, const priority::GrantStanding& grant,
           std::optional<double> running_seconds) {
    const auto add = [&](Family* family, double value) {
      family->Add(value, {{"cluster", cluster}, {"grant", grant.name}, {"tres", grant.tres}});
    };
    add(&available, grant.available);
    add(&used, grant.used);
    add(&left, std::max(0.0, grant.available - grant.used));
    if (running_seconds.has_value()) add(&running, *running_seconds);
    add(&used_up, priority::IsUsedUp(grant) ? 1 : 0);
  }
};

GrantColumns BeginGrants(Families* families) {
  return {families->Gauge("priorityd_grant_available_tres_seconds",
                          "What may be used in the present window, with Borrow and Grace"),
          families->Gauge("priorityd_grant_used_tres_seconds", "What of it is used"),
          families->Gauge("priorityd_grant_left_tres_seconds", "What of it is left"),
          families->Gauge("priorityd_grant_running_tres_seconds",
                          "The most that running jobs may still use, by their time limits"),
          families->Gauge("priorityd_grant_used_up",
                          "1: nothing is left, and its consequence is in effect, if it has one")};
}

}  // namespace

void AddGrants(const Snapshots& snapshots, ClusterLabels* labels, Families* families) {
  std::map<std::string, GrantCounts> by_label;
  for (const auto& [cluster, snapshot] : snapshots) {
    if (snapshot == nullptr) continue;
    GrantCounts& counts = by_label[labels->Of(cluster)];
    for (const priority::GrantStanding& grant : snapshot->grants()) {
      if (!HasConsequence(grant) || !grant.domain.empty()) continue;  // The domain has it.
      ++counts.in_force;
      if (priority::IsUsedUp(grant)) ++counts.used_up;
    }
  }
  Family in_force =
      families->Gauge("priorityd_grants_in_force", "Owners of grants in force with a consequence");
  Family used_up = families->Gauge("priorityd_grants_used_up", "Those whose grants are used up");
  for (const auto& [label, counts] : by_label) {
    in_force.Add(counts.in_force, {{"cluster", label}});
    used_up.Add(counts.used_up, {{"cluster", label}});
  }
}

void AddGrantRows(const Snapshots& snapshots, const QueueStates& queues,
                  const ClusterPrices* prices, Families* families, size_t most_rows) {
  size_t room = most_rows;
  size_t omitted = 0;
  RunningJobs running(queues, prices);
  GrantColumns columns = BeginGrants(families);
  const auto add = [&](const std::string& cluster, const priority::Snapshot& snapshot,
                       const priority::GrantStanding& grant) {
    if (room == 0) {
      ++omitted;
      return;
    }
    --room;
    columns.Add(cluster, grant, running.SecondsOf(cluster, snapshot, grant));
  };
  for (const bool with_consequence : {true, false}) {
    for (const auto& [cluster, snapshot] : snapshots) {
      if (snapshot == nullptr) continue;
      for (const priority::GrantStanding& grant : snapshot->grants()) {
        if (!grant.domain.empty() || HasConsequence(grant) != with_consequence) continue;
        add(cluster, *snapshot, grant);
      }
    }
  }
  families
      ->Gauge("priorityd_grant_rows_omitted",
              "Grants omitted beyond the row limit of --metrics_accounts")
      .Add(static_cast<double>(omitted));
}

}  // namespace priorityd::metrics
