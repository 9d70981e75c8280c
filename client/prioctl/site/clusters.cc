#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/cluster_move.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

// `prioctl cluster list [NAME...]` and `cluster show NAME`
struct ClusterListOptions {
  std::vector<std::string> names;
  bool deleted = false;
  bool must_be_there = false;
  bool json = false;
};

// `prioctl cluster delete NAME`
struct ClusterDeleteOptions {
  std::string name;
  bool purge = false;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

// `prioctl cluster restore NAME`
struct ClusterRestoreOptions {
  std::string name;
  bool validate_only = false;
  bool json = false;
};

// `prioctl cluster add|modify NAME`
struct ClusterOptions {
  std::string name;
  std::optional<uint32_t> nodes;
  std::optional<double> cpus;
  std::optional<std::map<std::string, double>> tres;
  bool add = false;  // create it if it does not exist
  bool validate_only = false;
  bool json = false;
};

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
  return absl::StrCat(CountedText(gone.associations(), "association"), ", ",
                      CountedText(gone.jobs(), "tracked job"), ", ",
                      CountedText(gone.records(), "usage record"));
}

// Says what would be gone, and asks.
absl::Status AskToDelete(const ClusterDeleteOptions& options, DeleteClusterRequest request,
                         const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const absl::StatusOr<DeleteClusterResponse> gone = client.DeleteCluster(std::move(request));
  if (!gone.ok()) return gone.status();
  return Ask(
      absl::StrCat("Delete cluster ", options.name, " with all that it has (", GoneText(*gone),
                   ")? ", options.purge ? "It cannot be undone." : "It can be restored for a day."),
      options.yes, console);
}

absl::Status Run(const ClusterListOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ListClustersRequest request;
  for (const std::string& name : options.names) request.add_names(name);
  request.set_deleted(options.deleted);
  const absl::StatusOr<ListClustersResponse> list = client.ListClusters(std::move(request));
  if (!list.ok()) return list.status();
  if (options.must_be_there && list->clusters().empty()) {
    return absl::NotFoundError(absl::StrCat("cluster: got \"", absl::StrJoin(options.names, ","),
                                            "\", want one of those that `cluster list` prints"));
  }
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"CLUSTER"},
               {"NODES", true},
               {"CPUS", true},
               {"TRES"},
               {options.deleted ? "RESTORABLE UNTIL" : "LEDGER FROM"}});
  for (const Cluster& cluster : list->clusters()) {
    const std::string from =
        cluster.has_ledger_horizon() ? TimeText(cluster.ledger_horizon()) : "ever";
    table.AddRow({cluster.name(), absl::StrCat(cluster.nodes()), NumberText(cluster.cpus()),
                  TresText(cluster),
                  options.deleted ? TimeText(cluster.restorable_until()) : from});
  }
  table.Print(console.out);
  if (table.empty()) console.out << (options.deleted ? "no deleted clusters\n" : "no clusters\n");
  return absl::OkStatus();
}

absl::Status Run(const ClusterDeleteOptions& options, const client::PriorityClient& client,
                 Console& console) {
  DeleteClusterRequest request;
  request.set_name(options.name);
  request.set_validate_only(options.validate_only);
  request.set_purge(options.purge);
  if (!options.validate_only && !options.yes) {
    absl::Status asked = AskToDelete(options, request, client, console);
    if (!asked.ok()) return asked;
  }
  const absl::StatusOr<DeleteClusterResponse> gone = client.DeleteCluster(std::move(request));
  if (!gone.ok()) return gone.status();
  if (options.json) return PrintJson(*gone, console.out);
  console.out << (options.validate_only ? "would delete cluster " : "deleted cluster ")
              << options.name << ": " << GoneText(*gone) << '\n';
  if (gone->has_restorable_until()) {
    console.out << "until " << TimeText(gone->restorable_until()) << ", `prioctl cluster restore "
                << options.name << "` restores it\n";
  }
  return absl::OkStatus();
}

absl::Status Run(const ClusterRestoreOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::RestoreClusterRequest request;
  request.set_name(options.name);
  request.set_validate_only(options.validate_only);
  const absl::StatusOr<Cluster> cluster = client.RestoreCluster(std::move(request));
  if (!cluster.ok()) return cluster.status();
  if (options.json) return PrintJson(*cluster, console.out);
  console.out << (options.validate_only ? "valid: would restore cluster " : "restored cluster ")
              << cluster->name() << '\n';
  return absl::OkStatus();
}

std::string TresText(const google::protobuf::Map<std::string, double>& tres) {
  std::vector<std::string> texts;
  for (const auto& [name, count] : tres)
    texts.push_back(absl::StrCat(name, "=", NumberText(count)));
  std::sort(texts.begin(), texts.end());
  return absl::StrJoin(texts, ",");
}

