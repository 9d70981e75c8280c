#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/policy/policy_versions.h"
#include "client/prioctl/policy/simulation_text.h"
#include "client/prioctl/policy/supposition.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/slurm/tables/report_time.h"
#include "client/timestamp.h"

namespace priorityd::prioctl {
namespace {

// Rows with --forecast, without --limit.
constexpr uint32_t kForecastRows = 100;

// `prioctl what-if [FILE]`
struct WhatIfOptions {
  std::string file;    // `-` = standard input; empty = the tracked queue
  std::string policy;  // a slurm.conf; empty = the policy in force
  std::vector<::priority::v1::SupposedShares> shares;
  std::vector<::priority::v1::SupposedUsage> usage;
  std::vector<::priority::v1::SupposedGrant> grants;
  std::vector<TransferWords> transfers;
  std::optional<absl::Time> as_of;
  std::optional<absl::Time> later;
  std::optional<absl::Duration> later_by;  // after as_of, instead of `later`
  uint32_t limit = 0;                      // 0 = all
  bool all = false;                        // also rows that do not move
  bool best_only = false;
  bool forecast = false;
  bool json = false;
};

// `prioctl policy diff FILE`, or of two versions
struct PolicyDiffOptions {
  std::string file;  // `-` = standard input; digits alone = a version
  int64_t to = 0;    // The other version; 0 = the newest.
  uint32_t limit = 0;
  bool json = false;
};

using ::priority::v1::SimulateRequest;
using ::priority::v1::SimulateResponse;

// Fields of the request, and the options that set them.
constexpr std::pair<const char*, const char*> kSupposedOptions[] = {
    {"shares", "shares"}, {"usage", "usage"}, {"grants", "grant"}, {"grant_transfers", "transfer"}};

// `shares[0].account: got ...` as `--shares: account: got ...`
absl::Status InWordsOfOptions(const absl::Status& status, const std::vector<bool>& are_revoked) {
  std::string message(status.message());
  for (const auto& [field, option] : kSupposedOptions) {
    const size_t begin = message.find(absl::StrCat(field, "["));
    const size_t end = message.find("].", begin);
    if (begin == std::string::npos || end == std::string::npos) continue;
    size_t index = 0;
    const size_t digits = begin + absl::string_view(field).size() + 1;
    const bool is_revoked = absl::string_view(field) == "grants" &&
                            absl::SimpleAtoi(message.substr(digits, end - digits), &index) &&
                            index < are_revoked.size() && are_revoked[index];
    message.replace(begin, end + 2 - begin,
                    absl::StrCat("--", is_revoked ? "revoke-" : "", option, ": "));
  }
  absl::Status renamed(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& value) { renamed.SetPayload(url, value); });
  return renamed;
}

// The present time of the service.
absl::StatusOr<google::protobuf::Timestamp> Present(const client::PriorityClient& client) {
  ::priority::v1::RankJobsRequest request;
  request.mutable_jobs();
  const absl::StatusOr<::priority::v1::RankJobsResponse> response =
      client.RankJobs(std::move(request));
  if (!response.ok()) return response.status();
  return response->as_of();
}

// Sets as_of and later.
absl::Status SetTimes(const WhatIfOptions& options, const client::PriorityClient& client,
                      SimulateRequest* request) {
  if (options.as_of.has_value()) *request->mutable_as_of() = ToTimestamp(*options.as_of);
  if (options.later.has_value()) *request->mutable_later() = ToTimestamp(*options.later);
  if (!options.later_by.has_value()) return absl::OkStatus();
  if (!options.as_of.has_value()) {
    const absl::StatusOr<google::protobuf::Timestamp> present = Present(client);
    if (!present.ok()) return present.status();
    *request->mutable_as_of() = *present;
  }
  const absl::Time as_of = absl::FromUnixSeconds(request->as_of().seconds()) +
                           absl::Nanoseconds(request->as_of().nanos());
  *request->mutable_later() = ToTimestamp(as_of + *options.later_by);
  return absl::OkStatus();
}

// Whether the grant is of a price book. False of one that does not exist.
absl::StatusOr<bool> IsMoney(const std::string& grant, const client::PriorityClient& client) {
  ::priority::v1::ListGrantsRequest request;
  request.add_names(grant);
  request.set_include_past(true);
  const auto found = client.ListGrants(std::move(request));
  if (absl::IsNotFound(found.status())) return false;
  if (!found.ok()) return found.status();
  return !found->grants().empty() && !found->grants(0).currency().empty();
}

absl::Status SetTransfers(const std::vector<TransferWords>& transfers,
                          const client::PriorityClient& client, SimulateRequest* request) {
  for (const TransferWords& words : transfers) {
    const auto is_money = IsMoney(words.from, client);
    if (!is_money.ok()) return is_money.status();
    auto transfer = ToMessage(words, *is_money);
    if (!transfer.ok()) return transfer.status();
    *request->add_grant_transfers() = *std::move(transfer);
  }
  return absl::OkStatus();
}

absl::Status SetPolicy(const std::string& path, SimulateRequest* request) {
  absl::StatusOr<PolicyText> policy = ReadPolicyText(path);
  if (!policy.ok()) return policy.status();
  request->set_policy_text(std::move(policy->text));
  request->set_policy_file_name(std::move(policy->name));
  return absl::OkStatus();
}

// Asks and prints.
absl::Status Simulate(SimulateRequest request, const client::PriorityClient& client, bool json,
                      Console& console) {
  request.set_view(::priority::v1::RANK_VIEW_FULL);
  const bool has_policy = request.has_policy_text();
  const bool with_forecasts = request.with_forecasts();
  std::vector<bool> are_revoked;
  for (const auto& grant : request.grants()) are_revoked.push_back(grant.revoked());
  const absl::StatusOr<SimulateResponse> response = client.Simulate(std::move(request));
  if (!response.ok()) return InWordsOfOptions(response.status(), are_revoked);
  if (json) return PrintJson(*response, console.out);
  PrintSimulation(*response, {.policy = has_policy, .forecasts = with_forecasts}, console.out);
  return absl::OkStatus();
}

absl::Status Run(const WhatIfOptions& options, const client::PriorityClient& client,
                 Console& console) {
  SimulateRequest request;
  if (absl::Status s = SetQueue(options.file, &request); !s.ok()) return s;
  if (!options.policy.empty()) {
    if (absl::Status s = SetPolicy(options.policy, &request); !s.ok()) return s;
  }
  for (const auto& shares : options.shares) *request.add_shares() = shares;
  for (const auto& usage : options.usage) *request.add_usage() = usage;
  for (const auto& grant : options.grants) *request.add_grants() = grant;
  if (absl::Status s = SetTransfers(options.transfers, client, &request); !s.ok()) return s;
  if (absl::Status s = SetTimes(options, client, &request); !s.ok()) return s;
  request.set_limit(options.limit);
  request.set_moved_only(!options.all);
  request.set_best_only(options.best_only || options.forecast);
  request.set_with_forecasts(options.forecast);
  if (options.forecast && options.limit == 0) request.set_limit(kForecastRows);
  return Simulate(std::move(request), client, options.json, console);
}

absl::Status Run(const PolicyDiffOptions& options, const client::PriorityClient& client,
                 Console& console) {
  int64_t version = 0;
  if (absl::SimpleAtoi(options.file, &version) && version > 0) {
    return DiffVersions(version, options.to, options.json, client, console);
  }
  if (options.to != 0) {
    return absl::InvalidArgumentError("got a version after a file, want two versions or one file");
  }
  SimulateRequest request;
  request.mutable_tracked();
  if (absl::Status s = SetPolicy(options.file, &request); !s.ok()) return s;
  request.set_limit(options.limit);
  request.set_moved_only(true);
  return Simulate(std::move(request), client, options.json, console);
}

void ParseLater(const std::string& text, WhatIfOptions* options) {
  absl::Duration length;
  options->later.reset();
  options->later_by.reset();
  if (ParseLength(text, &length)) {
    options->later_by = length;
  } else if (const auto time = tables::ParseReportTime(text, absl::Now(), absl::LocalTimeZone());
             time.ok()) {
    options->later = *time;
  } else {
    throw CLI::ValidationError(
        "--later", absl::StrCat("got \"", text, "\", want a length of time, such as 7-0, 12:00:00 ",
                                "or 36h, or a time, such as tomorrow or 2026-11-20T13:07"));
  }
}

void AddSupposedGrants(CLI::App* app, const std::shared_ptr<WhatIfOptions>& options) {
  app->add_option_function<std::vector<std::string>>(
         "--grant",
         [options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) options->grants.push_back(ParseGrant(text));
         },
         "With another or a new grant, in the words of grant create; may be given again")
      ->allow_extra_args(false)
      ->type_name("\"NAME SETTING=VALUE...\"");
  app->add_option_function<std::vector<std::string>>(
         "--revoke-grant",
         [options](const std::vector<std::string>& names) {
           for (const std::string& name : names) {
             options->grants.emplace_back().set_name(name);
             options->grants.back().set_revoked(true);
           }
         },
         "Without this grant; may be given again")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app->add_option_function<std::vector<std::string>>(
         "--transfer",
         [options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             options->transfers.push_back(ParseTransfer(text));
           }
         },
         "With an amount moved from one grant to another, of money in its currency; may be given "
         "again")
      ->allow_extra_args(false)
      ->type_name("\"FROM TO AMOUNT\"");
}

void AddWhatIfOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<WhatIfOptions>(app, line, Run);
  AddQueueFile(app, options->file);
  app->add_option("--policy", options->policy, "Under the parameters in this slurm.conf")
      ->type_name("FILE");
  app->add_option_function<std::vector<std::string>>(
         "--shares",
         [options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) options->shares.push_back(ParseShares(text));
         },
         "With other shares of an account or of a user in it; may be given again")
      ->allow_extra_args(false)
      ->type_name("ACCOUNT[:USER[:PARTITION]]=N|parent");
  app->add_option_function<std::vector<std::string>>(
         "--usage",
         [options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) options->usage.push_back(ParseUsage(text));
         },
         "After this much more usage, ending now; may be given again")
      ->allow_extra_args(false)
      ->type_name("ACCOUNT[:USER[:PARTITION]]=BILLING_SECONDS");
  AddSupposedGrants(app, options);
  app->add_option_function<std::string>(
         "--later", [options](const std::string& text) { ParseLater(text, options.get()); },
         "So much later, or at this time, if nothing ran until then")
      ->type_name("DURATION|TIME");
  AddAsOf(app, options->as_of, "Compare with this time, not with now");
  app->add_option("--limit", options->limit, "Only so many rows")->type_name("N");
  app->add_flag("--all", options->all, "Also rows that keep their place");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  app->add_flag("--forecast", options->forecast,
                "Also when half of such jobs start from each place: the first row of each job of "
                "the tracked queue, now; without --limit 100 rows")
      ->excludes("--as-of")
      ->excludes("--later");
  AddJson(app, options->json);
}

void AddPolicyDiffOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PolicyDiffOptions>(app, line, Run);
  app->add_option("FILE_OR_VERSION", options->file,
                  "Lines of slurm.conf; - is standard input; Includes are read beside it. Or the "
                  "number of a version")
      ->required()
      ->type_name("");
  app->add_option("VERSION", options->to, "After a version: the other one; default the newest")
      ->check(WholeNumber(1))
      ->type_name("");
  app->add_option("--limit", options->limit, "Only so many rows of the queue")->type_name("N");
  AddJson(app, options->json);
}

}  // namespace

const Command kWhatIfCommand = {
    "what-if", "Show which jobs would move in a queue under a supposed change; changes nothing",
    AddWhatIfOptions};

const Command kPolicyDiffCommand = {
    "diff",
    "Parameters that a file would change, and jobs that would move; or the differences "
    "between two versions",
    AddPolicyDiffOptions};

}  // namespace priorityd::prioctl
