#include "client/prioctl/slurm/known_nodes.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/jobs/staleness.h"
#include "engine/slurm/conf/slurm_conf.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

absl::StatusOr<nodes::NodeLinesText> LinesOf(const std::vector<slurm::SourceFile>& files) {
  auto kinds = slurm::ReadNodeKinds(files);
  if (!kinds.ok()) return kinds.status();
  const auto conf = slurm::ParseAcceptedSlurmConf(files);
  if (!conf.ok()) return conf.status();
  nodes::NodeLinesText lines;
  lines.kinds = *std::move(kinds);
  for (const auto& partition : conf->partitions) lines.partitions.push_back(partition.name);
  return lines;
}

absl::StatusOr<nodes::NodeLinesText> LinesOfFile(const std::string& file) {
  auto files = ReadSlurmConf(file);
  if (!files.ok()) return files.status();
  std::vector<slurm::SourceFile> sources;
  for (v1::File& read : *files) {
    sources.push_back({read.name(), std::move(*read.mutable_content())});
  }
  return LinesOf(sources);
}

std::string ValueOf(const v1::PolicyParameters& parameters, const char* name) {
  for (const v1::PolicyParameter& parameter : parameters.all()) {
    if (parameter.name() == name) return parameter.value();
  }
  return "";
}

// Running and suspended jobs that the caller does not see.
absl::StatusOr<uint32_t> HiddenJobs(const client::PriorityClient& client) {
  v1::RankJobsRequest request;
  request.mutable_tracked();
  request.set_limit(1);
  const auto ranking = client.RankJobs(request);
  if (!ranking.ok()) return ranking.status();
  return ranking->running_others();
}

absl::StatusOr<v1::ListJobsResponse> RunningJobs(const client::PriorityClient& client) {
  v1::ListJobsRequest request;
  request.add_states(v1::JOB_STATE_RUNNING);
  request.add_states(v1::JOB_STATE_SUSPENDED);
  return client.ListAllJobs(request);
}

}  // namespace

absl::StatusOr<KnownNodes> ReadKnownNodes(const std::string& tool, const std::string& file,
                                          const client::PriorityClient& client, std::ostream& err) {
  const absl::StatusOr<v1::Policy> policy = client.GetPolicy({});
  if (!policy.ok()) return policy.status();
  auto lines = file.empty() ? LinesOf({{"policy", policy->text()}}) : LinesOfFile(file);
  if (!lines.ok() && !file.empty()) return lines.status();
  if (!lines.ok()) {
    err << tool << ": warning: " << lines.status().message()
        << "; nodes are counted, not named: --nodes FILE names them\n";
    lines = nodes::NodeLinesText();
  }
  const auto partitions = client.ListPartitions({});
  if (!partitions.ok()) return partitions.status();
  absl::StatusOr<v1::ListJobsResponse> jobs = RunningJobs(client);
  if (!jobs.ok()) return jobs.status();
  jobs::WarnOfStaleness(jobs->snapshot(), err);
  const bool may_hide = absl::StrContains(ValueOf(policy->parameters(), "PrivateData"), "jobs");
  const absl::StatusOr<uint32_t> hidden = may_hide ? HiddenJobs(client) : 0u;
  if (!hidden.ok()) return hidden.status();
  auto reservations = client.ListReservations({});
  if (absl::IsUnimplemented(reservations.status())) reservations.emplace();  // An older service.
  if (!reservations.ok()) return reservations.status();
  KnownNodes known;
  known.preempt_mode = ValueOf(policy->parameters(), "PreemptMode");
  known.cluster = nodes::BuildClusterNodes(*lines, partitions->partitions(), jobs->jobs(),
                                           *hidden > 0, reservations->reservations());
  const int without = known.cluster.jobs_without_nodes;
  if (*hidden > 0) {
    err << tool << ": warning: PrivateData hides " << *hidden
        << " running jobs: the state of nodes that may have them is unknown\n";
  } else if (without > 0) {
    err << tool << ": warning: " << without
        << (without == 1 ? " running job names" : " running jobs name")
        << " no nodes: the state of nodes that may have them is unknown\n";
  }
  return known;
}

}  // namespace priorityd::prioctl