::priority::v1::UpdateClusterRequest MakeRequest(const ClusterOptions& options) {
  ::priority::v1::UpdateClusterRequest request;
  Cluster& cluster = *request.mutable_cluster();
  cluster.set_name(options.name);
  if (options.nodes.has_value()) {
    cluster.set_nodes(*options.nodes);
    request.mutable_update_mask()->add_paths("nodes");
  }
  if (options.cpus.has_value()) {
    cluster.set_cpus(*options.cpus);
    request.mutable_update_mask()->add_paths("cpus");
  }
  if (options.tres.has_value()) {
    cluster.mutable_tres()->insert(options.tres->begin(), options.tres->end());
    request.mutable_update_mask()->add_paths("tres");
  }
  request.set_allow_missing(options.add);
  request.set_validate_only(options.validate_only);
  return request;
}

absl::Status Run(const ClusterOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const absl::StatusOr<Cluster> cluster = client.UpdateCluster(MakeRequest(options));
  if (!cluster.ok()) return cluster.status();
  if (options.json) return PrintJson(*cluster, console.out);
  console.out << (options.validate_only ? "valid: " : "") << "cluster " << cluster->name() << ": "
              << cluster->nodes() << " nodes, " << NumberText(cluster->cpus()) << " cpus";
  if (!cluster->tres().empty()) console.out << ", tres " << TresText(cluster->tres());
  console.out << '\n';
  return absl::OkStatus();
}

std::map<std::string, double> ParseTres(const std::string& text) {
  std::map<std::string, double> tres;
  for (const absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
    double count = 0;
    if (parts.size() != 2 || parts[0].empty() || !absl::SimpleAtod(parts[1], &count) ||
        !std::isfinite(count) || count < 0) {
      throw CLI::ValidationError(
          "--tres", absl::StrCat("got \"", item, "\", want name=count, such as gres/gpu=16"));
    }
    tres[std::string(parts[0])] = count;
  }
  return tres;
}

void AddClusterListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ClusterListOptions>(app, line, Run);
  app->add_flag("--deleted", options->deleted, "The deleted ones that can be restored");
  AddJson(app, options->json);
}

void AddClusterShowOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ClusterListOptions>(app, line, Run);
  options->must_be_there = true;
  AddClusterName(app, line, "NAME", options->names.emplace_back(), "The cluster")->required();
  AddJson(app, options->json);
}

void AddClusterDeleteOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ClusterDeleteOptions>(app, line, Run);
  AddClusterName(app, line, "NAME", options->name, "The cluster")->required();
  app->add_flag("-y,--yes", options->yes, "Do not ask before changes that cannot be undone");
  app->add_flag("--purge", options->purge, "Delete its rows now: it cannot be restored");
  app->add_flag("--validate-only", options->validate_only, "Show what would be deleted");
  AddJson(app, options->json);
}

void AddClusterRestoreOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ClusterRestoreOptions>(app, line, Run);
  AddClusterName(app, line, "NAME", options->name, "Name of the deleted cluster")->required();
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

// Of add, which creates a cluster that is not there, and of modify.
void AddSettingOptions(CLI::App* app, CommandLine& line, bool add) {
  auto options = Adopt<ClusterOptions>(app, line, Run);
  options->add = add;
  AddClusterName(app, line, "NAME", options->name, "The cluster")->required();
  app->add_option("--nodes", options->nodes, "Nodes, those that are down included")->type_name("N");
  app->add_option("--cpus", options->cpus, "CPUs of all nodes")
      ->check(NotNegative())
      ->type_name("N");
  app->add_option_function<std::string>(
         "--tres", [options](const std::string& text) { options->tres = ParseTres(text); },
         "Totals, for example mem=768000,gres/gpu=16 (mem in MB)")
      ->type_name("NAME=COUNT,...");
  AddValidateOnly(app, options->validate_only);
  AddJson(app, options->json);
}

void AddClusterAddOptions(CLI::App* app, CommandLine& line) {
  AddSettingOptions(app, line, /*add=*/true);
}

void AddClusterModifyOptions(CLI::App* app, CommandLine& line) {
  AddSettingOptions(app, line, /*add=*/false);
}

constexpr Command kClusterCommands[] = {
    {"list", "List the clusters", AddClusterListOptions},
    {"show", "Show the nodes and TRES of a cluster", AddClusterShowOptions},
    {"delete", "Delete a cluster with its tree, policy, queue, usage and ledger",
     AddClusterDeleteOptions},
    {"restore", "Restore a cluster that was deleted less than a day ago", AddClusterRestoreOptions},
    {"add", "Create a cluster, or set its nodes and TRES", AddClusterAddOptions},
    {"modify", "Set the nodes and TRES of a cluster", AddClusterModifyOptions},
    {"move", "Move a cluster to another cell while it is used", AddClusterMoveOptions},
};

void AddClusterGroup(CLI::App* app, CommandLine& line) { AddCommands(kClusterCommands, app, line); }

}  // namespace

const Command kClusterCommand = {
    "cluster", "Clusters, and their nodes and TRES where slurm.conf has no NodeName lines",
    AddClusterGroup};

}  // namespace priorityd::prioctl
