// `prioctl fleet status` and `prioctl fleet map`
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cluster_metadata.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/site/fleet.h"
#include "client/prioctl/text/connection_advice.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ClusterStatus;
using ::priority::v1::GetStatusResponse;
using ::priority::v1::StatusWarning;

constexpr int kFleetNeedsAction = 3;

struct FleetStatusOptions {
  FleetOptions fleet;
  bool json = false;
};
struct FleetMapOptions {
  FleetOptions fleet;
};

struct Reached {
  bool answers = false;
  GetStatusResponse status;  // Of one that does not answer: its address, and that as a warning.
};

struct CellStatus {
  FleetCell cell;
  std::vector<Reached> replicas;
};

void Warn(absl::string_view reason, const std::string& text, Reached* reached) {
  StatusWarning* warning = reached->status.add_warnings();
  warning->set_reason(std::string(reason));
  warning->set_text(text);
  warning->set_needs_action(true);
}

std::string TextOf(const std::string& address, const absl::Status& status) {
  const std::string text = client::Describe(status);
  const bool is_from_grpc = absl::IsUnavailable(status) && client::Reason(status).empty();
  return absl::StrCat(address, ": ", is_from_grpc ? ConnectionCause(text) : text);
}

CellStatus AskReplicas(const FleetCell& cell, const client::PriorityClient& client) {
  CellStatus status{cell, {}};
  for (const std::string& address : cell.addresses) {
    auto answer = ConnectTo(cell, client, /*patient=*/false, address)->GetStatus({});
    Reached reached{answer.ok(), answer.ok() ? *std::move(answer) : GetStatusResponse()};
    reached.status.set_address(address);
    const std::string& named = reached.status.cell();
    if (!named.empty() && named != cell.name) {
      Warn("CELL_DIFFERS", absl::StrCat(address, ": got cell ", named, ", want ", cell.name),
           &reached);
    }
    if (!reached.answers) {
      Warn("NO_ANSWER", TextOf(address, answer.status()), &reached);
    }
    status.replicas.push_back(std::move(reached));
  }
  return status;
}

// The replica whose view of the clusters counts: the leader, otherwise one that answers.
const GetStatusResponse* ViewOf(const CellStatus& cell) {
  const GetStatusResponse* view = nullptr;
  for (const Reached& replica : cell.replicas) {
    if (!replica.answers) continue;
    if (view == nullptr || replica.status.leader()) view = &replica.status;
  }
  return view;
}

std::string LeaderOf(const CellStatus& cell) {
  for (const Reached& replica : cell.replicas) {
    if (replica.status.leader()) return replica.status.address();
  }
  return "none";
}

// Each once, although every replica reports it.
std::vector<std::string> ProblemsOf(const CellStatus& cell) {
  std::vector<std::string> problems;
  for (const Reached& replica : cell.replicas) {
    for (const StatusWarning& warning : replica.status.warnings()) {
      if (!warning.needs_action()) continue;
      std::string problem = absl::StrCat(warning.reason(), ": ", warning.text());
      if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
        problems.push_back(std::move(problem));
      }
    }
  }
  return problems;
}

