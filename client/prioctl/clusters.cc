#include "client/prioctl/clusters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/question.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Cluster;
using ::priority::v1::DeleteClusterRequest;
using ::priority::v1::DeleteClusterResponse;
using ::priority::v1::ListClustersRequest;
using ::priority::v1::ListClustersResponse;

std::string TresText(const Cluster& cluster) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : cluster.tres()) {
    texts.push_back(absl::StrCat(name, "=", NumberText(count)));
  }
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ",");
}

std::string GoneText(const DeleteClusterResponse& gone) {
  return absl::StrCat(CountText(gone.associations()), " associations, ", CountText(gone.jobs()),
                      " tracked jobs, ", CountText(gone.records()), " usage records");
}

// Says what would be gone, and asks.
absl::Status AskToDelete(const ClusterDeleteOptions& options, DeleteClusterRequest request,
                         const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const absl::StatusOr<DeleteClusterResponse> gone = client.DeleteCluster(std::move(request));
  if (!gone.ok()) return gone.status();
  return Ask(absl::StrCat("Delete cluster ", options.name, " with all that it has (",
                          GoneText(*gone), ")? It cannot be undone."),
             options.yes, console);
}

}  // namespace

absl::Status Run(const ClusterListOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ListClustersRequest request;
  for (const std::string& name : options.names) request.add_names(name);
  const absl::StatusOr<ListClustersResponse> list = client.ListClusters(std::move(request));
  if (!list.ok()) return list.status();
  if (options.must_be_there && list->clusters().empty()) {
    return absl::NotFoundError(absl::StrCat("cluster: got \"", absl::StrJoin(options.names, ","),
                                            "\", want one of those that `cluster list` tells"));
  }
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"CLUSTER"}, {"NODES", true}, {"CPUS", true}, {"TRES"}, {"LEDGER FROM"}});
  for (const Cluster& cluster : list->clusters()) {
    table.AddRow({cluster.name(), absl::StrCat(cluster.nodes()), NumberText(cluster.cpus()),
                  TresText(cluster),
                  cluster.has_ledger_horizon() ? TimeText(cluster.ledger_horizon()) : "ever"});
  }
  table.Print(console.out);
  return absl::OkStatus();
}

absl::Status Run(const ClusterDeleteOptions& options, const client::PriorityClient& client,
                 Console& console) {
  DeleteClusterRequest request;
  request.set_name(options.name);
  request.set_validate_only(options.validate_only);
  if (!options.validate_only && !options.yes) {
    absl::Status asked = AskToDelete(options, request, client, console);
    if (!asked.ok()) return asked;
  }
  const absl::StatusOr<DeleteClusterResponse> gone = client.DeleteCluster(std::move(request));
  if (!gone.ok()) return gone.status();
  if (options.json) return PrintJson(*gone, console.out);
  console.out << (options.validate_only ? "would delete cluster " : "deleted cluster ")
              << options.name << ": " << GoneText(*gone) << '\n';
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
