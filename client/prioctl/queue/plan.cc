#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/jobs_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/nodes_file.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::prioctl {
namespace {

// The description of the nodes, from files and options.
struct DescribedNodes {
  std::string file;  // --nodes; empty = the nodes of the policy
  std::vector<::priority::v1::PartitionCap> caps;
};

// `prioctl plan [JOBID...]`
struct PlanOptions {
  std::vector<std::string> job_ids;  // none = all
  std::string queue;                 // `-` = standard input; empty = the tracked queue
  DescribedNodes nodes;
  // Each unset = as in the policy.
  ::priority::v1::Backfill backfill = ::priority::v1::BACKFILL_UNSPECIFIED;
  uint32_t max_jobs = 0;
  std::optional<absl::Duration> window;
  std::optional<absl::Time> as_of;
  bool json = false;
};

// `prioctl preempt JOBID`
struct PreemptOptions {
  std::string job_id;
  std::string queue;  // as above
  DescribedNodes nodes;
  std::optional<uint32_t> exempt_seconds;  // Unset = as configured.
  bool whole_nodes = false;
  std::optional<absl::Time> as_of;
  bool json = false;
};

namespace v1 = ::priority::v1;

// The common fields of both requests.
template <typename Request>
absl::Status Describe(const std::string& queue, const DescribedNodes& nodes,
                      const std::optional<absl::Time>& as_of, Request* request) {
  if (absl::Status s = SetQueue(queue, request); !s.ok()) return s;
  if (!nodes.file.empty()) {
    absl::StatusOr<v1::ClusterDescription> description = ReadNodes(nodes.file);
    if (!description.ok()) return description.status();
    *request->mutable_description() = *std::move(description);
  }
  for (const v1::PartitionCap& cap : nodes.caps) {
    *request->mutable_description()->add_partition_caps() = cap;
  }
  if (as_of.has_value()) *request->mutable_as_of() = ToTimestamp(*as_of);
  return absl::OkStatus();
}

std::string StartText(const v1::PlannedStart& start) {
  if (start.starts_now()) return "now";
  return start.has_expected_start() ? TimeText(start.expected_start()) : "-";
}

std::string NoteText(const v1::PlannedStart& start) {
  if (start.backfilled()) return "backfilled";
  return start.reserved() ? "reserved" : "";
}

void Print(const v1::PlanStartsResponse& plan, std::ostream& out) {
  Table table({{"RANK", true},
               {"JOBID"},
               {"PARTITION"},
               {"START"},
               {"NODES"},
               {"REASON"},
               {"BEHIND"},
               {"NOTE"}});
  for (const v1::PlannedStart& start : plan.starts()) {
    table.AddRow({absl::StrCat(start.rank()), start.job_id(), start.partition(), StartText(start),
                  absl::StrJoin(start.nodes(), ","), start.reason(), start.behind_job_id(),
                  NoteText(start)});
  }
  table.Print(out);
  if (plan.starts_size() == 1) out << '\n' << SentenceText(plan.starts(0).message()) << '\n';
  if (plan.not_looked_at() > 0) {
    out << '\n'
        << CountedText(plan.not_looked_at(), "more job")
        << " not looked at (--max-jobs, bf_max_job_*)\n";
  }
  if (plan.running_without_nodes() > 0) {
    out << '\n'
        << CountedText(plan.running_without_nodes(), "running job")
        << " found no room on these nodes\n";
  }
  out << "\nas of " << TimeText(plan.as_of(), plan.has_as_of()) << "; "
      << SnapshotText(plan.snapshot()) << '\n';
}

void Print(const v1::SuggestPreemptionResponse& suggestion, std::ostream& out) {
  out << SentenceText(suggestion.message()) << '\n';
  if (suggestion.victims_size() > 0) {
    out << '\n';
    Table table({{"JOBID"},
                 {"USER"},
                 {"ACCOUNT"},
                 {"PARTITION"},
                 {"QOS"},
                 {"PRIORITY", true},
                 {"MODE"},
                 {"GRACE", true}});
    for (const v1::PreemptionVictim& victim : suggestion.victims()) {
      table.AddRow(
          {victim.job_id(), victim.user(), victim.account(), victim.partition(), victim.qos(),
           victim.has_priority() ? absl::StrCat(victim.priority()) : "-", victim.mode(),
           victim.grace_time().seconds() == 0 ? "-"
                                              : absl::StrCat(victim.grace_time().seconds(), "s")});
    }
    table.Print(out);
  }
  if (suggestion.possible() && !suggestion.fewest()) out << "\nFewer might do.\n";
  out << "\nas of " << TimeText(suggestion.as_of(), suggestion.has_as_of()) << "; "
      << SnapshotText(suggestion.snapshot()) << '\n';
}

// Of the IDs of the command line that the plan does not have.
void WarnOfMissing(const std::vector<std::string>& job_ids, const v1::PlanStartsResponse& plan,
                   std::ostream& err) {
  absl::flat_hash_set<absl::string_view> planned;
  for (const v1::PlannedStart& start : plan.starts()) planned.insert(start.job_id());
  for (const std::string& job_id : job_ids) {
    if (planned.contains(job_id)) continue;
    err << "warning: the plan has no job " << job_id
        << ": it is not pending, it cannot start (prioctl explain), or it is not one of the jobs "
           "looked at";
    const std::vector<std::string> task = absl::StrSplit(job_id, '_');
    if (task.size() > 1) err << "; pending tasks of an array are planned as job " << task[0];
    err << '\n';
  }
}

absl::Status Run(const PlanOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::PlanStartsRequest request;
  absl::Status described = Describe(options.queue, options.nodes, options.as_of, &request);
  if (!described.ok()) return described;
  request.set_backfill(options.backfill);
  request.set_bf_max_job_test(options.max_jobs);
  if (options.window.has_value()) {
    request.mutable_bf_window()->set_seconds(absl::ToInt64Seconds(*options.window));
  }
  request.mutable_job_ids()->Add(options.job_ids.begin(), options.job_ids.end());
  const auto plan = client.PlanStarts(std::move(request));
  if (!plan.ok()) return plan.status();
  WarnOfMissing(options.job_ids, *plan, console.err);
  if (options.json) return PrintJson(*plan, console.out);
  Print(*plan, console.out);
  return absl::OkStatus();
}

absl::Status Run(const PreemptOptions& options, const client::PriorityClient& client,
                 Console& console) {
  v1::SuggestPreemptionRequest request;
  absl::Status described = Describe(options.queue, options.nodes, options.as_of, &request);
  if (!described.ok()) return described;
  request.set_job_id(options.job_id);
  if (options.exempt_seconds.has_value()) {
    request.mutable_preempt_exempt_time()->set_seconds(*options.exempt_seconds);
  }
  request.set_whole_nodes(options.whole_nodes);
  const auto suggestion = client.SuggestPreemption(std::move(request));
  if (!suggestion.ok()) return suggestion.status();
  if (options.json) return PrintJson(*suggestion, console.out);
  Print(*suggestion, console.out);
  return absl::OkStatus();
}

::priority::v1::PartitionCap ParseCap(const std::string& text) {
  const std::vector<std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
  uint32_t nodes = 0;
  if (sides.size() != 2 || sides[0].empty() || !absl::SimpleAtoi(sides[1], &nodes)) {
    throw CLI::ValidationError("--cap", absl::StrCat("got \"", text, "\", want PARTITION=NODES"));
  }
  ::priority::v1::PartitionCap cap;
  cap.set_partition(sides[0]);
  cap.set_nodes(nodes);
  return cap;
}

// `options` lives as long as `app`.
void AddDescription(CLI::App* app, DescribedNodes& nodes) {
  AddNodes(app, nodes.file);
  app->add_option_function<std::vector<std::string>>(
         "--cap",
         [&nodes](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) nodes.caps.push_back(ParseCap(text));
         },
         "Jobs of the partition may hold so many nodes, instead of PartitionNodeCaps; may be "
         "given "
         "again")
      ->allow_extra_args(false)
      ->type_name("PARTITION=NODES");
}

