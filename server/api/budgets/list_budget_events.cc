#include "server/api/budgets/list_budget_events.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/site/tres_sum.h"
#include "server/api/budgets/convert_budget.h"
#include "server/configuration/find_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "server/transport/viewer.h"
#include "storage/grants/budget_event_store.h"
#include "storage/grants/price_book_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using BudgetEvents = std::vector<storage::BudgetEvent>;

// Rows of a query after one whose rows were hidden.
constexpr int64_t kLargePage = 10'000;

// By the TRES of grants of money.
using Currencies = std::map<std::string, std::string>;

// `currencies`: those of the price books of the events.
absl::StatusOr<BudgetEvents> Read(storage::Database& database, const std::string& cluster,
                                  const storage::BudgetEventFilter& filter,
                                  Currencies* currencies) {
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<BudgetEvents> {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    auto events = storage::BudgetEventStore(transaction).List(found->id, filter);
    const auto is_money = [](const storage::BudgetEvent& event) {
      return priority::IsPrice(event.threshold.tres);
    };
    if (!events.ok() || absl::c_none_of(*events, is_money)) return events;
    const auto books = storage::PriceBookStore(transaction).List(found->id);
    if (!books.ok()) return books.status();
    for (const storage::PriceBook& book : *books) {
      (*currencies)[absl::StrCat(priority::kPricePrefix, book.name)] = book.currency;
    }
    return events;
  });
}

void EventToProto(const storage::BudgetEvent& event, const Currencies& currencies,
                  v1::BudgetEvent* proto) {
  const auto currency = currencies.find(event.threshold.tres);
  if (currency != currencies.end()) proto->set_currency(currency->second);
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

// By index in `shown_qos`; a QOS that was deleted only if all is visible.
bool IsShown(const storage::BudgetThreshold& threshold, const authorization::Visibility& sees,
             const priority::Snapshot& snapshot, const std::vector<bool>& shown_qos) {
  if (threshold.qos.empty()) return sees.SeesShares(threshold.user_name, threshold.account);
  const int qos = snapshot.FindQos(threshold.qos);
  return qos >= 0 ? shown_qos[qos] : sees.sees_all_shares();
}

}  // namespace

// Hidden events are as if they did not exist: neither `more` nor last_event_id reveals them.
absl::Status ListBudgetEvents(const priority::Snapshot& snapshot, storage::Database& database,
                              const authorization::Visibility& sees,
                              const v1::ListBudgetEventsRequest& request,
                              v1::ListBudgetEventsResponse* response) {
  const int64_t page_size = PageSizeOf(request.page_size());
  storage::BudgetEventFilter filter = {
      .after_id = request.after_event_id(),
      .accounts = {request.accounts().begin(), request.accounts().end()},
      .users = {request.users().begin(), request.users().end()},
      .qos = {request.qos().begin(), request.qos().end()},
      .limit = page_size + 1};
  const std::vector<bool> shown_qos = ShownQos(sees, snapshot);
  response->set_last_event_id(request.after_event_id());
  for (bool is_last = false; !is_last;) {
    Currencies currencies;
    const auto events = Read(database, snapshot.cluster().name, filter, &currencies);
    if (!events.ok()) return events.status();
    is_last = static_cast<int64_t>(events->size()) < filter.limit;
    for (const storage::BudgetEvent& event : *events) {
      filter.after_id = event.id;
      if (!IsShown(event.threshold, sees, snapshot, shown_qos)) continue;
      if (response->events_size() == page_size) {
        response->set_more(true);
        return absl::OkStatus();
      }
      response->set_last_event_id(event.id);
      EventToProto(event, currencies, response->add_events());
    }
    filter.limit = std::max(filter.limit, kLargePage);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
