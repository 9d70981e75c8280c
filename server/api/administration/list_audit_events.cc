#include "server/api/administration/list_audit_events.h"

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/api/administration/validate_cluster.h"
#include "server/messages/convert_time.h"
#include "server/messages/page_token.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kUsualAuditPage = 100;
constexpr int kMostOfPage = 10'000;

// A page starts with the events below this id.
struct EventPlace {
  int64_t before = 0;
  int64_t unused = 0;

  bool IsValid() const { return before > 0 && unused == 0; }
};

storage::AuditFilter ToFilter(const v1::ListAuditEventsRequest& request) {
  storage::AuditFilter filter;
  filter.principals.assign(request.principals().begin(), request.principals().end());
  filter.actions.assign(request.actions().begin(), request.actions().end());
  filter.object_contains = request.object_contains();
  if (request.has_start_time()) filter.start = ToTime(request.start_time());
  if (request.has_end_time()) filter.end = ToTime(request.end_time());
  return filter;
}

using AuditEvents = std::vector<storage::AuditEvent>;

// Both newest first, as one list of at most `most`.
AuditEvents Merge(AuditEvents a, AuditEvents b, size_t most) {
  AuditEvents all;
  std::merge(std::make_move_iterator(a.begin()), std::make_move_iterator(a.end()),
             std::make_move_iterator(b.begin()), std::make_move_iterator(b.end()),
             std::back_inserter(all),
             [](const auto& one, const auto& other) { return one.id > other.id; });
  if (all.size() > most) all.resize(most);
  return all;
}

// Includes the deletions of clusters of this name.
absl::StatusOr<AuditEvents> ReadEvents(storage::ReportDatabase& reports, const std::string& cluster,
                                       int64_t before, int64_t most,
                                       const storage::AuditFilter& filter) {
  return reports.Read([&](storage::Transaction& transaction) -> absl::StatusOr<AuditEvents> {
    storage::AuditStore audit(transaction);
    auto without =
        audit.ListWithoutCluster(absl::StrCat("cluster ", cluster), before, most, filter);
    if (!without.ok()) return without;
    auto found = storage::ClusterStore(transaction).Find(cluster);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return without;
    auto events = audit.List((*found)->id, before, most, filter);
    if (!events.ok()) return events;
    return Merge(*std::move(events), *std::move(without), static_cast<size_t>(most));
  });
}

void EventToProto(const storage::AuditEvent& event, v1::AuditEvent* proto) {
  proto->set_id(event.id);
  ToProto(event.at, proto->mutable_time());
  proto->set_principal(event.principal);
  proto->set_action(event.action);
  proto->set_object(event.object);
  proto->set_before(event.before);
  proto->set_after(event.after);
  proto->set_comment(event.comment);
}

}  // namespace

absl::Status ListAuditEvents(storage::ReportDatabase& reports,
                             const recalculation::SnapshotRegistry& registry,
                             const v1::ListAuditEventsRequest& request,
                             v1::ListAuditEventsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const std::string& asked = request.cluster();
  const absl::StatusOr<std::string> known = registry.Resolve({asked.data(), asked.size()});
  if (!known.ok() && asked.empty()) return known.status();
  const std::string cluster = known.ok() ? *known : asked;
  const PageTokens<EventPlace> tokens(cluster, request);
  const absl::StatusOr<std::optional<EventPlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  const int64_t before = given->has_value() ? (*given)->before : 0;
  const int64_t most = PageSizeOf(request.page_size(), kUsualAuditPage, kMostOfPage);
  auto events = ReadEvents(reports, cluster, before, most + 1, ToFilter(request));
  if (!events.ok()) return events.status();
  if (!known.ok() && events->empty()) return known.status();
  const bool is_last = static_cast<int64_t>(events->size()) <= most;
  if (!is_last) events->pop_back();
  for (const storage::AuditEvent& event : *events) EventToProto(event, response->add_events());
  if (!is_last) response->set_next_page_token(tokens.Next({events->back().id, 0}));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
