#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/nodes_file.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/script/batch_script.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "google/protobuf/struct.pb.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// A job id that no queue has; the service's answers name it.
constexpr char kCheckedJob[] = "submit-check";
// Of a message: jobs that the service ranks with the checked one.
constexpr int kMostJobs = 199'999;

// `prioctl submit-check FILE`
struct SubmitCheckOptions {
  std::string file;   // `-` = standard input
  std::string user;   // empty = the calling one
  std::string nodes;  // --nodes; empty = the policy's lines
  bool json = false;
};

// The answer of the service.
struct SubmitCheck {
  v1::EstimateJobCostResponse cost;
  v1::ExplainPriorityResponse explanation;
  std::optional<v1::PlannedStart> start;  // Unset without nodes, and for a job that may not start.
};

absl::StatusOr<v1::InlineJobs> QueueWith(const v1::Job& job, const client::PriorityClient& client) {
  absl::StatusOr<v1::ListJobsResponse> listed = client.ListAllJobs({});
  if (!listed.ok()) return listed.status();
  if (listed->jobs_size() > kMostJobs) {
    return absl::FailedPreconditionError(
        absl::StrCat("the queue has ", listed->jobs_size(), " jobs, want at most ", kMostJobs));
  }
  v1::InlineJobs jobs;
  for (v1::TrackedJob& tracked : *listed->mutable_jobs()) {
    *jobs.add_jobs() = std::move(*tracked.mutable_job());
  }
  *jobs.add_jobs() = job;
  return jobs;
}

// Without nodes, none are described.
absl::StatusOr<v1::ClusterDescription> Nodes(const SubmitCheckOptions& options,
                                             const client::PriorityClient& client) {
  if (!options.nodes.empty()) return ReadNodes(options.nodes);
  const absl::StatusOr<v1::Policy> policy = client.GetPolicy({});
  if (!policy.ok()) return policy.status();
  auto described = DescribeNodes({{"policy", policy->text()}});
  // The text may Include files that the service does not return.
  return described.ok() ? *std::move(described) : v1::ClusterDescription();
}

absl::StatusOr<std::optional<v1::PlannedStart>> StartOf(const SubmitCheckOptions& options,
                                                        const v1::InlineJobs& jobs,
                                                        const client::PriorityClient& client) {
  absl::StatusOr<v1::ClusterDescription> described = Nodes(options, client);
  if (!described.ok()) return described.status();
  if (described->node_types().empty()) return std::nullopt;
  v1::PlanStartsRequest request;
  *request.mutable_jobs() = jobs;
  *request.mutable_description() = *std::move(described);
  request.add_job_ids(kCheckedJob);
  absl::StatusOr<v1::PlanStartsResponse> plan = client.PlanStarts(std::move(request));
  if (!plan.ok()) return plan.status();
  if (plan->starts().empty()) return std::nullopt;
  return std::move(*plan->mutable_starts(0));
}

absl::StatusOr<SubmitCheck> Check(const SubmitCheckOptions& options, const v1::Job& job,
                                  const client::PriorityClient& client) {
  SubmitCheck check;
  v1::EstimateJobCostRequest priced;
  *priced.mutable_jobs()->add_jobs() = job;
  absl::StatusOr<v1::EstimateJobCostResponse> cost = client.EstimateJobCost(std::move(priced));
  if (!cost.ok()) return cost.status();
  check.cost = *std::move(cost);
  const absl::StatusOr<v1::InlineJobs> jobs = QueueWith(job, client);
  if (!jobs.ok()) return jobs.status();
  v1::ExplainPriorityRequest explained;
  *explained.mutable_jobs() = *jobs;
  explained.set_job_id(kCheckedJob);
  absl::StatusOr<v1::ExplainPriorityResponse> why = client.ExplainPriority(explained);
  if (!why.ok()) return why.status();
  check.explanation = *std::move(why);
  auto start = StartOf(options, *jobs, client);
  if (!start.ok()) return start.status();
  check.start = *std::move(start);
  return check;
}

std::string TresText(const v1::Job& job) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : job.tres()) {
    texts.push_back(absl::StrCat(name, "=", NumberText(count)));
  }
  std::sort(texts.begin(), texts.end());
  return texts.empty() ? "" : absl::StrCat(", ", absl::StrJoin(texts, ", "));
}

