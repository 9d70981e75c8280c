#include "server/api/plans/validate_plan.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/hostlist.h"
#include "server/api/plans/convert_plan.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMaxNodeTypes = 1000;
constexpr int kMaxResources = 64;  // Distinct ones of all node types.
constexpr double kMaxCount = 1e12;

// The description of a cluster.
class DescriptionCheck {
 public:
  DescriptionCheck(const v1::ClusterDescription& description, RequestViolations* violations)
      : description_(description), violations_(*violations) {}

  void Run() {
    const int types = description_.node_types_size();
    violations_.CheckCount("description.node_types", types, kMaxNodeTypes);
    for (int i = 0; i < std::min(types, kMaxNodeTypes); ++i) CheckType(i);
    violations_.CheckCount("description.node_types.tres", static_cast<int>(resources_.size()),
                           kMaxResources);
    CheckCaps();
    for (const auto& [name, count] : description_.licenses()) CheckLicense(name, count);
    violations_.CheckCount("description.licenses", static_cast<int>(description_.licenses_size()),
                           kMaxNodeTypes);
  }

 private:
  void CheckType(int i) {
    const v1::NodeType& type = description_.node_types(i);
    const std::string field = absl::StrCat("description.node_types[", i, "]");
    violations_.CheckText(field + ".name", type.name(), errors::kMaxNameBytes);
    if (type.name().empty()) violations_.Add(field + ".name", "got none, want a name");
    if (!types_.insert(type.name()).second) {
      violations_.Add(field + ".name", "got a name twice, want it once");
    }
    violations_.CheckText(field + ".hosts", type.hosts(), errors::kMaxExpressionBytes);
    violations_.CheckTexts(field + ".partitions", type.partitions());
    CheckNodes(field, type);
    for (const auto& [name, count] : type.tres()) CheckTres(field + ".tres", name, count);
  }

  void CheckNodes(const std::string& field, const v1::NodeType& type) {
    int64_t nodes = type.nodes();
    if (!type.hosts().empty()) {
      const auto hosts = slurm::CountHosts(type.hosts());
      if (!hosts.ok()) {
        return violations_.Add(field + ".hosts", std::string(hosts.status().message()));
      }
      if (nodes != 0 && nodes != *hosts) {
        return violations_.Add(field + ".nodes", absl::StrCat("got ", nodes, " with ", *hosts,
                                                              " hosts, want the two to agree"));
      }
      nodes = *hosts;
    }
    if (nodes_ <= kMaxPlannedNodes && nodes_ + nodes > kMaxPlannedNodes) {
      violations_.Add(field + ".nodes", absl::StrCat("got more than ", kMaxPlannedNodes,
                                                     " nodes of all types, want at most as many"));
    }
    nodes_ = std::min<int64_t>(nodes_ + nodes, kMaxPlannedNodes + 1);
    const bool bounded = nodes_ <= kMaxPlannedNodes && type.name().size() <= errors::kMaxNameBytes;
    if (bounded) CheckEachNodeOnce(field, type);
  }

  // As slurm.conf's NodeName lines. Adds the first node that is named before.
  void CheckEachNodeOnce(const std::string& field, const v1::NodeType& type) {
    std::vector<std::string> names = NodeNames(type);
    for (std::string& name : names) {
      const auto [node, is_new] = names_.insert(std::move(name));
      if (is_new) continue;
      return violations_.Add(
          field + ".hosts",
          absl::StrCat("got node \"", absl::Utf8SafeCEscape(*node), "\" twice, want it once"));
    }
  }

  // The TRES's canonical name; if it is invalid, adds a violation and returns an empty one.
  std::string CheckTres(const std::string& where, const std::string& name, double count) {
    const std::string field =
        absl::StrCat(where, "[\"", absl::CHexEscape(name.substr(0, errors::kShownBytes)), "\"]");
    violations_.CheckText(field, name);
    auto canonical = priority::CanonicalTresName(name);
    if (!canonical.ok()) {
      violations_.Add(field, "got an unknown type, want cpu, mem, gres/NAME, license/NAME, ...");
      return "";
    }
    if (!priority::FitsTresList(name)) violations_.Add(field, priority::kUnfitTresName);
    if (!(count >= 0 && count <= kMaxCount)) {
      violations_.Add(field, absl::StrCat("got ", count, ", want 0 to ", kMaxCount));
    }
    resources_.insert(*canonical);
    return *std::move(canonical);
  }

