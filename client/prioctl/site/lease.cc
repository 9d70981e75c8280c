#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// `prioctl lease list`
struct LeaseListOptions {
  std::vector<std::string> objects;
  bool past = false;
  bool json = false;
};

// `prioctl lease end`
struct LeaseEndOptions {
  std::vector<int64_t> ids;
  std::string comment;
  bool validate_only = false;
  bool yes = false;
  bool json = false;
};

const char* LeaseStateText(v1::LeaseState state) {
  switch (state) {
    case v1::LEASE_STATE_PENDING:
      return "pending";
    case v1::LEASE_STATE_ACTIVE:
      return "active";
    case v1::LEASE_STATE_ENDED:
      return "ended";
    case v1::LEASE_STATE_CANCELLED:
      return "cancelled";
    default:
      return "unknown";
  }
}

std::string SettingsText(const v1::Lease& lease) {
  std::string text;
  for (const v1::Setting& setting : lease.settings()) {
    const char* op = setting.operator_() == v1::SETTING_OPERATOR_ADD      ? "+="
                     : setting.operator_() == v1::SETTING_OPERATOR_REMOVE ? "-="
                                                                          : "=";
    absl::StrAppend(&text, text.empty() ? "" : " ", setting.name(), op, setting.value());
  }
  return text;
}

// Without the caller's proof and address, which --json has.
std::string WhoCreated(const v1::Lease& lease) {
  return lease.created_by().substr(0, lease.created_by().find(" ("));
}

v1::ListLeasesRequest LeaseRequestOf(const LeaseListOptions& options) {
  v1::ListLeasesRequest request;
  request.mutable_objects()->Assign(options.objects.begin(), options.objects.end());
  if (options.past) {
    for (const v1::LeaseState state : {v1::LEASE_STATE_PENDING, v1::LEASE_STATE_ACTIVE,
                                       v1::LEASE_STATE_ENDED, v1::LEASE_STATE_CANCELLED}) {
      request.add_states(state);
    }
  }
  return request;
}

// All pages as one answer.
absl::StatusOr<v1::ListLeasesResponse> AllLeases(v1::ListLeasesRequest request,
                                                 const client::PriorityClient& client) {
  v1::ListLeasesResponse all;
  do {
    request.set_page_token(all.next_page_token());
    auto page = client.ListLeases(request);
    if (!page.ok()) return page.status();
    all.set_next_page_token(page->next_page_token());
    all.set_cluster(page->cluster());
    all.set_etag(page->etag());
    all.mutable_leases()->Add(page->leases().begin(), page->leases().end());
  } while (!all.next_page_token().empty());
  return all;
}

absl::Status ListLeases(const LeaseListOptions& options, const client::PriorityClient& client,
                        Console& console) {
  const auto list = AllLeases(LeaseRequestOf(options), client);
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  if (list->leases().empty()) {
    console.out << (options.past ? "no leases\n" : "no leases; --past lists those that ended\n");
    return absl::OkStatus();
  }
  const absl::TimeZone zone = tables::PolicyZone(client);
  Table table(
      {{"ID"}, {"OBJECT"}, {"SETTINGS"}, {"FROM"}, {"UNTIL"}, {"STATE"}, {"WHO"}, {"COMMENT"}});
  for (const v1::Lease& lease : list->leases()) {
    table.AddRow({absl::StrCat(lease.id()), lease.object(), SettingsText(lease),
                  TimeText(lease.begin_time(), zone), TimeText(lease.end_time(), zone),
                  LeaseStateText(lease.state()), WhoCreated(lease), lease.comment()});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

// `ids[0]: got 99, ...` as `ID: got 99, ...`, the name of the argument.
absl::Status WithTypedName(const absl::Status& status) {
  const std::string text = client::Describe(status);
  if (!absl::StartsWith(text, "ids[")) return status;
  return client::Retold(status, absl::StrCat("ID", text.substr(text.find(':'))));
}

absl::Status EndLeases(const LeaseEndOptions& options, const client::PriorityClient& client,
                       Console& console) {
  if (!options.validate_only) {
    const std::string question =
        absl::StrCat("End ", options.ids.size(), options.ids.size() == 1 ? " lease" : " leases",
                     " now? The stored values hold from then on.");
    if (absl::Status s = Ask(question, options.yes, console); !s.ok()) return s;
  }
  v1::EndLeasesRequest request;
  request.mutable_ids()->Add(options.ids.begin(), options.ids.end());
  request.mutable_options()->set_validate_only(options.validate_only);
  request.mutable_options()->set_comment(options.comment);
  const auto response = client.EndLeases(std::move(request));
  if (!response.ok()) return WithTypedName(response.status());
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  console.out << (options.validate_only ? "valid: would end\n" : "ended\n")
              << sacctmgr::ChangeLines(*response);
  return absl::OkStatus();
}

void AddLeaseListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<LeaseListOptions>(app, line, ListLeases);
  app->add_option("--object", options->objects,
                  "Only of this object, such as \"account chem\"; may be given again")
      ->type_name("OBJECT");
  app->add_flag("--past", options->past, "Also those that ended or were cancelled");
  AddClusters(app, line);
  AddJson(app, options->json);
}

void AddLeaseEndOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<LeaseEndOptions>(app, line, EndLeases);
  app->add_option("ID", options->ids, "The leases, by `lease list`")->required()->type_name("");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options->validate_only);
  AddYes(app, options->yes);
  AddClusters(app, line);
  AddJson(app, options->json);
}

constexpr Command kLeaseCommands[] = {
    {"list", "Settings with an end: those in effect, and those that begin later; newest first",
     AddLeaseListOptions},
    {"end", "End leases now, or cancel those that have not begun", AddLeaseEndOptions},
};

void AddLeaseGroup(CLI::App* app, CommandLine& line) {
  AddCommands(kLeaseCommands, app, line);
  app->footer(
      "\nA lease is made by a change with an end:\n"
      "  prioctl sacctmgr modify account chem set fairshare=1000 until=2026-12-18T18:00:00\n"
      "  prioctl sacctmgr modify qos high set priority=50 from=now+1day until=now+3days\n"
      "  prioctl scontrol update PartitionName=main State=DOWN until=now+2hours\n"
      "  prioctl scontrol update JobId=812 Nice=-100 until=now+2hours");
}

}  // namespace

const Command kLeaseCommand = {"lease", "Settings that end by themselves; end them earlier",
                               AddLeaseGroup};

}  // namespace priorityd::prioctl
