#include "client/prioctl/slurm/sprio.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/command/environment.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/job_selection.h"
#include "client/prioctl/jobs/staleness.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/slurm/sprio_rows.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

constexpr int kFactorWidth = 10;
constexpr int kTresWidth = 20;

// A heading over a weight, both right-aligned and cut to the width.
struct Weight {
  std::string name;
  std::string value;
  int width = kFactorWidth;
};

std::vector<Weight> Weights(const ::priority::v1::PolicyParameters& parameters) {
  std::vector<Weight> weights = {{"PRIORITY", ""}, {"SITE", "1"}};
  const auto add = [&](const char* name, uint32_t weight) {
    if (weight != 0) weights.push_back({name, absl::StrCat(weight)});
  };
  add("AGE", parameters.weight_age());
  add("ASSOC", parameters.weight_assoc());
  add("FAIRSHARE", parameters.weight_fair_share());
  add("JOBSIZE", parameters.weight_job_size());
  add("PARTITION", parameters.weight_partition());
  add("QOS", parameters.weight_qos());
  if (!parameters.weight_tres().empty()) {
    weights.push_back({"TRES", parameters.weight_tres_text(), kTresWidth});
  }
  return weights;
}

// The job's own columns, then one per weight.
std::string Line(const std::string& job, const std::string& partition,
                 const std::vector<std::string>& columns) {
  return absl::StrFormat("%15s %-9s %s", job, partition, absl::StrJoin(columns, " "));
}

}  // namespace

void PrintWeights(const ::priority::v1::PolicyParameters& parameters, bool header,
                  std::ostream& out) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const Weight& weight : Weights(parameters)) {
    names.push_back(absl::StrFormat("%*.*s", weight.width, weight.width, weight.name));
    values.push_back(absl::StrFormat("%*.*s", weight.width, weight.width, weight.value));
  }
  if (header) out << Line("JOBID", "PARTITION", names) << '\n';
  out << Line("Weights", "", values) << '\n';
}

namespace {

// Keeps the rows of these jobs; empty = all.
template <typename Rows>
void KeepOnly(const std::vector<std::string>& jobs, Rows* rows) {
  if (jobs.empty()) return;
  const std::set<std::string> kept(jobs.begin(), jobs.end());
  rows->erase(std::remove_if(rows->begin(), rows->end(),
                             [&](const auto& row) { return kept.count(row.job_id()) == 0; }),
              rows->end());
}

void WarnOfUnlisted(const std::vector<std::string>& typed,
                    const ::priority::v1::RankJobsResponse& answer, std::ostream& err) {
  const auto is_listed = [&](const std::string& id) {
    const auto is_it = [&](const auto& row) { return row.job_id() == id; };
    return absl::c_any_of(answer.ranked(), is_it) || absl::c_any_of(answer.ineligible(), is_it) ||
           absl::c_any_of(answer.running(), is_it);
  };
  jobs::WarnOfUnlistedJobs(typed, is_listed, "48,49,50", err);
}

absl::Status Run(const SprioOptions& typed, const client::PriorityClient& client,
                 Console& console) {
  SprioOptions options = typed;
  if (!options.long_listing) SetFromEnvironment("SPRIO_FORMAT", &options.format);
  if (absl::Status checked = CheckOptions(options); !checked.ok()) return checked;
  const absl::StatusOr<::priority::v1::Policy> policy = client.GetPolicy({});
  if (!policy.ok()) return policy.status();
  if (options.weights && options.json) return PrintJson(policy->parameters(), console.out);
  if (options.weights) {
    PrintWeights(policy->parameters(), options.header, console.out);
    return absl::OkStatus();
  }
  ::priority::v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_view(::priority::v1::RANK_VIEW_FULL);
  if (!ListsRunningJobs(policy->parameters())) request.set_running_limit(0);
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  if (options.as_of.has_value()) *request.mutable_as_of() = ToTimestamp(*options.as_of);
  absl::StatusOr<::priority::v1::RankJobsResponse> answer = client.RankJobs(request);
  if (!answer.ok()) return answer.status();
  WarnOfUnlisted(options.jobs, *answer, console.err);
  if (options.json) {
    KeepOnly(options.jobs, answer->mutable_ranked());
    KeepOnly(options.jobs, answer->mutable_ineligible());
    KeepOnly(options.jobs, answer->mutable_running());
    return PrintJson(*answer, console.out);
  }
  jobs::WarnOfStaleness(answer->snapshot(), console.err);
  const std::vector<std::string> several = JobsOfSeveralRows(*answer);
  if (!several.empty()) {
    ::priority::v1::ListJobsRequest named;
    named.mutable_job_ids()->Add(several.begin(), several.end());
    const auto jobs = client.ListAllJobs(named);
    if (!jobs.ok()) return jobs.status();
    OrderAsNamed(*jobs, &*answer);
  }
  return PrintPriorities(*answer, policy->parameters(), options, console.out);
}

void AddSprioOptions(CLI::App* app, CommandLine& line) {
  AddToolOptions(app, "sprio");
  AddFederation(app);
  auto options = Adopt<SprioOptions>(app, line, Run);
  app->add_flag("-l,--long", options->long_listing, "All columns, the user too");
  app->add_flag("-n,--norm", options->normalized, "The factors, before the weights");
  app->add_flag("-w,--weights", options->weights, "Print the weight of each factor");
  app->add_option("-o,--format", options->format,
                  "Columns: %[.][SIZE]LETTER of AaBbFfJjPpQqTt (factors), SN, Yy, i o n r u; "
                  "default SPRIO_FORMAT of the environment")
      ->type_name("FORMAT");
  app->add_option("-S,--sort", options->sort, "Letters of --format, - before one to reverse it")
      ->type_name("KEYS");
  AddList(app, "-u,--user", options->users, "Only jobs of these users");
  AddList(app, "-j,--jobs", options->jobs, "Only these jobs");
  AddList(app, "-p,--partition", options->partitions, "Only rows of these partitions");
  app->add_flag_callback(
      "-h,--noheader", [options] { options->header = false; }, "Print no header");
  AddClusters(app, line);
  AddAsOf(app, options->as_of, "For this time, not for now");
  AddJson(app, options->json);
}

}  // namespace

const Command kSprioCommand = {
    "sprio", "The factors of the tracked jobs' priorities, as Slurm's sprio shows them",
    AddSprioOptions};

}  // namespace priorityd::prioctl
