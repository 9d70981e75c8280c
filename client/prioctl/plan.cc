#include "client/prioctl/plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/jobs_file.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/nodes_file.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

// What both requests begin with.
template <typename Request>
absl::Status Describe(const std::string& queue, const DescribedNodes& nodes,
                      const std::optional<absl::Time>& as_of, Request* request) {
  if (absl::Status s = SetQueue(queue, request); !s.ok()) return s;
  absl::StatusOr<v1::ClusterDescription> description = ReadNodes(nodes.file);
  if (!description.ok()) return description.status();
  *request->mutable_description() = *std::move(description);
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
  if (plan.starts_size() == 1) out << '\n' << plan.starts(0).message() << '\n';
  if (plan.not_looked_at() > 0) {
    out << '\n' << CountedText(plan.not_looked_at(), "more job") << " not looked at (--max-jobs)\n";
  }
  if (plan.running_without_nodes() > 0) {
    out << '\n'
        << CountedText(plan.running_without_nodes(), "running job")
        << " found no room on these nodes\n";
  }
  out << "\nas of " << TimeText(plan.as_of()) << "; " << SnapshotText(plan.snapshot()) << '\n';
}

void Print(const v1::SuggestPreemptionResponse& suggestion, std::ostream& out) {
  out << suggestion.message() << '\n';
  if (suggestion.victims_size() > 0) {
    out << '\n';
    Table table(
        {{"JOBID"}, {"USER"}, {"ACCOUNT"}, {"PARTITION"}, {"QOS"}, {"PRIORITY", true}, {"MODE"}});
    for (const v1::PreemptionVictim& victim : suggestion.victims()) {
      table.AddRow({victim.job_id(), victim.user(), victim.account(), victim.partition(),
                    victim.qos(), victim.has_priority() ? absl::StrCat(victim.priority()) : "-",
                    victim.mode()});
    }
    table.Print(out);
  }
  if (suggestion.possible() && !suggestion.fewest()) out << "\nFewer might do.\n";
  out << "\nas of " << TimeText(suggestion.as_of()) << "; " << SnapshotText(suggestion.snapshot())
      << '\n';
}

}  // namespace

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
  const auto suggestion = client.SuggestPreemption(std::move(request));
  if (!suggestion.ok()) return suggestion.status();
  if (options.json) return PrintJson(*suggestion, console.out);
  Print(*suggestion, console.out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
