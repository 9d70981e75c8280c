#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {
namespace {

// `prioctl reset-usage ACCOUNT`
struct ResetUsageOptions {
  std::string account;
  std::string user;
  std::string partition;
  std::string comment;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

// `prioctl rebuild-usage`
struct RebuildUsageOptions {
  bool validate_only = false;
  bool json = false;
};

// `prioctl recalculate`
struct RecalculateOptions {
  AsOf as_of;
  bool forget_future = false;
  bool json = false;
};

using ::priority::v1::RebuildUsageResponse;
using ::priority::v1::ResetUsageRequest;
using ::priority::v1::ResetUsageResponse;
using ::priority::v1::UsageDifference;

constexpr int64_t kBarSteps = 1000;

void PrintDifferences(const RebuildUsageResponse& response, std::ostream& out) {
  if (response.differences().empty()) return;
  Table table({{"ACCOUNT"}, {"USER"}, {"PARTITION"}, {"QOS"}, {"STORED", true}, {"LEDGER", true}});
  for (const UsageDifference& row : response.differences()) {
    table.AddRow({row.account(), row.user(), row.partition(), row.qos(), NumberText(row.stored()),
                  NumberText(row.rebuilt())});
  }
  table.Print(out);
}

// Says how many there are, and asks.
absl::Status AskToReset(const ResetUsageOptions& options, ResetUsageRequest request,
                        const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const absl::StatusOr<ResetUsageResponse> what = client.ResetUsage(std::move(request));
  if (!what.ok()) return what.status();
  return Ask(absl::StrCat("Forget the usage of ", CountedText(what->associations(), "association"),
                          options.user.empty() ? ", of account " : ", of user ",
                          options.user.empty() ? "" : absl::StrCat(options.user, " in "),
                          options.account, "? It cannot be undone."),
             options.yes, console);
}

absl::Status Run(const ResetUsageOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::ResetUsageRequest request;
  request.set_account(options.account);
  request.set_user(options.user);
  request.set_partition(options.partition);
  request.set_comment(options.comment);
  request.set_validate_only(options.validate_only);
  if (!options.validate_only && !options.yes) {
    absl::Status asked = AskToReset(options, request, client, console);
    if (!asked.ok()) return asked;
  }
  const absl::StatusOr<ResetUsageResponse> response = client.ResetUsage(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.out << (options.validate_only ? "valid: would reset " : "reset ")
              << CountedText(response->associations(), "association") << " at "
              << TimeText(response->reset_at(), response->has_reset_at())
              << "; it shows from the next recalculation on\n";
  return absl::OkStatus();
}

absl::Status Run(const RebuildUsageOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::RebuildUsageRequest request;
  request.set_validate_only(options.validate_only);
  ProgressBar bar(&console.err, console.err_is_terminal);
  const absl::StatusOr<RebuildUsageResponse> response =
      client.RebuildUsage(std::move(request), [&](const RebuildUsageResponse& progress) {
        bar.Show(numbers::WholePart(progress.fraction() * kBarSteps), kBarSteps,
                 absl::StrCat(CountText(progress.records()), " records"));
      });
  bar.Clear();
  if (!response.ok()) return response.status();
  if (options.json) {
    console.out << ToJson(*response) << '\n';
  } else {
    PrintDifferences(*response, console.out);
    console.out << CountText(response->records()) << " records, " << CountText(response->rows())
                << " rows, " << CountText(response->different_rows()) << " different"
                << (options.validate_only || response->different_rows() == 0 ? "" : ", corrected")
                << '\n';
  }
  if (!options.validate_only || response->different_rows() == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(CountText(response->different_rows()), " rows differ from the ledger"));
}

absl::Status Run(const RecalculateOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::RecalculateRequest request;
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  request.set_forget_future(options.forget_future);
  const absl::StatusOr<::priority::v1::Snapshot> snapshot = client.Recalculate(std::move(request));
  if (!snapshot.ok()) return snapshot.status();
  if (options.json) {
    console.out << ToJson(*snapshot) << '\n';
  } else {
    console.out << "recalculated " << SnapshotText(*snapshot) << '\n';
  }
  return absl::OkStatus();
}

void AddResetUsageOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ResetUsageOptions>(app, line, Run);
  app->add_option("ACCOUNT", options->account, "The account")->required()->type_name("");
  app->add_option("--user", options->user, "Only this user of the account")->type_name("NAME");
  app->add_option("--partition", options->partition, "The user's association with this partition")
      ->type_name("NAME");
  app->add_option("--comment", options->comment, "Why, for the record")->type_name("TEXT");
  AddYes(app, options->yes);
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddRebuildUsageOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<RebuildUsageOptions>(app, line, Run);
  app->add_flag("--validate-only", options->validate_only,
                "Only compare; exit status 1 if anything differs");
  AddJson(app, options->json);
}

void AddRecalculateOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<RecalculateOptions>(app, line, Run);
  AddAsOf(app, options->as_of, "The time to recalculate for; on a manual clock only");
  app->add_flag("--forget-future", options->forget_future,
                "Back to the present time, after the database's clock was ahead for a while");
  AddJson(app, options->json);
}

}  // namespace

const Command kResetUsageCommand = {
    "reset-usage",
    "Past usage of an account and all below it, or of a user of it, no longer counts",
    AddResetUsageOptions};

const Command kRebuildUsageCommand = {
    "rebuild-usage", "Sum up all usage again from the ledger, and correct rows that differ",
    AddRebuildUsageOptions};

const Command kRecalculateCommand = {"recalculate", "Recalculate fair-share now",
                                     AddRecalculateOptions};

}  // namespace priorityd::prioctl
