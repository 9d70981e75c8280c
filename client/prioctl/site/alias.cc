#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/site/alias_csv.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/visible_text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// The service takes so many in a call.
constexpr size_t kAliasesOfCall = 1000;

// `prioctl alias list`
struct AliasListOptions {
  std::vector<std::string> sources;
  std::vector<std::string> users;
  bool csv = false;
  bool json = false;
};

// `prioctl alias add` and `alias remove`
struct AliasChangeOptions {
  std::string user;  // Only of add.
  std::string alias;
  std::string source;
  std::string file;  // Instead of these; empty = none.
  std::string comment;
  bool validate_only = false;
  bool json = false;
};

absl::Status ListAliases(const AliasListOptions& options, const client::PriorityClient& client,
                         Console& console) {
  v1::ListAliasesRequest request;
  request.mutable_sources()->Assign(options.sources.begin(), options.sources.end());
  request.mutable_users()->Assign(options.users.begin(), options.users.end());
  const auto list = client.ListAllAliases(std::move(request));
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  if (options.csv) {
    const std::string csv = ToAliasCsv(list->aliases());
    console.exact() << (console.out_is_terminal ? client::WithVisibleControls(csv) : csv);
    return absl::OkStatus();
  }
  if (list->aliases().empty()) console.out << "no aliases\n";
  Table table({{"SOURCE"}, {"ALIAS"}, {"USER"}, {"VERSION", true}});
  for (const v1::UserAlias& alias : list->aliases()) {
    table.AddRow({alias.source().empty() ? "(any)" : alias.source(), alias.alias(), alias.user(),
                  absl::StrCat(alias.version())});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

// The aliases of the command line or of the file.
absl::StatusOr<std::vector<AliasLine>> NamedAliases(const AliasChangeOptions& options) {
  if (options.file.empty() == options.alias.empty()) {
    return OptionError(options.file.empty() ? "got no alias, want one, or --file FILE"
                                            : "got an alias and --file, want one of them");
  }
  if (options.file.empty()) {
    v1::UserAlias alias;
    alias.set_source(options.source);
    alias.set_alias(options.alias);
    alias.set_user(options.user);
    return std::vector<AliasLine>{{.line = 0, .alias = std::move(alias)}};
  }
  const auto text = ReadFile(options.file);
  if (!text.ok()) return text.status();
  return ReadAliasCsv(*text, options.file);
}

// Adds the counts and changes of a call to those of the calls before.
void AddToAll(const v1::ChangeResponse& part, v1::ChangeResponse* all) {
  const v1::ChangeResponse before = *all;
  all->MergeFrom(part);
  all->set_created(before.created() + part.created());
  all->set_deleted(before.deleted() + part.deleted());
  all->set_unchanged(before.unchanged() + part.unchanged());
}

using AliasField =
    google::protobuf::RepeatedPtrField<v1::UserAlias>* (*)(v1::UpdateAliasesRequest*);

google::protobuf::RepeatedPtrField<v1::UserAlias>* Added(v1::UpdateAliasesRequest* request) {
  return request->mutable_add();
}
google::protobuf::RepeatedPtrField<v1::UserAlias>* Removed(v1::UpdateAliasesRequest* request) {
  return request->mutable_remove();
}

// `add[2].user: got ...` as `FILE line 7: user: got ...`. `first`: of the `count` aliases of the
// call.
std::string InWordsOfFile(std::string message, const AliasLine* first, size_t count,
                          const std::string& file) {
  for (const char* field : {"add[", "remove["}) {
    for (size_t at = 0; (at = message.find(field, at)) != std::string::npos;) {
      const size_t digits = message.find('[', at) + 1;
      size_t end = message.find(']', at);
      size_t index = 0;
      if (end == std::string::npos ||
          !absl::SimpleAtoi(message.substr(digits, end - digits), &index) || index >= count) {
        ++at;
        continue;
      }
      const bool has_member = message[++end] == '.';
      const std::string place =
          absl::StrCat(file, " line ", first[index].line, has_member ? ": " : "");
      message.replace(at, end + (has_member ? 1 : 0) - at, place);
      at += place.size();
    }
  }
  return message;
}

// Sends the aliases in calls of at most kAliasesOfCall. An error names what was changed before it.
absl::StatusOr<v1::ChangeResponse> SendAliases(const std::vector<AliasLine>& aliases,
                                               const AliasChangeOptions& options, AliasField field,
                                               const client::PriorityClient& client) {
  v1::ChangeResponse all;
  for (size_t i = 0; i < aliases.size(); i += kAliasesOfCall) {
    const size_t count = std::min(kAliasesOfCall, aliases.size() - i);
    v1::UpdateAliasesRequest request;
    for (size_t k = i; k < i + count; ++k) *field(&request)->Add() = aliases[k].alias;
    request.mutable_options()->set_comment(options.comment);
    request.mutable_options()->set_validate_only(options.validate_only);
    const auto part = client.UpdateAliases(std::move(request));
    if (!part.ok() && options.file.empty()) return part.status();
    if (!part.ok()) {
      return absl::Status(part.status().code(),
                          absl::StrCat(i > 0 ? absl::StrCat("after ", i, " aliases: ") : "",
                                       InWordsOfFile(std::string(part.status().message()),
                                                     &aliases[i], count, options.file)));
    }
    AddToAll(*part, &all);
  }
  return all;
}

absl::Status PrintAliasChange(const v1::ChangeResponse& response, const AliasChangeOptions& options,
                              Console& console) {
  if (options.json) return PrintJson(response, console.out);
  console.err << WarningLines(response.warnings());
  if (response.created() + response.deleted() == 0) {
    console.out << "already as wanted, nothing changed\n";
    return absl::OkStatus();
  }
  console.out << (options.validate_only ? "valid: would change\n" : "changed\n")
              << sacctmgr::ChangeLines(response);
  return absl::OkStatus();
}

// Leaves out those that do not exist, so that a run that stopped can be repeated. Returns how many.
absl::StatusOr<int64_t> LeaveOutRemoved(const client::PriorityClient& client,
                                        std::vector<AliasLine>* aliases) {
  const auto list = client.ListAllAliases({});
  if (!list.ok()) return list.status();
  std::set<std::pair<std::string, std::string>> present;
  for (const v1::UserAlias& alias : list->aliases()) present.emplace(alias.source(), alias.alias());
  const size_t all = aliases->size();
  aliases->erase(
      std::remove_if(aliases->begin(), aliases->end(),
                     [&](const AliasLine& line) {
                       return present.count({line.alias.source(), line.alias.alias()}) == 0;
                     }),
      aliases->end());
  return static_cast<int64_t>(all - aliases->size());
}

absl::Status AddAliases(const AliasChangeOptions& options, const client::PriorityClient& client,
                        Console& console) {
  const auto aliases = NamedAliases(options);
  if (!aliases.ok()) return aliases.status();
  const auto response = SendAliases(*aliases, options, Added, client);
  if (!response.ok()) return response.status();
  return PrintAliasChange(*response, options, console);
}

absl::Status RemoveAliases(const AliasChangeOptions& options, const client::PriorityClient& client,
                           Console& console) {
  auto aliases = NamedAliases(options);
  if (!aliases.ok()) return aliases.status();
  int64_t removed = 0;
  if (!options.file.empty()) {
    const auto left_out = LeaveOutRemoved(client, &*aliases);
    if (!left_out.ok()) return left_out.status();
    removed = *left_out;
  }
  auto response = SendAliases(*aliases, options, Removed, client);
  if (!response.ok()) return response.status();
  response->set_unchanged(response->unchanged() + removed);
  return PrintAliasChange(*response, options, console);
}

void AddAliasListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<AliasListOptions>(app, line, ListAliases);
  AddList(app, "--sources", options->sources, "Only of these sources");
  AddList(app, "-u,--users", options->users, "Only of these users");
  app->add_flag("--csv", options->csv, "As CSV, as `alias add --file` reads it");
  AddJson(app, options->json);
}

void AddAliasChange(CLI::App* app, AliasChangeOptions& options) {
  app->add_option("--source", options.source, "The source that uses the name; otherwise any source")
      ->type_name("NAME");
  app->add_option("--file", options.file,
                  "CSV lines source,alias,user instead; - is standard input")
      ->type_name("FILE");
  app->add_option("--comment", options.comment, "Why, for the record")->type_name("TEXT");
  AddValidateOnly(app, options.validate_only);
  AddJson(app, options.json);
}

void AddAliasAddOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<AliasChangeOptions>(app, line, AddAliases);
  app->add_option("USER", options->user, "The user")->type_name("");
  app->add_option("ALIAS", options->alias, "The name that counts as the user")->type_name("");
  AddAliasChange(app, *options);
}

void AddAliasRemoveOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<AliasChangeOptions>(app, line, RemoveAliases);
  app->add_option("ALIAS", options->alias, "The name")->type_name("");
  AddAliasChange(app, *options);
}

constexpr Command kAliasCommands[] = {
    {"list", "Names by which sources call users", AddAliasListOptions},
    {"add", "Count a name as a user", AddAliasAddOptions},
    {"remove", "Remove an alias", AddAliasRemoveOptions},
};

void AddAliasGroup(CLI::App* app, CommandLine& line) { AddCommands(kAliasCommands, app, line); }

}  // namespace

const Command kAliasCommand = {
    "alias", "Names by which sources call users: user@realm, service accounts", AddAliasGroup};

}  // namespace priorityd::prioctl
