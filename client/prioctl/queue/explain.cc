#include <fstream>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/nodes_file.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/queue/print_comparison.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/wait_text.h"
#include "client/priority_client.h"
#include "client/timestamp.h"

namespace priorityd::prioctl {
namespace {

// `prioctl explain [FILE|JOBID]`
struct ExplainOptions {
  std::string file;  // `-` = standard input; empty = the tracked queue
  std::string job_id;
  std::string partition;
  std::string qos;
  std::string compare_to;  // Empty = none.
  std::string compare_to_partition;
  std::string compare_to_qos;
  std::string nodes;  // --nodes; empty = without its start
  AsOf as_of;
  bool json = false;
};

using ::priority::v1::AssociationShare;
using ::priority::v1::ExplainPriorityRequest;
using ::priority::v1::ExplainPriorityResponse;

// `812`, `812_7`: a job of the tracked queue, unless a file has this name.
bool IsJobId(const std::string& text) {
  return !text.empty() && absl::ascii_isdigit(text.front()) &&
         absl::c_all_of(text, [](char c) { return absl::ascii_isdigit(c) || c == '_'; }) &&
         !std::ifstream(text);
}

ExplainPriorityRequest MakeRequest(const ExplainOptions& options) {
  ExplainPriorityRequest request;
  request.set_job_id(options.job_id);
  request.set_partition(options.partition);
  request.set_qos(options.qos);
  if (!options.compare_to.empty()) {
    request.mutable_compare_to()->set_job_id(options.compare_to);
    request.mutable_compare_to()->set_partition(options.compare_to_partition);
    request.mutable_compare_to()->set_qos(options.compare_to_qos);
  }
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  return request;
}

// `user ann, account chem, partition main, QOS normal`, without those that do not apply.
std::string JobText(const ExplainPriorityResponse& response) {
  std::string text = absl::StrCat("user ", response.user());
  const auto add = [&text](const char* what, const std::string& value) {
    if (!value.empty()) absl::StrAppend(&text, ", ", what, " ", value);
  };
  add("account", response.account());
  add("partition", response.partition());
  add("QOS", response.qos());
  if (response.has_priority()) add("priority", absl::StrCat(response.priority()));
  return text;
}

// The first line says when the job starts, or why it cannot start; `start` may be empty.
void PrintSentences(const ExplainPriorityResponse& response, const std::string& start,
                    std::ostream& out) {
  out << "job " << response.job_id() << ": ";
  if (!start.empty()) out << start << '\n';
  if (response.has_forecast() && !response.planned_start().starts_now()) {
    out << (start.empty() ? "" : "  ") << SentenceText(response.forecast().sentence()) << '\n';
  }
  // A job that cannot start has the advice in its second sentence.
  const int answer = response.ineligible_reason().empty() ? 1 : 2;
  for (int i = 0; i < response.sentences_size(); ++i) {
    if (i == answer) out << '\n' << JobText(response) << "\n\n";
    out << SentenceText(response.sentences(i)) << '\n';
  }
  if (response.sentences_size() <= answer) out << '\n' << JobText(response) << '\n';
}

void PrintFactors(const ExplainPriorityResponse& response, std::ostream& out) {
  out << "\nfactors: contribution = weight x factor\n";
  Table table({{"NAME"},
               {"FACTOR", true},
               {"WEIGHT", true},
               {"CONTRIBUTION", true},
               {"SHARE", true},
               {"FROM"}});
  for (const auto& factor : response.factors()) {
    table.AddRow({factor.name(), NumberText(factor.factor()), NumberText(factor.weight()),
                  absl::StrFormat("%.2f", factor.contribution()),
                  absl::StrFormat("%.1f%%", 100 * factor.share()), factor.raw_input()});
  }
  table.AddRow({"sum", "", "", absl::StrFormat("%.2f", response.sum()), "", ""});
  table.Print(out);
}

std::string SiblingRankText(const AssociationShare& share) {
  if (share.sibling_rank() == 0) return "-";
  return absl::StrCat(share.sibling_rank(), " of ", share.sibling_count());
}

void PrintFairSharePath(const ExplainPriorityResponse& response, std::ostream& out) {
  if (response.fair_share_path().empty()) return;
  out << "\nfair-share (" << response.fair_share_algorithm() << "), from root down\n";
  // Reserves exist under ChargeAtStart only.
  const bool reserves =
      absl::c_any_of(response.fair_share_path(),
                     [](const AssociationShare& share) { return share.reserved_usage() > 0; });
  std::vector<Column> columns = {
      {"ASSOCIATION"}, {"RAW SHARES", true}, {"NORM SHARES", true}, {"RAW USAGE", true}};
  if (reserves) columns.push_back({"RESERVED", true});
  columns.insert(columns.end(), {{"EFFECTIVE USAGE", true},
                                 {"LEVELFS", true},
                                 {"AMONG SIBLINGS", true},
                                 {"FAIRSHARE", true}});
  Table table(std::move(columns));
  for (const AssociationShare& share : response.fair_share_path()) {
    std::vector<std::string> row = {
        share.user().empty() ? share.account() : share.user(),
        share.parent_shares() ? "parent" : absl::StrCat(share.raw_shares()),
        NumberText(share.norm_shares()), AmountText(share.raw_usage())};
    if (reserves) row.push_back(AmountText(share.reserved_usage()));
    row.insert(row.end(),
               {NumberText(share.effective_usage()), LevelFsText(share), SiblingRankText(share),
                share.has_fair_share() ? NumberText(share.fair_share()) : "-"});
    table.AddRow(std::move(row));
  }
  table.Print(out);
}

void PrintBilling(const ::priority::v1::BillingExplanation& billing, std::ostream& out) {
  out << "\nbilling (" << billing.rule() << "): " << NumberText(billing.billing())
      << ", times UsageFactor " << NumberText(billing.usage_factor()) << " = "
      << NumberText(billing.usage_per_second()) << " of usage per second of running\n";
  Table table({{"TRES"}, {"COUNT", true}, {"WEIGHT", true}, {"VALUE", true}, {"COUNTED"}});
  for (const auto& term : billing.terms()) {
    table.AddRow({term.tres(), NumberText(term.count()), NumberText(term.weight()),
                  NumberText(term.value()), term.counted() ? "yes" : "no"});
  }
  table.Print(out);
}

// A sentence on the job's start on the nodes described.
absl::StatusOr<std::string> StartText(const ExplainOptions& options,
                                      const ExplainPriorityRequest& asked,
                                      const std::string& job_id,
                                      const client::PriorityClient& client) {
  absl::StatusOr<::priority::v1::ClusterDescription> description = ReadNodes(options.nodes);
  if (!description.ok()) return description.status();
  ::priority::v1::PlanStartsRequest request;
  if (asked.has_jobs()) *request.mutable_jobs() = asked.jobs();
  if (asked.has_tracked()) request.mutable_tracked();
  if (asked.has_as_of()) *request.mutable_as_of() = asked.as_of();
  *request.mutable_description() = *std::move(description);
  request.add_job_ids(job_id);
  const auto plan = client.PlanStarts(std::move(request));
  if (!plan.ok()) return plan.status();
  if (plan->starts_size() > 0) return SentenceText(plan->starts(0).message());
  return "Its start is not planned: it runs, cannot start, or is too far back in the start order.";
}

// A sentence on the job's start on the nodes that the service knows.
std::string StartText(const ExplainPriorityResponse& response) {
  const ::priority::v1::PlannedStart& start = response.planned_start();
  // A reservation, a cap or a license delays the job whatever the running jobs do on its nodes.
  const bool waits_for_nodes =
      start.reason().empty() || start.reason() == "Resources" || start.reason() == "Priority";
  if (start.starts_now() || !start.has_expected_start() || !waits_for_nodes) {
    return SentenceText(start.message());
  }
  const absl::Time time = client::FromTimestamp(start.expected_start());
  const absl::Time as_of = client::FromTimestamp(response.as_of());
  return absl::StrCat("It starts about ", HourText(time, as_of), " (in ", WaitText(time - as_of),
                      ")",
                      start.behind_job_id().empty() ? "" : " behind job " + start.behind_job_id(),
                      ", if running jobs take all their time.");
}

// A sentence on the job's start on the nodes of --nodes, or else on those that the service knows;
// empty without both.
absl::StatusOr<std::string> StartOf(const ExplainOptions& options,
                                    const ExplainPriorityRequest& asked,
                                    const ExplainPriorityResponse& response,
                                    const client::PriorityClient& client) {
  if (!options.nodes.empty()) return StartText(options, asked, response.job_id(), client);
  return response.has_planned_start() ? StartText(response) : std::string();
}

absl::Status Run(const ExplainOptions& typed, const client::PriorityClient& client,
                 Console& console) {
  ExplainOptions options = typed;
  if (options.job_id.empty() && IsJobId(options.file)) std::swap(options.job_id, options.file);
  if (options.job_id.empty() && options.file.empty()) {
    return OptionError("FILE_OR_JOBID: got none, want a job ID such as 7, or a file of jobs");
  }
  ExplainPriorityRequest request = MakeRequest(options);
  if (absl::Status s = SetQueue(options.file, &request); !s.ok()) return s;
  const absl::StatusOr<ExplainPriorityResponse> response = client.ExplainPriority(request);
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  const absl::StatusOr<std::string> start = StartOf(options, request, *response, client);
  if (!start.ok()) return start.status();
  PrintSentences(*response, *start, console.out);
  if (response->factors_size() > 0) PrintFactors(*response, console.out);
  PrintFairSharePath(*response, console.out);
  if (response->has_billing()) PrintBilling(response->billing(), console.out);
  if (response->has_comparison()) PrintComparison(response->comparison(), console.out);
  console.out << "\nas of " << TimeText(response->as_of(), response->has_as_of()) << "; "
              << SnapshotText(response->snapshot()) << '\n';
  return absl::OkStatus();
}

void AddExplainOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ExplainOptions>(app, line, Run);
  app->add_option("FILE_OR_JOBID", options->file,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue. Or the "
                  "number of a tracked job, as with --job")
      ->type_name("");
  app->add_option("--job", options->job_id, "Which of the jobs; not needed if there is one")
      ->type_name("JOBID");
  app->add_option("--partition", options->partition, "Which of its partitions; default the best")
      ->type_name("NAME");
  app->add_option("--qos", options->qos, "Which of its QOS; default the best")->type_name("NAME");
  CLI::Option* compare_to = app->add_option("--compare-to", options->compare_to,
                                            "Also why it starts before or after this other job");
  compare_to->type_name("JOBID");
  app->add_option("--compare-to-partition", options->compare_to_partition,
                  "Which of the other's partitions; default the best")
      ->needs(compare_to)
      ->type_name("NAME");
  app->add_option("--compare-to-qos", options->compare_to_qos,
                  "Which of the other's QOS; default the best")
      ->needs(compare_to)
      ->type_name("NAME");
  AddNodes(app, options->nodes);
  AddAsOf(app, options->as_of, "Explain for this time, not for now");
  AddJson(app, options->json);
}

}  // namespace

const Command kExplainCommand = {"explain", "Explain why a job has its priority",
                                 AddExplainOptions};

}  // namespace priorityd::prioctl
