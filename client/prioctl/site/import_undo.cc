#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::UndoImportRequest;
using ::priority::v1::UndoImportResponse;

// `prioctl import undo`
struct ImportUndoOptions {
  int64_t import_id = 0;
  std::string comment;
  bool yes = false;
  bool validate_only = false;
  bool json = false;
};

std::string WhatText(const UndoImportResponse& undone) {
  std::vector<std::string> parts;
  if (undone.qos() > 0) parts.push_back(absl::StrCat(undone.qos(), " QOS"));
  if (undone.opening_usage() > 0) {
    parts.push_back(
        absl::StrCat("the opening usage of ", CountedText(undone.opening_usage(), "association")));
  }
  for (const auto& [count, thing] : {std::pair(undone.associations(), "association"),
                                     {undone.users(), "user"},
                                     {undone.partitions(), "partition"},
                                     {undone.grants(), "grant"},
                                     {undone.grant_transfers(), "transfer"},
                                     {undone.leases(), "lease"},
                                     {undone.user_merges(), "merged user"}}) {
    if (count > 0) parts.push_back(CountedText(count, thing));
  }
  if (undone.user_aliases() > 0) parts.push_back(absl::StrCat(undone.user_aliases(), " aliases"));
  if (undone.policy_version() > 0) {
    parts.push_back(absl::StrCat("the policy, as version ", undone.policy_version()));
  }
  return parts.empty() ? "none" : absl::StrJoin(parts, ", ");
}

// Shows what gets its former values, and asks.
absl::Status AskToUndo(const ImportUndoOptions& options, UndoImportRequest request,
                       const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const auto would = client.UndoImport(std::move(request));
  if (!would.ok()) return would.status();
  return Ask(absl::StrCat("Undo import ", would->import_id(), " of cluster ", would->cluster(),
                          " (", WhatText(*would), ")?"),
             options.yes, console);
}

absl::Status Run(const ImportUndoOptions& options, const client::PriorityClient& client,
                 Console& console) {
  UndoImportRequest request;
  request.set_import_id(options.import_id);
  request.set_comment(options.comment);
  request.set_validate_only(options.validate_only);
  if (!options.validate_only && !options.yes) {
    absl::Status asked = AskToUndo(options, request, client, console);
    if (!asked.ok()) return asked;
  }
  const auto undone = client.UndoImport(std::move(request));
  if (!undone.ok()) return undone.status();
  if (options.json) return PrintJson(*undone, console.out);
  console.out << (options.validate_only ? "valid: would undo import " : "undid import ")
              << undone->import_id() << " of cluster " << undone->cluster()
              << "; with their former values: " << WhatText(*undone) << '\n';
  if (undone->has_takes_effect_at()) {
    console.out << "takes effect at "
                << TimeText(undone->takes_effect_at(),
                            tables::PolicyZone(client, undone->cluster()))
                << "; `prioctl recalculate` makes it now\n";
  }
  return absl::OkStatus();
}

void AddImportUndoOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ImportUndoOptions>(app, line, Run);
  app->add_option("--import", options->import_id,
                  "The import, as `import` and the audit name it; default the newest")
      ->check(WholeNumber(1))
      ->type_name("ID");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddYes(app, options->yes);
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

}  // namespace

const Command kImportUndoCommand = {
    "undo", "Restore the values that an import changed, unless they were changed since",
    AddImportUndoOptions};

}  // namespace priorityd::prioctl