  void CheckLicense(const std::string& name, double count) {
    const std::string license = CheckTres("description.licenses", name, count);
    resources_.erase(license);
    if (license.empty() || absl::StartsWith(license, "license/")) return;
    violations_.Add(absl::StrCat("description.licenses[\"", license, "\"]"),
                    "got another TRES, want license/NAME");
  }

  void CheckCaps() {
    violations_.CheckCount("description.partition_caps", description_.partition_caps_size(),
                           kMaxNodeTypes);
    absl::flat_hash_set<std::string> partitions;
    for (int i = 0; i < std::min(description_.partition_caps_size(), kMaxNodeTypes); ++i) {
      const std::string& partition = description_.partition_caps(i).partition();
      const std::string field = absl::StrCat("description.partition_caps[", i, "].partition");
      violations_.CheckText(field, partition, errors::kMaxNameBytes);
      if (partition.empty()) violations_.Add(field, "got none, want a partition");
      if (!partitions.insert(partition).second) {
        violations_.Add(field, "got a partition twice, want it once");
      }
    }
  }

  const v1::ClusterDescription& description_;
  RequestViolations& violations_;
  absl::flat_hash_set<std::string> types_;
  absl::flat_hash_set<std::string> names_;  // Of the nodes.
  absl::flat_hash_set<std::string> resources_;
  int64_t nodes_ = 0;
};

// The common fields of both requests.
template <typename Request>
void CheckPlanning(const Request& request, const RequestLimits& limits,
                   RequestViolations* violations) {
  violations->CheckClusterName("cluster", request.cluster());
  if (request.source_case() == Request::SOURCE_NOT_SET) {
    violations->Add("source", "got none, want jobs or tracked");
  }
  violations->CheckInlineJobs(request.jobs(), limits.max_jobs);
  if (request.has_as_of()) violations->CheckTime("as_of", request.as_of());
  DescriptionCheck(request.description(), violations).Run();
  violations->CheckCount("placements", request.placements_size(), limits.max_jobs);
  int nodes = 0;
  for (int i = 0; i < std::min(request.placements_size(), limits.max_jobs); ++i) {
    const v1::JobPlacement& placement = request.placements(i);
    const std::string field = absl::StrCat("placements[", i, "]");
    violations->CheckText(field + ".job_id", placement.job_id());
    violations->CheckTexts(field + ".node_types", placement.node_types());
    nodes = std::min(nodes + placement.nodes_size(), 10 * kMaxPlannedNodes + 1);
  }
  violations->CheckCount("placements.nodes", nodes, 10 * kMaxPlannedNodes);
}

}  // namespace

absl::Status Validate(const v1::PlanStartsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  CheckPlanning(request, limits, &violations);
  if (!v1::Backfill_IsValid(request.backfill())) {
    violations.Add("backfill", absl::StrCat("got ", request.backfill(), ", want one of Backfill"));
  }
  if (request.bf_max_job_test() > kMaxJobTest) {
    violations.Add("bf_max_job_test",
                   absl::StrCat("got ", request.bf_max_job_test(), ", want at most ", kMaxJobTest));
  }
  if (request.has_bf_window()) {
    violations.CheckDuration("bf_window", request.bf_window(), kLeastWindow, kMostWindow);
  }
  violations.CheckTexts("job_ids", request.job_ids());
  return violations.ToStatus();
}

absl::Status Validate(const v1::SuggestPreemptionRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  CheckPlanning(request, limits, &violations);
  violations.CheckText("job_id", request.job_id());
  if (request.job_id().empty()) violations.Add("job_id", "got none, want the waiting job's");
  if (request.has_preempt_exempt_time()) {
    violations.CheckDuration("preempt_exempt_time", request.preempt_exempt_time(),
                             absl::ZeroDuration(), kMostWindow);
  }
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
