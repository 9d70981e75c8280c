#include "server/api/plans/known_nodes.h"

#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/api/plans/validate_plan.h"
#include "server/api/policy/policy_versions.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// Patience for an answer of the database, which usually takes milliseconds.
constexpr std::chrono::seconds kPatience(1);
// Calls during this time get the last known nodes.
constexpr absl::Duration kPause = absl::Seconds(10);

// Null if there are none.
KnownNodes::Description Describe(const std::vector<slurm::NodeKind>& kinds,
                                 const priority::Cluster& cluster) {
  if (cluster.nodes > kMaxPlannedNodes) return nullptr;
  auto description = std::make_shared<v1::ClusterDescription>();
  for (const slurm::NodeKind& kind : kinds) {
    // A node in no partition runs nothing, nor does one that is DOWN, DRAIN or FAIL.
    if (kind.partitions.empty() || slurm::LineStateOf(kind.settings) != slurm::NodeLineState::kUp) {
      continue;
    }
    v1::NodeType& type = *description->add_node_types();
    type.set_name(absl::StrCat("type", description->node_types_size()));
    type.set_hosts(kind.hosts);
    for (const auto& [name, count] : kind.tres) (*type.mutable_tres())[name] = count;
    for (const std::string& partition : kind.partitions) type.add_partitions(partition);
  }
  if (description->node_types().empty()) return nullptr;
  for (const auto& [name, count] : cluster.tres) {
    if (absl::StartsWith(name, "license/")) (*description->mutable_licenses())[name] = count;
  }
  return description;
}

}  // namespace

KnownNodes::Description KnownNodes::Of(const std::shared_ptr<const priority::Snapshot>& snapshot) {
  if (snapshot->policy_version() == 0) return nullptr;
  const std::string& cluster = snapshot->cluster().name;
  std::shared_future<void> reading;
  {
    absl::MutexLock lock(&mutex_);
    Known& known = known_[cluster];
    if (known.IsOf(*snapshot) || is_late_ || clock_() < known.again_at) return known.description;
    if (!known.reading.valid()) known.reading = BeginToRead(snapshot, known);
    reading = known.reading;
  }
  reading.wait_for(kPatience);
  absl::MutexLock lock(&mutex_);
  Known& known = known_[cluster];
  is_late_ = is_late_ || known.reading.valid();
  return known.description;
}

std::shared_future<void> KnownNodes::BeginToRead(std::shared_ptr<const priority::Snapshot> snapshot,
                                                 const Known& known) {
  auto read = std::make_shared<std::promise<void>>();
  const std::string cluster = snapshot->cluster().name;
  reading_.Schedule(cluster, [this, read, known, cluster, snapshot = std::move(snapshot)] {
    absl::StatusOr<Known> now = Read(*snapshot, known);
    absl::MutexLock lock(&mutex_);
    known_[cluster] =
        now.ok() ? *std::move(now) : Known{.computed_at = {}, .again_at = clock_() + kPause};
    is_late_ = false;
    read->set_value();
  });
  return read->get_future().share();
}

absl::StatusOr<KnownNodes::Known> KnownNodes::Read(const priority::Snapshot& snapshot,
                                                   Known known) const {
  auto policy = ReadPolicy(*database_, snapshot.cluster().name, snapshot.policy_version());
  if (!policy.ok()) return policy.status();
  if (known.kinds == nullptr || known.files != policy->files) {
    std::vector<slurm::SourceFile> sources;
    for (const storage::PolicyFile& file : policy->files) {
      sources.push_back({file.name, file.content});
    }
    // An unreadable text has no nodes.
    auto kinds = slurm::ReadNodeKinds(sources);
    known.kinds = std::make_shared<const Kinds>(kinds.ok() ? *std::move(kinds) : Kinds());
    known.files = std::move(policy->files);
  }
  known.description = Describe(*known.kinds, snapshot.cluster());
  known.generation = snapshot.generation();
  known.computed_at = snapshot.computed_at();
  return known;
}

}  // namespace priorityd::rpc