// A line for each cluster that several cells have.
std::vector<std::string> ClustersInSeveralCells(const std::vector<CellStatus>& cells) {
  std::map<std::string, std::vector<std::string>> places;
  for (const CellStatus& cell : cells) {
    const GetStatusResponse* view = ViewOf(cell);
    if (view == nullptr) continue;
    for (const ClusterStatus& cluster : view->clusters()) {
      places[cluster.cluster()].push_back(cell.cell.name);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [cluster, names] : places) {
    if (names.size() < 2) continue;
    lines.push_back(absl::StrCat(
        "CLUSTER_IN_TWO_CELLS: Cluster ", cluster, " is in cells ", absl::StrJoin(names, " and "),
        ", and calls reach one of them. If it is being moved, type `prioctl cluster move` again, "
        "otherwise delete the wrong one: prioctl --server ADDRESS cluster delete ",
        cluster));
  }
  return lines;
}

absl::Duration LateBy(const GetStatusResponse& view) {
  absl::Duration latest = absl::ZeroDuration();
  for (const ClusterStatus& cluster : view.clusters()) {
    latest = std::max(latest, absl::Seconds(cluster.late_by().seconds()) +
                                  absl::Nanoseconds(cluster.late_by().nanos()));
  }
  return absl::Trunc(latest, absl::Milliseconds(1));
}

std::vector<std::string> RowOf(const CellStatus& cell, size_t problems) {
  int64_t associations = 0;
  double records = 0;
  const GetStatusResponse* view = ViewOf(cell);
  for (const Reached& replica : cell.replicas) {
    records += replica.status.ingest().accepted_per_second();
  }
  const std::string addresses = absl::StrJoin(cell.cell.addresses, ",");
  if (view == nullptr) {
    return {cell.cell.name, addresses, "none", "?", "?", "?", "?", absl::StrCat(problems)};
  }
  for (const ClusterStatus& cluster : view->clusters()) associations += cluster.associations();
  return {cell.cell.name,
          addresses,
          LeaderOf(cell),
          CountText(view->clusters_size()),
          CountText(associations),
          absl::StrFormat("%.1f", records),
          absl::FormatDuration(LateBy(*view)),
          absl::StrCat(problems)};
}

// One line: {"cell":...,"replicas":[...]}.
std::string JsonOf(const CellStatus& cell) {
  const auto status = [](std::string* out, const Reached& replica) {
    absl::StrAppend(out, ToJson(replica.status));
  };
  return absl::StrCat("{\"cell\":\"", cell.cell.name, "\",\"replicas\":[",
                      absl::StrJoin(cell.replicas, ",", status), "]}");
}

absl::StatusOr<std::vector<CellStatus>> AskAll(const FleetOptions& options,
                                               const client::PriorityClient& client) {
  auto cells = ReadFleet(options);
  if (!cells.ok()) return cells.status();
  std::vector<CellStatus> all;
  for (const FleetCell& cell : *cells) all.push_back(AskReplicas(cell, client));
  return all;
}

absl::Status Run(const FleetStatusOptions& options, const client::PriorityClient& client,
                 Console& console) {
  auto cells = AskAll(options.fleet, client);
  if (!cells.ok()) return cells.status();
  Table table({{"CELL"},
               {"ADDRESS"},
               {"LEADER"},
               {"CLUSTERS", true},
               {"ASSOCIATIONS", true},
               {"RECORDS/S", true},
               {"LATE BY", true},
               {"PROBLEMS", true}});
  std::string problem_lines;
  for (const CellStatus& cell : *cells) {
    const std::vector<std::string> problems = ProblemsOf(cell);
    table.AddRow(RowOf(cell, problems.size()));
    for (const std::string& problem : problems) {
      absl::StrAppend(&problem_lines, "! ", cell.cell.name, ": ", problem, "\n");
    }
    if (options.json) console.out << JsonOf(cell) << '\n';
  }
  for (const std::string& problem : ClustersInSeveralCells(*cells)) {
    absl::StrAppend(&problem_lines, "! ", problem, "\n");
  }
  if (!problem_lines.empty()) console.exit_code = kFleetNeedsAction;
  if (options.json) return absl::OkStatus();
  table.Print(console.out);
  console.out << problem_lines;
  return absl::OkStatus();
}

// Lines of HAProxy's map. A cluster in two cells is an error: one of them is not the right one.
absl::Status Run(const FleetMapOptions& options, const client::PriorityClient& client,
                 Console& console) {
  auto cells = ReadFleet(options.fleet);
  if (!cells.ok()) return cells.status();
  std::map<std::string, std::string> map;
  for (const FleetCell& cell : *cells) {
    const auto connected = ConnectTo(cell, client);
    auto clusters = connected->ListClusters({});
    if (!clusters.ok()) return ErrorOfCell(cell.name, *connected, clusters.status());
    for (const auto& cluster : clusters->clusters()) {
      const auto [place, is_new] = map.emplace(client::ClusterValue(cluster.name()), cell.name);
      if (is_new) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("cluster ", cluster.name(), ": got it in cells ", place->second, " and ",
                       cell.name, ", want it in one; if it is being moved, retry"));
    }
  }
  for (const auto& [cluster, cell] : map) console.out << cluster << ' ' << cell << '\n';
  return absl::OkStatus();
}

void AddFleetStatusOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<FleetStatusOptions>(app, line, Run);
  AddFleet(app, options->fleet);
  AddJson(app, options->json);
}

void AddFleetMapOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<FleetMapOptions>(app, line, Run);
  AddFleet(app, options->fleet);
}

constexpr Command kFleetCommands[] = {
    {"status", "The state of each cell", AddFleetStatusOptions},
    {"map", "The map of clusters to cells, for HAProxy", AddFleetMapOptions},
};

void AddFleetGroup(CLI::App* app, CommandLine& line) { AddCommands(kFleetCommands, app, line); }

}  // namespace

const Command kFleetCommand = {"fleet", "Cells, among which clusters are spread", AddFleetGroup};

}  // namespace priorityd::prioctl