void PrintJob(const v1::Job& job, const v1::ExplainPriorityResponse& why, std::ostream& out) {
  out << "job of " << why.user() << " (account " << why.account() << "), partition "
      << why.partition();
  if (!why.qos().empty()) out << ", QOS " << why.qos();
  out << ": " << NumberText(job.cpus()) << (job.cpus() == 1 ? " CPU on " : " CPUs on ")
      << CountedText(job.nodes(), "node") << TresText(job);
  if (job.has_time_limit()) out << ", " << DurationText(job.time_limit());
  if (!job.array_task_ids().empty()) out << ", array " << job.array_task_ids();
  out << '\n';
}

void PrintCosts(const v1::EstimateJobCostResponse& response, std::ostream& out) {
  out << "\ncost\n";
  for (const v1::JobCost& cost : response.costs()) {
    out << "  in partition " << cost.partition();
    if (!cost.qos().empty()) out << ", QOS " << cost.qos();
    out << ": billing " << NumberText(cost.billing().billing()) << ", "
        << NumberText(cost.billing().usage_per_second()) << " of usage per second\n";
    for (const std::string& sentence : cost.sentences()) out << "  " << sentence << '\n';
  }
}

void PrintPlace(const SubmitCheck& check, std::ostream& out) {
  const v1::ExplainPriorityResponse& why = check.explanation;
  out << "\nqueue\n  priority " << (why.has_priority() ? absl::StrCat(why.priority()) : "unset");
  if (why.rank() > 0) out << ", rank " << why.rank() << " of " << why.ranked_total();
  out << '\n';
  if (!why.ineligible_reason().empty()) {
    out << "  waits: " << why.ineligible_reason() << ": " << SentenceText(why.ineligible_message())
        << '\n';
  }
  for (const std::string& sentence : why.sentences()) out << "  " << SentenceText(sentence) << '\n';
  if (check.start.has_value()) {
    const v1::PlannedStart& start = *check.start;
    out << "\nstart\n  " << SentenceText(start.message()) << '\n';
    if (start.has_expected_start() && !start.starts_now()) {
      out << "  expected start " << TimeText(start.expected_start()) << '\n';
    }
  }
}

// One line: {"job":..., "warnings":[...], "cost":..., "explanation":..., "start":...}.
void PrintAsJson(const script::BatchScript& script, const SubmitCheck& check, std::ostream& out) {
  google::protobuf::ListValue warnings;
  for (const std::string& warning : script.warnings) {
    warnings.add_values()->set_string_value(warning);
  }
  out << "{\"job\":" << ToJson(script.job) << ",\"warnings\":" << ToJson(warnings)
      << ",\"cost\":" << ToJson(check.cost) << ",\"explanation\":" << ToJson(check.explanation);
  if (check.start.has_value()) out << ",\"start\":" << ToJson(*check.start);
  out << "}\n";
}

absl::Status Run(const SubmitCheckOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<std::string> content = ReadFile(options.file);
  if (!content.ok()) return content.status();
  const absl::Time now = absl::Now();
  auto script = script::ReadBatchScript(options.file, *content, now, absl::LocalTimeZone());
  if (!script.ok()) return script.status();
  v1::Job& job = script->job;
  job.set_job_id(kCheckedJob);
  job.set_user(options.user.empty() ? CallingUser() : options.user);
  *job.mutable_submit_time() = ToTimestamp(now);
  const absl::StatusOr<SubmitCheck> check = Check(options, job, client);
  if (!check.ok()) return check.status();
  if (options.json) {
    PrintAsJson(*script, *check, console.out);
    return absl::OkStatus();
  }
  for (const std::string& warning : script->warnings) {
    console.err << "warning: " << warning << '\n';
  }
  PrintJob(job, check->explanation, console.out);
  PrintCosts(check->cost, console.out);
  PrintPlace(*check, console.out);
  console.out << '\n' << SnapshotText(check->explanation.snapshot()) << '\n';
  return absl::OkStatus();
}

void AddSubmitCheckOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<SubmitCheckOptions>(app, line, Run);
  app->add_option("FILE", options->file, "A batch script with #SBATCH lines; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("-u,--user", options->user, "The user who would submit it; default you")
      ->type_name("USER");
  AddNodes(app, options->nodes);
  AddJson(app, options->json);
}

}  // namespace

const Command kSubmitCheckCommand = {
    "submit-check",
    "What a batch script would cost, which limits hold it back, its place and its start; submits "
    "nothing",
    AddSubmitCheckOptions};

}  // namespace priorityd::prioctl
