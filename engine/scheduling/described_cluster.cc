#include "engine/scheduling/described_cluster.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/numbers/number_text.h"
#include "engine/plan/parts.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/words/hostlist.h"

namespace priorityd::scheduling {
namespace {

// A node's amount of open_: more than the jobs that it can hold.
constexpr int64_t kOpen = int64_t{1} << 40;
constexpr char kGpus[] = "gres/gpu";
constexpr char kGpusOfAType[] = "gres/gpu:";

// TRES that are not resources of a node.
bool IsOfNodes(absl::string_view tres) {
  return tres == "cpu" || tres == "mem" || absl::StartsWith(tres, "gres/");
}

priority::TresMap Canonical(const priority::Job& job) {
  priority::TresMap counts;
  for (const auto& [name, count] : job.tres) {
    auto canonical = priority::CanonicalTresName(name);
    if (canonical.ok()) counts[*std::move(canonical)] = count;
  }
  return counts;
}

// GPUs of types are GPUs.
void CountGpus(priority::TresMap* tres) {
  double of_types = 0;
  for (const auto& [name, count] : *tres) {
    if (absl::StartsWith(name, kGpusOfAType)) of_types += count;
  }
  double& gpus = (*tres)[kGpus];
  gpus = std::max(gpus, of_types);
}

bool IsOfPartition(const NodeType& type, const std::string& partition) {
  return partition.empty() || type.partitions.empty() ||
         absl::c_linear_search(type.partitions, partition);
}

// The described nodes that a reservation has, and others.
std::vector<std::string> NodesOf(const priority::Reservation& reservation,
                                 const ClusterDescription& description) {
  if (reservation.nodes != "ALL") {
    return slurm::ExpandHostlist(reservation.nodes).value_or(std::vector<std::string>());
  }
  std::vector<std::string> nodes;
  for (const NodeType& type : description.node_types) {
    if (!IsOfPartition(type, reservation.partition)) continue;
    nodes.insert(nodes.end(), type.nodes.begin(), type.nodes.end());
  }
  return nodes;
}

// The described TRES of a node.
priority::TresMap TresOf(const NodeType& type) {
  priority::TresMap tres = type.tres;
  CountGpus(&tres);
  return tres;
}

std::string Amount(int64_t amount, double parts) {
  return numbers::NumberText(static_cast<double>(amount) / parts);
}

}  // namespace

absl::StatusOr<DescribedCluster> DescribedCluster::Make(const priority::Snapshot& snapshot,
                                                        const ClusterDescription& description,
                                                        absl::Span<const JobPlacement> placements) {
  DescribedCluster described(snapshot);
  described.types_of_partition_.resize(snapshot.partitions().size());
  described.AddReservations(description);
  described.AddResources(description);
  for (const NodeType& type : description.node_types) described.AddType(type);
  described.AddPools(description);
  for (size_t i = 0; i < placements.size(); ++i) {
    absl::Status added = described.AddPlacement(absl::StrCat("placements[", i, "]"), placements[i]);
    if (!added.ok()) return added;
  }
  return described;
}

void DescribedCluster::AddReservations(const ClusterDescription& description) {
  for (const priority::Reservation& reservation : snapshot_.reservations()) {
    if (reservation.end <= snapshot_.computed_at()) continue;
    const int number = static_cast<int>(reservations_.size());
    reservations_.push_back(&reservation);
    for (std::string& node : NodesOf(reservation, description)) {
      Reservations& of = reservations_of_[std::move(node)];
      if (of.empty() || of.back() != number) of.push_back(number);
    }
  }
}

void DescribedCluster::AddResources(const ClusterDescription& description) {
  std::set<std::string> names;
  for (const NodeType& type : description.node_types) {
    for (const auto& [name, count] : type.tres) {
      if (IsOfNodes(name)) names.insert(name);
    }
  }
  resources_ = {"cpu", kGpus};
  names.erase("cpu");
  names.erase(kGpus);
  resources_.insert(resources_.end(), names.begin(), names.end());
  if (!reservations_.empty()) {
    open_ = static_cast<int>(resources_.size());
    resources_.push_back("");
  }
  for (size_t i = 0; i < resources_.size(); ++i) resource_of_[resources_[i]] = static_cast<int>(i);
  std::vector<double> most(resources_.size());
  for (const NodeType& type : description.node_types) {
    const priority::TresMap tres = TresOf(type);
    for (const auto& [name, count] : tres) {
      const auto i = resource_of_.find(name);
      if (i != resource_of_.end()) most[i->second] = std::max(most[i->second], count);
    }
  }
  for (const double count : most) {
    parts_.push_back(plan::PartsFor(count));
    most_.push_back(plan::Down(count, parts_.back()));
  }
  if (open_ >= 0) most_[open_] = kOpen;
}

void DescribedCluster::AddType(const NodeType& described) {
  std::map<Reservations, std::vector<std::string>> nodes;
  for (const std::string& name : described.nodes) {
    const auto of = reservations_of_.find(name);
    nodes[of == reservations_of_.end() ? Reservations() : of->second].push_back(name);
  }
  if (nodes.empty()) nodes[{}] = {};
  for (const auto& [of, names] : nodes) AddNodes(described, of, names);
}

void DescribedCluster::AddNodes(const NodeType& described, const Reservations& of,
                                const std::vector<std::string>& nodes) {
  const int number = static_cast<int>(cluster_.types.size());
  types_of_[described.name].push_back(number);
  reservations_of_type_.push_back(of);
  for (const int reservation : of) {
    plan::Closure closure{.type = number,
                          .each = plan::Amounts(resources_.size(), 0),
                          .from = reservations_[reservation]->start,
                          .until = reservations_[reservation]->end};
    closure.each[open_] = kOpen;
    cluster_.closures.push_back(std::move(closure));
  }
  all_types_.push_back(number);
  plan::NodeType& type = cluster_.types.emplace_back();
  type.each.assign(resources_.size(), 0);
  if (open_ >= 0) type.each[open_] = kOpen;
  const priority::TresMap tres = TresOf(described);
  for (const auto& [name, count] : tres) {
    if (const auto i = resource_of_.find(name); i != resource_of_.end()) {
      type.each[i->second] = plan::Down(count, parts_[i->second]);
    }
  }
  type.nodes = static_cast<int>(nodes.size());
  for (const std::string& name : nodes) {
    node_of_.emplace(name, static_cast<int>(node_names_.size()));
    node_names_.push_back(name);
  }
  for (size_t partition = 0; partition < types_of_partition_.size(); ++partition) {
    if (!IsOfPartition(described, snapshot_.partitions()[partition].name)) continue;
    types_of_partition_[partition].push_back(number);
  }
}

void DescribedCluster::AddPools(const ClusterDescription& description) {
  cap_of_partition_.assign(snapshot_.partitions().size(), -1);
  for (const PartitionCap& cap : description.partition_caps) {
    const int partition = snapshot_.FindPartition(cap.partition);
    if (partition >= 0) cap_of_partition_[partition] = static_cast<int>(cluster_.pools.size());
    pool_names_.push_back(cap.partition);
    parts_of_pool_.push_back(plan::kParts);
    cluster_.pools.push_back(plan::Down(cap.nodes));
  }
  caps_ = static_cast<int>(cluster_.pools.size());
  for (const auto& [name, count] : description.licenses) {
    pool_of_license_[name] = static_cast<int>(cluster_.pools.size());
    pool_names_.push_back(name);
    parts_of_pool_.push_back(plan::PartsFor(count));
    cluster_.pools.push_back(plan::Down(count, parts_of_pool_.back()));
  }
}

absl::Status DescribedCluster::AddPlacement(const std::string& field, const JobPlacement& given) {
  Placement placement;
  for (const std::string& name : given.node_types) {
    const auto types = types_of_.find(name);
    if (types == types_of_.end()) {
      return absl::InvalidArgumentError(absl::StrCat(field, ".node_types: got \"", name,
                                                     "\", want types of description.node_types"));
    }
    placement.types.insert(placement.types.end(), types->second.begin(), types->second.end());
  }
  for (const std::string& name : given.nodes) {
    const auto node = node_of_.find(name);
    if (node == node_of_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(field, ".nodes: got \"", name, "\", want nodes of the description"));
    }
    placement.nodes.push_back(node->second);
  }
  for (std::vector<int>* numbers : {&placement.types, &placement.nodes}) {
    std::sort(numbers->begin(), numbers->end());
    numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  }
  placements_[given.job_id] = std::move(placement);
  return absl::OkStatus();
}

