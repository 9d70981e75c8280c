#include "client/prioctl/what_if_command_line.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "client/prioctl/options.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::SupposedShares;
using ::priority::v1::SupposedUsage;

// `physics:ann=12`: fills what the association is called and returns the value.
template <typename Supposed>
absl::string_view ParseSupposed(const char* option, const std::string& text, const char* want,
                                Supposed* supposed) {
  const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::vector<std::string> names = absl::StrSplit(sides[0], ':');
  if (sides.size() != 2 || names.size() > 3 || names[0].empty()) {
    throw CLI::ValidationError(option, absl::StrCat("got \"", text, "\", want ", want));
  }
  supposed->set_account(names[0]);
  if (names.size() > 1) supposed->set_user(names[1]);
  if (names.size() > 2) supposed->set_partition(names[2]);
  return absl::string_view(text).substr(sides[0].size() + 1);
}

SupposedShares ParseShares(const std::string& text) {
  constexpr char kWant[] = "ACCOUNT[:USER[:PARTITION]]=N, or =parent";
  SupposedShares shares;
  const absl::string_view value = ParseSupposed("--shares", text, kWant, &shares);
  uint32_t number = 0;
  if (absl::EqualsIgnoreCase(value, "parent")) {
    shares.set_parent_shares(true);
  } else if (absl::SimpleAtoi(value, &number)) {
    shares.set_raw_shares(number);
  } else {
    throw CLI::ValidationError("--shares", absl::StrCat("got \"", text, "\", want ", kWant));
  }
  return shares;
}

SupposedUsage ParseUsage(const std::string& text) {
  constexpr char kWant[] = "ACCOUNT[:USER[:PARTITION]]=BILLING_SECONDS";
  SupposedUsage usage;
  const absl::string_view value = ParseSupposed("--usage", text, kWant, &usage);
  double seconds = 0;
  if (!absl::SimpleAtod(value, &seconds) || !std::isfinite(seconds) || seconds < 0) {
    throw CLI::ValidationError("--usage", absl::StrCat("got \"", text, "\", want ", kWant));
  }
  usage.set_usage(seconds);
  return usage;
}

// `[d-]h[:m[:s]]` or `m`, as in slurm.conf; or with units: `36h`, `1h30m`.
bool ParseLength(const std::string& text, absl::Duration* length) {
  if (absl::ParseDuration(text, length) && text != "0") return *length >= absl::ZeroDuration();
  const std::vector<std::string> days = absl::StrSplit(text, absl::MaxSplits('-', 1));
  const std::vector<std::string> clock = absl::StrSplit(days.back(), ':');
  std::vector<uint32_t> numbers(clock.size());
  for (size_t i = 0; i < clock.size(); ++i) {
    if (!absl::SimpleAtoi(clock[i], &numbers[i])) return false;
  }
  if (numbers.size() > 3) return false;
  const size_t given = numbers.size();
  numbers.resize(3);
  if (days.size() == 2) {
    uint32_t count = 0;
    if (!absl::SimpleAtoi(days[0], &count)) return false;
    *length = absl::Hours(24) * count + absl::Hours(numbers[0]) + absl::Minutes(numbers[1]) +
              absl::Seconds(numbers[2]);
  } else if (given == 3) {
    *length = absl::Hours(numbers[0]) + absl::Minutes(numbers[1]) + absl::Seconds(numbers[2]);
  } else {
    *length = absl::Minutes(numbers[0]) + absl::Seconds(numbers[1]);
  }
  return true;
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

}  // namespace

void AddWhatIf(CLI::App& parent, CommandLine& line) {
  CLI::App* app = parent.add_subcommand(
      "what-if", "Who would move in a queue if something were different; changes nothing");
  auto options = Adopt<WhatIfOptions>(app, line);
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
  app->add_option_function<std::string>(
         "--later", [options](const std::string& text) { ParseLater(text, options.get()); },
         "So much later, or at this time, if nothing ran until then")
      ->type_name("DURATION|TIME");
  AddAsOf(app, options->as_of, "Compare with this time, not with now");
  app->add_option("--limit", options->limit, "Only so many rows")->type_name("N");
  app->add_flag("--all", options->all, "Also rows that keep their place");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  AddJson(app, options->json);
}

void AddPolicyDiff(CLI::App& policy, CommandLine& line) {
  CLI::App* app = policy.add_subcommand(
      "diff",
      "What a file would change: parameters, and who moves in the tracked queue; or what differs "
      "between two versions");
  auto options = Adopt<PolicyDiffOptions>(app, line);
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

}  // namespace priorityd::prioctl
