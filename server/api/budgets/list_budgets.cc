#include "server/api/budgets/list_budgets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "engine/priority/site/microseconds.h"
#include "server/api/budgets/convert_budget.h"
#include "server/api/shared/convert_ranking.h"
#include "server/api/shared/share_filter.h"
#include "server/budgets/budget.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/transport/viewer.h"
#include "server/usage/usage_rates.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using budgets::Budget;
using priority::AssociationIndex;
using priority::Snapshot;

constexpr absl::Duration kRateWindow = absl::Hours(7 * 24);
constexpr double kSecondsPerDay = 86400;

// A page starts after this budget.
struct BudgetPlace {
  int64_t of_qos = 0;
  int64_t unused = 0;
  std::vector<std::string> texts;  // Account, user, partition, QOS, TRES.

  bool IsValid() const { return (of_qos == 0 || of_qos == 1) && texts.size() == 5; }
};

using Key = std::pair<int64_t, std::vector<std::string>>;

Key KeyOf(const Snapshot& snapshot, const Budget& budget) {
  if (budget.of_qos()) return {1, {"", "", "", snapshot.qos()[budget.qos].name, budget.tres}};
  const priority::AssociationTree& tree = snapshot.tree();
  const AssociationIndex i = budget.association;
  return {0,
          {std::string(tree.account(i)), std::string(tree.user(i)), std::string(tree.partition(i)),
           "", budget.tres}};
}

// The requested visible budgets, by key.
std::map<Key, Budget> Select(const Snapshot& snapshot, const authorization::Visibility& sees,
                             const v1::ListBudgetsRequest& request) {
  const bool of_associations = !request.accounts().empty() || !request.users().empty();
  const bool everything = !of_associations && request.qos().empty();
  const ShareFilter filter = {.accounts = {request.accounts().begin(), request.accounts().end()},
                              .users = {request.users().begin(), request.users().end()},
                              .subtree = request.subtree()};
  const std::vector<bool> associations = Select(snapshot.tree(), filter, sees);
  const std::vector<bool> shown_qos = ShownQos(sees, snapshot);
  const absl::flat_hash_set<std::string> qos(request.qos().begin(), request.qos().end());
  std::map<Key, Budget> selected;
  for (Budget& budget : budgets::AllBudgets(snapshot)) {
    const bool wanted =
        budget.of_qos()
            ? shown_qos[budget.qos] && (everything || qos.contains(snapshot.qos()[budget.qos].name))
            : associations[budget.association] && (everything || of_associations);
    if (wanted) selected.emplace(KeyOf(snapshot, budget), std::move(budget));
  }
  return selected;
}

absl::StatusOr<usage::UsageReport> ReadUsage(storage::Database& database, const Snapshot& snapshot,
                                             const std::map<Key, Budget>& budgets, absl::Time start,
                                             absl::Time end) {
  usage::UsageReportQuery query;
  query.cluster = snapshot.cluster().name;
  query.edges = {start, end};
  query.by_account = query.by_association = query.by_qos = true;
  query.apply_usage_factor = true;
  query.max_rows = std::numeric_limits<int32_t>::max();
  std::set<std::string> tres;
  for (const auto& [key, budget] : budgets) {
    if (!budget.tres.empty()) tres.insert(budget.tres);
  }
  query.tres.assign(tres.begin(), tres.end());
  return usage::ReportUsage(database, query);
}

// TRES-seconds per second.
double RateOf(const Snapshot& snapshot, const usage::UsageRates& rates, const Budget& budget) {
  return budget.of_qos() ? rates.OfQos(snapshot.qos()[budget.qos].name, budget.tres)
                         : rates.OfAssociation(budget.association, budget.tres);
}

void SetRate(const Snapshot& snapshot, const Budget& budget, double rate, v1::Budget* proto) {
  proto->set_minutes_per_day(rate * kSecondsPerDay / 60);
  const auto time = budgets::RunsOut(snapshot, budget, rate);
  if (time.has_value()) ToProto(*time, proto->mutable_runs_out_time());
}

}  // namespace

absl::Status ListBudgets(const Snapshot& snapshot, const budgets::RunningUsage& running,
                         storage::Database& database, const authorization::Visibility& sees,
                         absl::Time now, const v1::ListBudgetsRequest& request,
                         v1::ListBudgetsResponse* response) {
  const PageTokens<BudgetPlace> tokens(snapshot.cluster().name, request);
  const absl::StatusOr<std::optional<BudgetPlace>> after = tokens.Given();
  if (!after.ok()) return after.status();
  ToProto(snapshot, response->mutable_snapshot());
  const std::map<Key, Budget> selected = Select(snapshot, sees, request);
  auto at = selected.begin();
  if (after->has_value()) at = selected.upper_bound({(*after)->of_qos, (*after)->texts});
  if (at == selected.end()) return absl::OkStatus();
  const absl::Duration window =
      request.has_rate_window() ? ToDuration(request.rate_window()) : kRateWindow;
  const absl::Time end = priority::CutToMicroseconds(now);
  const absl::Time start = priority::CutToMicroseconds(now - window);
  const auto report = ReadUsage(database, snapshot, selected, start, end);
  if (!report.ok()) return report.status();
  const usage::UsageRates rates(snapshot.tree(), *report, end - start);
  for (const int page_size = PageSizeOf(request.page_size()); at != selected.end(); ++at) {
    if (response->budgets_size() == page_size) {
      const Key& last = std::prev(at)->first;
      response->set_next_page_token(tokens.Next({last.first, 0, last.second}));
      break;
    }
    v1::Budget* proto = response->add_budgets();
    ToProto(snapshot, at->second, running.RunSeconds(snapshot, at->second), proto);
    SetRate(snapshot, at->second, RateOf(snapshot, rates, at->second), proto);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
