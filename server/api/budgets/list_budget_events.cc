#include "server/api/budgets/list_budget_events.h"

#include <string>
#include <vector>

#include "server/api/budgets/convert_budget.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/transport/viewer.h"
#include "storage/budget_event_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using BudgetEvents = std::vector<storage::BudgetEvent>;

absl::StatusOr<BudgetEvents> Read(storage::Database& database, const std::string& cluster,
                                  const storage::BudgetEventFilter& filter) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<BudgetEvents> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    return storage::BudgetEventStore(transaction).List(found->id, filter);
  });
}

void EventToProto(const storage::BudgetEvent& event, v1::BudgetEvent* proto) {
  proto->set_event_id(event.id);
  proto->set_account(event.threshold.account);
  proto->set_user(event.threshold.user_name);
  proto->set_partition(event.threshold.partition);
  proto->set_qos(event.threshold.qos);
  proto->set_tres(event.threshold.tres);
  proto->set_percent(event.threshold.percent);
  proto->set_grant(event.threshold.grant_name);
  proto->set_limit_minutes(event.limit_seconds / 60);
  proto->set_used_minutes(event.used_seconds / 60);
  ToProto(event.reached_at, proto->mutable_reached_time());
}

}  // namespace

absl::Status ListBudgetEvents(const priority::Snapshot& snapshot, storage::Database& database,
                              const authorization::Visibility& sees,
                              const v1::ListBudgetEventsRequest& request,
                              v1::ListBudgetEventsResponse* response) {
  const int64_t page_size = PageSizeOf(request.page_size());
  const auto events = Read(database, snapshot.cluster().name,
                           {.after_id = request.after_event_id(),
                            .accounts = {request.accounts().begin(), request.accounts().end()},
                            .users = {request.users().begin(), request.users().end()},
                            .qos = {request.qos().begin(), request.qos().end()},
                            .limit = page_size + 1});
  if (!events.ok()) return events.status();
  const std::vector<bool> shown_qos = ShownQos(sees, snapshot);
  response->set_last_event_id(request.after_event_id());
  for (const storage::BudgetEvent& event : *events) {
    if (&event - events->data() == page_size) {
      response->set_more(true);
      break;
    }
    response->set_last_event_id(event.id);
    const storage::BudgetThreshold& threshold = event.threshold;
    const int qos = snapshot.FindQos(threshold.qos);
    const bool shown = threshold.qos.empty()
                           ? sees.SeesShares(threshold.user_name, threshold.account)
                           : (qos >= 0 ? shown_qos[qos] : sees.sees_all_shares());
    if (shown) EventToProto(event, response->add_events());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
