#include "client/prioctl/audit.h"

#include <string>
#include <utility>

#include "client/prioctl/json_lines.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::AuditEvent;
using ::priority::v1::ListAuditEventsRequest;
using ::priority::v1::ListAuditEventsResponse;

ListAuditEventsRequest MakeRequest(const AuditOptions& options) {
  ListAuditEventsRequest request;
  for (const std::string& user : options.users) request.add_principals(user);
  for (const std::string& action : options.actions) request.add_actions(action);
  request.set_object_contains(options.object);
  if (options.start.has_value()) *request.mutable_start_time() = ToTimestamp(*options.start);
  if (options.end.has_value()) *request.mutable_end_time() = ToTimestamp(*options.end);
  return request;
}

// Without what proves her and her address, which --json has.
std::string NameOf(const AuditEvent& event) {
  return event.principal().substr(0, event.principal().find(" ("));
}

}  // namespace

absl::Status Run(const AuditOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<ListAuditEventsResponse> list =
      client.ListAuditEvents(MakeRequest(options), options.limit);
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"TIME"}, {"WHO"}, {"ACTION"}, {"OBJECT"}, {"BEFORE"}, {"AFTER"}, {"COMMENT"}});
  for (const AuditEvent& event : list->events()) {
    table.AddRow({TimeText(event.time()), NameOf(event), event.action(), event.object(),
                  event.before(), event.after(), event.comment()});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
