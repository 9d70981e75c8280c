#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl usage void`
struct UsageVoidOptions {
  std::vector<std::string> sources;
  std::vector<std::string> jobs;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  AsOf from;  // Of the records' ends.
  AsOf to;
  AsOf recorded_from;
  AsOf recorded_to;
  int64_t void_id = 0;  // Goes on with that one; 0 = a new one.
  std::string comment;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

// `prioctl usage restore ID`
struct UsageRestoreOptions {
  int64_t void_id = 0;
  std::string comment;
  bool json = false;
};

using ::priority::v1::RestoreUsageRequest;
using ::priority::v1::UsageVoidFilter;
using ::priority::v1::VoidedAccount;
using ::priority::v1::VoidUsageRequest;
using ::priority::v1::VoidUsageResponse;

UsageVoidFilter FilterOf(const UsageVoidOptions& options) {
  UsageVoidFilter filter;
  filter.mutable_sources()->Add(options.sources.begin(), options.sources.end());
  filter.mutable_job_ids()->Add(options.jobs.begin(), options.jobs.end());
  filter.mutable_users()->Add(options.users.begin(), options.users.end());
  filter.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  if (options.from.has_value()) *filter.mutable_ended_from() = ToTimestamp(*options.from);
  if (options.to.has_value()) *filter.mutable_ended_before() = ToTimestamp(*options.to);
  if (options.recorded_from.has_value()) {
    *filter.mutable_recorded_from() = ToTimestamp(*options.recorded_from);
  }
  if (options.recorded_to.has_value()) {
    *filter.mutable_recorded_before() = ToTimestamp(*options.recorded_to);
  }
  return filter;
}

void PrintAccounts(const VoidUsageResponse& preview, std::ostream& out) {
  if (preview.accounts().empty()) return;
  Table table({{"ACCOUNT"}, {"RECORDS", true}, {"USAGE", true}, {"OF RAWUSAGE", true}});
  for (const VoidedAccount& row : preview.accounts()) {
    table.AddRow({row.account(), CountText(row.records()), NumberText(row.usage()),
                  NumberText(row.decayed_usage())});
  }
  table.Print(out);
}

void PrintRolledUp(const VoidUsageResponse& preview, std::ostream& out) {
  if (preview.rolled_up_records() == 0) return;
  out << CountText(preview.rolled_up_records()) << " records of these accounts, users and times "
      << "ended before " << TimeText(preview.ledger_horizon(), preview.has_ledger_horizon())
      << " and are rolled up: they stay, whatever their source and job\n";
}

// Calls with the void's id until all is done.
template <typename Request, typename Call>
absl::StatusOr<VoidUsageResponse> Rounds(Request request, const Call& call, Console& console) {
  ProgressBar bar(&console.err, console.err_is_terminal);
  for (bool has_begun = false;; has_begun = true) {
    absl::StatusOr<VoidUsageResponse> answer = call(request);
    bar.Clear();
    if (!answer.ok()) {
      if (!has_begun) return answer;
      return absl::Status(answer.status().code(),
                          absl::StrCat("void ", request.void_id(), " is not at its end: ",
                                       std::string(answer.status().message())));
    }
    if (answer->done()) return answer;
    request.set_void_id(answer->void_id());
    bar.Show(0, 1,
             absl::StrCat(CountText(answer->records()), " records voided, ",
                          CountText(answer->restored_records()), " restored"));
  }
}

// An empty value is a variable of a script that is not set.
absl::Status CheckVoid(const UsageVoidOptions& options) {
  const std::pair<const char*, const std::vector<std::string>*> lists[] = {
      {"--source", &options.sources},
      {"--job", &options.jobs},
      {"--user", &options.users},
      {"--account", &options.accounts}};
  for (const auto& [option, values] : lists) {
    if (!absl::c_linear_search(*values, "")) continue;
    return OptionError(absl::StrCat(option, ": got an empty value, want a name"));
  }
  if (absl::Status s = CheckPeriod("--from", options.from, "--to", options.to); !s.ok()) return s;
  return CheckPeriod("--recorded-from", options.recorded_from, "--recorded-to",
                     options.recorded_to);
}

absl::StatusOr<bool> Then(const absl::Status& status, bool value) {
  if (!status.ok()) return status;
  return value;
}

absl::Status PrintVoid(const UsageVoidOptions& options, const VoidUsageResponse& answer,
                       Console& console) {
  if (options.json) return PrintJson(answer, console.out);
  if (answer.void_id() == 0) {
    console.out << "no record matches, and none is voided\n";
    return absl::OkStatus();
  }
  console.out << "void " << answer.void_id() << ": " << CountedText(answer.records(), "record")
              << ", " << NumberText(answer.usage())
              << " billing-seconds no longer count from the next recalculation on; `prioctl usage "
                 "restore --void "
              << answer.void_id() << "` puts them back\n";
  return absl::OkStatus();
}

// Shows what would be voided and asks; with --yes shows only what stays. Prints the answer if
// nothing would be voided. True = continue.
absl::StatusOr<bool> PreviewAndAsk(const UsageVoidOptions& options, VoidUsageRequest request,
                                   const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const absl::StatusOr<VoidUsageResponse> preview = client.VoidUsage(std::move(request));
  if (!preview.ok()) return preview.status();
  const bool continues = !options.validate_only && preview->records() > 0;
  if (options.json && options.validate_only) return Then(PrintJson(*preview, console.out), false);
  std::ostream& out = options.validate_only ? console.out : console.err;
  if (options.validate_only || !options.yes) PrintAccounts(*preview, out);
  PrintRolledUp(*preview, out);
  const std::string what = absl::StrCat(CountedText(preview->records(), "record"), ", ",
                                        NumberText(preview->usage()), " billing-seconds");
  if (continues) return Then(Ask(absl::StrCat("Void ", what, "?"), options.yes, console), true);
  if (options.validate_only) {
    out << "valid: would void " << what << '\n';
    return false;
  }
  VoidUsageResponse nothing;
  nothing.set_done(true);
  return Then(PrintVoid(options, nothing, console), false);
}

// Asks round after round until the service has done all.
absl::Status Run(const UsageVoidOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (absl::Status s = CheckVoid(options); !s.ok()) return s;
  VoidUsageRequest request;
  if (options.void_id == 0) *request.mutable_filter() = FilterOf(options);
  request.set_void_id(options.void_id);
  request.set_comment(options.comment);
  const bool is_new = options.void_id == 0;
  if (options.validate_only || is_new) {
    const absl::StatusOr<bool> continues = PreviewAndAsk(options, request, client, console);
    if (!continues.ok() || !*continues) return continues.status();
  }
  const absl::StatusOr<VoidUsageResponse> answer = Rounds(
      std::move(request),
      [&](VoidUsageRequest round) {
        if (round.void_id() != 0) round.clear_filter();
        return client.VoidUsage(std::move(round));
      },
      console);
  if (!answer.ok()) return answer.status();
  return PrintVoid(options, *answer, console);
}

absl::Status Run(const UsageRestoreOptions& options, const client::PriorityClient& client,
                 Console& console) {
  RestoreUsageRequest request;
  request.set_void_id(options.void_id);
  request.set_comment(options.comment);
  const absl::StatusOr<VoidUsageResponse> answer = Rounds(
      std::move(request),
      [&](const RestoreUsageRequest& round) { return client.RestoreUsage(round); }, console);
  if (!answer.ok()) return answer.status();
  if (options.json) return PrintJson(*answer, console.out);
  console.out << "void " << answer->void_id() << ": " << CountText(answer->restored_records())
              << " of " << CountedText(answer->records(), "record")
              << " restored; it shows from the next recalculation on\n";
  return absl::OkStatus();
}

void AddUsageVoidOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<UsageVoidOptions>(app, line, Run);
  AddList(app, "--source", options->sources, "Only what these sources sent");
  AddList(app, "--job", options->jobs, "Only of these jobs");
  AddList(app, "-u,--user", options->users, "Only of these users");
  AddList(app, "-A,--account", options->accounts, "Only what these accounts were charged");
  AddTime(app, "--from", options->from, "Only what ended from this time on");
  AddTime(app, "--to", options->to, "Only what ended before this time");
  AddTime(app, "--recorded-from", options->recorded_from,
          "Only what was recorded from this time on");
  AddTime(app, "--recorded-to", options->recorded_to, "Only what was recorded before this time");
  app->add_option("--continue", options->void_id, "Continue this void, which was interrupted")
      ->check(WholeNumber(1))
      ->type_name("ID");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddYes(app, options->yes);
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddUsageRestoreOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<UsageRestoreOptions>(app, line, Run);
  app->add_option("--void", options->void_id, "The void, as `usage void` and the audit name it")
      ->required()
      ->check(WholeNumber(1))
      ->type_name("ID");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddJson(app, options->json);
}

constexpr Command kUsageCommands[] = {
    {"void", "Exclude usage records from all sums; without --yes it lists them and asks",
     AddUsageVoidOptions},
    {"restore", "Count the records of a void again", AddUsageRestoreOptions},
};

void AddUsageGroup(CLI::App* app, CommandLine& line) {
  app->require_subcommand(1);
  AddCommands(kUsageCommands, app, line);
  AddCommand(kUsageSourcesCommand, app, line);
}

}  // namespace

const Command kUsageCommand = {"usage", "Usage records: their sources; voided and restored",
                               AddUsageGroup};

}  // namespace priorityd::prioctl