std::vector<int> DescribedCluster::NodesNamed(absl::string_view hostlist) const {
  const auto count = slurm::CountHosts(hostlist);
  if (!count.ok() || *count > static_cast<int64_t>(node_names_.size())) return {};
  std::set<int> nodes;
  const auto names = slurm::ExpandHostlist(hostlist);
  for (const std::string& name : *names) {
    const auto node = node_of_.find(name);
    if (node == node_of_.end()) return {};
    nodes.insert(node->second);
  }
  return {nodes.begin(), nodes.end()};
}

std::vector<std::string> DescribedCluster::NodeNames(const std::vector<int>& nodes) const {
  std::vector<std::string> names;
  for (const int node : nodes) names.push_back(node_names_[node]);
  return names;
}

plan::Request DescribedCluster::RequestOf(const priority::Job& job, int partition) const {
  plan::Request request{
      .nodes = static_cast<int>(std::clamp<uint32_t>(job.nodes, 1, 1'000'000)),
      .per_node = plan::Amounts(resources_.size(), 0),
  };
  priority::TresMap tres = Canonical(job);
  CountGpus(&tres);
  double& cpus = tres["cpu"];
  const priority::JobDefaults& defaults = snapshot_.job_defaults(partition);
  cpus = priority::CpusOf(job, defaults);
  if (cpus == 0) cpus = request.nodes;
  if (defaults.given()) tres.emplace("mem", priority::MemoryBy(defaults, job));  // Unless named.
  for (const auto& [name, count] : tres) {
    const auto i = resource_of_.find(name);
    if (i == resource_of_.end()) continue;
    request.per_node[i->second] = plan::Up(count / request.nodes, parts_[i->second]);
  }
  if (open_ >= 0 && ReservationOf(job) == nullptr) request.per_node[open_] = 1;
  return request;
}