void AddQueueOption(CLI::App* app, std::string& queue) {
  app->add_option("--queue", queue,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue")
      ->type_name("FILE");
}

void AddPlanOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PlanOptions>(app, line, Run);
  app->add_option("JOBID", options->job_ids, "Only these jobs; the plan is the same")
      ->type_name("");
  AddQueueOption(app, options->queue);
  AddDescription(app, options->nodes);
  app->add_option("--backfill", options->backfill,
                  "easy: no job delays the first waiting job; conservative: no job delays another; "
                  "none; default by SchedulerType of the policy")
      ->transform(OneOf({{"easy", ::priority::v1::BACKFILL_EASY},
                         {"conservative", ::priority::v1::BACKFILL_CONSERVATIVE},
                         {"none", ::priority::v1::BACKFILL_NONE}}))
      ->type_name("easy|conservative|none");
  app->add_option("--max-jobs", options->max_jobs,
                  "Look at so many jobs (bf_max_job_test); default by the policy")
      ->check(WholeNumber(1, 10'000))
      ->type_name("N");
  app->add_option_function<uint32_t>(
         "--window", [options](uint32_t minutes) { options->window = absl::Minutes(minutes); },
         "Plan so many minutes ahead (bf_window); default by the policy")
      ->check(WholeNumber(1, int64_t{366} * 24 * 60))
      ->type_name("MINUTES");
  AddAsOf(app, options->as_of, "Plan for this time, not for now");
  AddJson(app, options->json);
}

void AddPreemptOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<PreemptOptions>(app, line, Run);
  app->add_option("JOBID", options->job_id, "The waiting job")->required()->type_name("");
  AddQueueOption(app, options->queue);
  AddDescription(app, options->nodes);
  app->add_option("--exempt", options->exempt_seconds,
                  "Not jobs that have run for less, instead of PreemptExemptTime")
      ->type_name("SECONDS");
  app->add_flag("--whole-nodes", options->whole_nodes,
                "Preempt all jobs that it may on its nodes, as Slurm's backfill does");
  AddAsOf(app, options->as_of, "Ask for this time, not for now");
  AddJson(app, options->json);
}

}  // namespace

const Command kPlanCommand = {
    "plan", "When waiting jobs start, which may start now, and why the others must wait",
    AddPlanOptions};

const Command kPreemptCommand = {
    "preempt", "Which running jobs a waiting job would preempt; ends none", AddPreemptOptions};

}  // namespace priorityd::prioctl
