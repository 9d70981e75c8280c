#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Cluster;
using ::priority::v1::ListClustersRequest;
using ::priority::v1::ListUsageSourcesRequest;
using ::priority::v1::ListUsageSourcesResponse;
using ::priority::v1::UsageSource;

// `prioctl usage sources`
struct UsageSourcesOptions {
  bool json = false;
};

// The cluster of the command line, or else all that the caller may see.
absl::StatusOr<std::vector<std::string>> ClustersOf(const client::PriorityClient& client) {
  if (!client.options().cluster.empty()) return std::vector<std::string>{client.options().cluster};
  const auto list = client.ListClusters(ListClustersRequest());
  // A collector may not list clusters: the service then has one, or asks for its name.
  if (absl::IsPermissionDenied(list.status())) return std::vector<std::string>{""};
  if (!list.ok()) return list.status();
  std::vector<std::string> names;
  for (const Cluster& cluster : list->clusters()) names.push_back(cluster.name());
  return names;
}

void AddRows(const ListUsageSourcesResponse& answer, Table& table) {
  for (const UsageSource& source : answer.sources()) {
    table.AddRow({answer.cluster(), source.source(), TimeText(source.last_end()),
                  source.last_job_id(), TimeText(source.last_recorded_at()),
                  answer.has_ledger_horizon() ? TimeText(answer.ledger_horizon()) : "ever"});
  }
}

absl::Status Run(const UsageSourcesOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const auto clusters = ClustersOf(client);
  if (!clusters.ok()) return clusters.status();
  bool is_empty = true;
  Table table({{"CLUSTER"}, {"SOURCE"}, {"LAST END"}, {"JOB"}, {"RECORDED"}, {"LEDGER FROM"}});
  for (const std::string& cluster : *clusters) {
    ListUsageSourcesRequest request;
    request.set_cluster(cluster);
    const auto answer = client.ListAllUsageSources(std::move(request));
    if (!answer.ok()) return answer.status();
    is_empty &= answer->sources().empty();
    if (!options.json) {
      AddRows(*answer, table);
    } else if (absl::Status s = PrintJson(*answer, console.out); !s.ok()) {
      return s;
    }
  }
  if (options.json) return absl::OkStatus();
  if (is_empty) {
    console.out << "no sources have recorded usage\n";
  } else {
    table.Print(console.out);
  }
  return absl::OkStatus();
}

void AddUsageSourcesOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<UsageSourcesOptions>(app, line, Run);
  AddJson(app, options->json);
}

}  // namespace

const Command kUsageSourcesCommand = {
    "sources", "Until when each source has recorded: what ended later must be sent again",
    AddUsageSourcesOptions};

}  // namespace priorityd::prioctl