plan::Place DescribedCluster::PlaceOf(const priority::Job& job, int partition) const {
  plan::Place place{.partition = partition};
  const plan::Request request = RequestOf(job, partition);
  const std::vector<int>& types = partition < 0 ? all_types_ : types_of_partition_[partition];
  const auto placed = placements_.find(job.job_id);
  const priority::Reservation* own = ReservationOf(job);
  if (own != nullptr && !own->flex) {
    place.opens = own->start;
    place.closes = own->end;
  }
  const bool is_picky = placed != placements_.end() && !placed->second.types.empty();
  for (const int type : types) {
    if (is_picky &&
        !std::binary_search(placed->second.types.begin(), placed->second.types.end(), type)) {
      continue;
    }
    if (!Takes(type, own)) continue;
    if (plan::Fits(request.per_node, cluster_.types[type].each)) place.types.push_back(type);
  }
  if (partition >= 0 && cap_of_partition_[partition] >= 0) {
    place.pools.push_back({cap_of_partition_[partition], plan::Up(std::max(1u, job.nodes))});
  }
  for (const auto& [name, count] : Canonical(job)) {
    if (count <= 0) continue;
    if (const auto pool = pool_of_license_.find(name); pool != pool_of_license_.end()) {
      place.pools.push_back({pool->second, plan::Up(count, parts_of_pool_[pool->second])});
    } else if (absl::StartsWith(name, "gres/") && resource_of_.count(name) == 0) {
      place.types.clear();  // No node has one.
    }
  }
  return place;
}

