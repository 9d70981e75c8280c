#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// A change of the whole policy has hundreds of characters.
constexpr size_t kWrap = 40;

// `prioctl audit`
struct AuditOptions {
  std::vector<std::string> users;
  std::vector<std::string> actions;
  std::string object;
  std::optional<absl::Time> start;
  std::optional<absl::Time> end;
  uint32_t limit = 100;  // 0 = all
  bool json = false;
};

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

// Without the caller's proof and address, which --json has.
std::string NameOf(const AuditEvent& event) {
  return event.principal().substr(0, event.principal().find(" ("));
}

absl::Status Run(const AuditOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::Status checked = CheckPeriod("--start", options.start, "--end", options.end);
  if (!checked.ok()) return checked;
  const absl::StatusOr<ListAuditEventsResponse> list =
      client.ListAuditEvents(MakeRequest(options), options.limit);
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  // Pipes get a line for each event.
  const size_t wrap = console.out_is_terminal ? kWrap : 0;
  Table table({{"TIME"},
               {"WHO"},
               {"ACTION"},
               {"OBJECT"},
               {"BEFORE", false, wrap},
               {"AFTER", false, wrap},
               {"COMMENT", false, wrap}});
  for (const AuditEvent& event : list->events()) {
    table.AddRow({TimeText(event.time(), event.has_time()), NameOf(event), event.action(),
                  event.object(), event.before(), event.after(), event.comment()});
  }
  table.Print(console.out);
  if (table.empty()) console.out << "no changes\n";
  return absl::OkStatus();
}

void AddAuditOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<AuditOptions>(app, line, Run);
  AddList(app, "-u,--users", options->users, "Only changes by these users");
  AddList(app, "--actions", options->actions, "Only these actions, such as ApplyPolicy,Import");
  app->add_option("--object", options->object, "Only objects with this text in their names")
      ->type_name("TEXT");
  AddTime(app, "--start", options->start, "From this time on");
  AddTime(app, "--end", options->end, "Before this time");
  app->add_option("--limit", options->limit, "Only so many, the newest; 0 = all")
      ->type_name("N")
      ->capture_default_str();
  AddJson(app, options->json);
}

}  // namespace

const Command kAuditCommand = {"audit", "Who changed what, when, and why; newest first",
                               AddAuditOptions};

}  // namespace priorityd::prioctl