plan::Place DescribedCluster::PlaceNow(const priority::Job& job, int partition,
                                       absl::Time now) const {
  plan::Place place = PlaceOf(job, partition);
  const absl::Time until = now + TimeLimitOf(job, partition);
  if (now < place.opens || now >= place.closes) place.types.clear();
  if (ReservationOf(job) != nullptr) return place;
  const auto is_closed = [&](int type) {
    return absl::c_any_of(reservations_of_type_[type], [&](int reservation) {
      return reservations_[reservation]->OverlapsTime(now, until);
    });
  };
  place.types.erase(std::remove_if(place.types.begin(), place.types.end(), is_closed),
                    place.types.end());
  return place;
}

const priority::Reservation* DescribedCluster::ReservationOf(const priority::Job& job) const {
  return job.reservation.empty() ? nullptr : snapshot_.FindReservation(job.reservation);
}

bool DescribedCluster::Takes(int type, const priority::Reservation* own) const {
  if (own == nullptr) return true;
  const Reservations& all = reservations_of_type_[type];
  const auto is_own = [&](int reservation) { return reservations_[reservation] == own; };
  const auto keeps_out = [&](int reservation) {
    const priority::Reservation& other = *reservations_[reservation];
    return &other != own && other.maint && other.OverlapsTime(own->start, own->end);
  };
  if (own->flex) return absl::c_all_of(all, is_own);
  return absl::c_any_of(all, is_own) && absl::c_none_of(all, keeps_out);
}

const priority::Reservation* DescribedCluster::ClosingOf(const plan::Place& place, absl::Time from,
                                                         absl::Time until) const {
  for (const int type : place.types) {
    for (const int reservation : reservations_of_type_[type]) {
      if (reservations_[reservation]->OverlapsTime(from, until)) return reservations_[reservation];
    }
  }
  return nullptr;
}

plan::RunningJob DescribedCluster::RunningOf(const priority::Job& job, int partition,
                                             absl::Time now) const {
  plan::RunningJob running{.request = RequestOf(job, partition), .place = PlaceOf(job, partition)};
  running.end = job.start_time.value_or(now) + TimeLimitOf(job, partition);
  const auto placed = placements_.find(job.job_id);
  running.nodes = placed != placements_.end() ? placed->second.nodes : NodesNamed(job.node_list);
  // Nodes that nobody knows are probably open ones.
  if (running.nodes.empty() && !reservations_.empty()) {
    plan::Place open = PlaceNow(job, partition, now);
    if (!open.types.empty()) running.place = std::move(open);
  }
  UseAtMostAll(&running);
  return running;
}

void DescribedCluster::UseAtMostAll(plan::RunningJob* running) const {
  plan::Amounts& per_node = running->request.per_node;
  for (size_t i = 0; i < per_node.size(); ++i) per_node[i] = std::min(per_node[i], most_[i]);
  for (plan::PoolNeed& need : running->place.pools) {
    need.amount = std::min(need.amount, std::max<int64_t>(1, cluster_.pools[need.pool]));
  }
}

absl::Duration DescribedCluster::TimeLimitOf(const priority::Job& job, int partition) const {
  absl::Duration limit = absl::InfiniteDuration();
  if (partition >= 0) {
    const priority::Partition& of = snapshot_.partitions()[partition];
    limit = of.default_time.value_or(of.max_time);
  }
  return std::max(absl::Seconds(1), job.time_limit.value_or(limit));
}

std::string DescribedCluster::Describe(const plan::Request& request) const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < resources_.size(); ++i) {
    if (request.per_node[i] == 0 || static_cast<int>(i) == open_) continue;
    parts.push_back(absl::StrCat(Amount(request.per_node[i], parts_[i]), " ", resources_[i]));
  }
  return absl::StrCat(request.nodes, request.nodes == 1 ? " node of " : " nodes of ",
                      absl::StrJoin(parts, ", "));
}

std::string DescribedCluster::DescribePool(int pool) const {
  const std::string amount = Amount(cluster_.pools[pool], parts_of_pool_[pool]);
  return IsPartitionCap(pool)
             ? absl::StrCat("partition ", pool_names_[pool], " may hold ", amount, " nodes")
             : absl::StrCat("there are ", amount, " of ", pool_names_[pool]);
}

}  // namespace priorityd::scheduling
