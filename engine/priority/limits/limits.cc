#include "engine/priority/limits/limits.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/time/time.h"

namespace priorityd::priority {
namespace {

constexpr double kSecondsPerMinute = 60;

void AddUsageLimits(const TresMap& tres_mins, const std::optional<absl::Duration>& wall,
                    std::vector<LimitValue>* values) {
  for (const auto& [tres, minutes] : tres_mins) {
    values->push_back({LimitKind::kGrpTresMins, tres, minutes});
  }
  if (wall.has_value()) {
    values->push_back({LimitKind::kGrpWall, "", absl::ToDoubleSeconds(*wall)});
  }
}

void AddMaxSubmit(const std::optional<uint32_t>& jobs, std::vector<LimitValue>* values) {
  if (jobs.has_value()) values->push_back({LimitKind::kMaxSubmitJobs, "", double(*jobs)});
}

std::vector<LimitValue> AllOf(const AssociationLimits& limits) {
  std::vector<LimitValue> values = limits.others;
  AddUsageLimits(limits.grp_tres_mins, limits.grp_wall, &values);
  AddMaxSubmit(limits.max_submit_jobs, &values);
  return values;
}

std::vector<LimitValue> AllOf(const Qos& qos) {
  std::vector<LimitValue> values = qos.other_limits;
  AddUsageLimits(qos.grp_tres_mins, qos.grp_wall, &values);
  AddMaxSubmit(qos.max_submit_jobs_per_user, &values);
  return values;
}

double At(absl::Span<const double> column, AssociationIndex i) {
  return column.empty() ? 0 : column[i];
}

double UsedBy(const Limits::Usage& usage, const std::string& tres, AssociationIndex i) {
  if (tres.empty()) return At(usage.wall_seconds, i);
  if (tres == "billing") return At(usage.billing_seconds, i);
  if (usage.tres_seconds == nullptr) return 0;
  const auto column = usage.tres_seconds->find(tres);
  return column == usage.tres_seconds->end() ? 0 : column->second[i];
}

double UsedBy(const QosUsage& usage, const std::string& tres) {
  if (tres.empty()) return usage.wall_seconds;
  if (tres == "billing") return usage.usage;
  const auto found = usage.tres_seconds.find(tres);
  return found == usage.tres_seconds.end() ? 0 : found->second;
}

int IndexOf(const absl::flat_hash_map<std::string, int>& index, const std::string& name) {
  const auto found = index.find(name);
  return found == index.end() ? -1 : found->second;
}

}  // namespace

class Limits::Builder {
 public:
  Builder(const AssociationTree& tree, absl::Span<const Qos> qos, const Usage& usage,
          Limits* limits)
      : tree_(tree), qos_(qos), usage_(usage), limits_(*limits) {}

  void AddAll() {
    for (AssociationIndex i = 0; tree_.has_limits() && i < tree_.size(); ++i) AddAssociation(i);
    of_qos_.resize(qos_.size());
    for (size_t i = 0; i < qos_.size(); ++i) AddQos(static_cast<int>(i));
    if (limits_.empty()) return;
    if (!of_association_.empty()) MakeChains();
    MakeQosChains();
    NumberCounters();
  }

 private:
  using Indices = std::vector<int32_t>;

  void AddAssociation(AssociationIndex i);
  void AddQos(int qos);
  Limit& Add(const LimitValue& value, Indices* indices);
  // Sorts into the order in which limits of one level are reported.
  void Sort(Indices* indices) const;
  void MakeChains();
  // The limits of a user at `i`, or (`below`) of one below `i` without limits of its own.
  Chain MakeChain(AssociationIndex i, bool below) const;
  void AddTo(const Indices& indices, Chain* chain) const;
  void MakeQosChains();
  // The orders of partitions with that QOS.
  void AddOrders(int of_partition);
  QosChain MakeQosChain(const QosOrder& order) const;
  void NumberCounters();
  const Indices* OwnOf(AssociationIndex i) const {
    const auto found = of_association_.find(i);
    return found == of_association_.end() ? nullptr : &found->second;
  }
  bool AnyOfQos(int qos, LimitScope scope) const {
    return absl::c_any_of(of_qos_[qos],
                          [&](int32_t i) { return limits_.limits_[i].rule().scope == scope; });
  }

  const AssociationTree& tree_;
  const absl::Span<const Qos> qos_;
  const Usage& usage_;
  Limits& limits_;
  absl::flat_hash_map<std::string, int> tres_index_;
  absl::flat_hash_map<AssociationIndex, Indices> of_association_;
  std::vector<Indices> of_qos_;
};

Limit& Limits::Builder::Add(const LimitValue& value, Indices* indices) {
  Limit limit;
  limit.kind = value.kind;
  limit.limit = value.value;
  if (!value.tres.empty()) {
    const auto [entry, is_new] =
        tres_index_.emplace(value.tres, static_cast<int>(limits_.tres_.size()));
    if (is_new) limits_.tres_.push_back(value.tres);
    limit.tres = entry->second;
  }
  if (limit.rule().measure == LimitMeasure::kTresSeconds) limit.limit *= kSecondsPerMinute;
  limits_.of_nodes_or_wall_ |= value.tres == "node" || value.kind == LimitKind::kMaxWall;
  indices->push_back(static_cast<int32_t>(limits_.limits_.size()));
  return limits_.limits_.emplace_back(limit);
}

void Limits::Builder::AddAssociation(AssociationIndex i) {
  const std::vector<LimitValue> values = AllOf(tree_.limits(i));
  if (values.empty()) return;
  Indices& indices = of_association_[i];
  for (const LimitValue& value : values) {
    Limit& limit = Add(value, &indices);
    limit.association = i;
    if (limit.rule().counts_usage) limit.used = UsedBy(usage_, value.tres, i);
  }
}

void Limits::Builder::AddQos(int qos) {
  for (const LimitValue& value : AllOf(qos_[qos])) {
    Limit& limit = Add(value, &of_qos_[qos]);
    limit.qos = qos;
    if (limit.rule().counts_usage && !usage_.qos.empty()) {
      limit.used = UsedBy(usage_.qos[qos], value.tres);
    }
  }
  Sort(&of_qos_[qos]);
}

void Limits::Builder::Sort(Indices* indices) const {
  absl::c_sort(*indices, [this](int32_t a, int32_t b) {
    const Limit& x = limits_.limits_[a];
    const Limit& y = limits_.limits_[b];
    if (x.kind != y.kind) return x.kind < y.kind;
    if (x.tres < 0 || y.tres < 0) return x.tres < y.tres;
    return TresBefore(limits_.tres_[x.tres], limits_.tres_[y.tres]);
  });
}

void Limits::Builder::MakeChains() {
  // By AssociationIndex: the chain of the associations below it without limits of their own.
  std::vector<int32_t> below(tree_.size());
  limits_.chain_of_.resize(tree_.size());
  const auto add = [this](Chain chain) {
    limits_.chains_.push_back(std::move(chain));
    return static_cast<int32_t>(limits_.chains_.size()) - 1;
  };
  for (AssociationIndex i = 0; i < tree_.size(); ++i) {
    const int32_t above = i == 0 ? 0 : below[tree_.parent()[i]];
    below[i] = limits_.chain_of_[i] = above;
    if (OwnOf(i) == nullptr) continue;
    limits_.chain_of_[i] = add(MakeChain(i, false));
    if (!tree_.is_user(i)) below[i] = add(MakeChain(i, true));
  }
}

Limits::Chain Limits::Builder::MakeChain(AssociationIndex i, bool below) const {
  Indices nearest;  // The inherited limits: of each kind and TRES the nearest.
  std::vector<Indices> levels(below ? 1 : 0);
  absl::flat_hash_map<size_t, bool> seen;
  for (AssociationIndex at = i; at != kNoAssociation; at = tree_.parent()[at]) {
    Indices& level = levels.emplace_back();
    const Indices* own = OwnOf(at);
    for (size_t k = 0; own != nullptr && k < own->size(); ++k) {
      const Limit& limit = limits_.limits_[(*own)[k]];
      if (limit.rule().scope == LimitScope::kGroup) {
        level.push_back((*own)[k]);
      } else if (seen.emplace(limits_.SlotOf(limit), true).second) {
        nearest.push_back((*own)[k]);
      }
    }
  }
  levels[0].insert(levels[0].end(), nearest.begin(), nearest.end());
  Chain chain;
  for (Indices& level : levels) {
    Sort(&level);
    AddTo(level, &chain);
  }
  return chain;
}

void Limits::Builder::AddTo(const Indices& indices, Chain* chain) const {
  for (const int32_t i : indices) {
    const Limit& limit = limits_.limits_[i];
    const LimitRule& rule = limit.rule();
    const bool of_nodes = limit.tres >= 0 && limits_.tres_[limit.tres] == "node" &&
                          rule.measure == LimitMeasure::kTres && !rule.is_least;
    if (of_nodes) chain->nodes.push_back(i);
    (rule.phase == LimitPhase::kFirst    ? chain->first
     : rule.phase == LimitPhase::kSecond ? chain->second
                                         : chain->submission)
        .push_back(i);
  }
}

void Limits::Builder::MakeQosChains() {
  absl::flat_hash_map<int, int32_t> first;  // By QOS of a partition.
  const int partitions = static_cast<int>(limits_.partition_qos_.size());
  for (int partition = -1; partition < partitions; ++partition) {
    const int of_partition = limits_.QosOfPartition(partition);
    const auto next = static_cast<int32_t>(limits_.orders_.size());
    const auto [entry, is_new] = first.emplace(of_partition, next);
    limits_.first_order_.push_back(entry->second);
    if (is_new) AddOrders(of_partition);
  }
}

void Limits::Builder::AddOrders(int of_partition) {
  for (int qos = -1; qos < static_cast<int>(qos_.size()); ++qos) {
    QosOrder order = limits_.OrderOfQos(of_partition, qos);
    order.number = static_cast<int32_t>(limits_.orders_.size());
    limits_.orders_.push_back(order);
    limits_.qos_chains_.push_back(MakeQosChain(order));
  }
}

Limits::QosChain Limits::Builder::MakeQosChain(const QosOrder& order) const {
  QosChain made;
  if (order.own >= 0) {
    made.limit_factor = qos_[order.own].limit_factor;
    made.usage_factor = qos_[order.own].usage_factor;
  }
  for (const int qos : {order.first, order.second}) {
    if (qos < 0) continue;
    Indices met;
    for (const int32_t i : of_qos_[qos]) {
      if (!made.Replaces(limits_.SlotOf(limits_.limits_[i]))) met.push_back(i);
    }
    AddTo(met, &made.chain);
    if (met.empty()) continue;
    made.replaced.resize(kLimitKinds * (limits_.tres_.size() + 1));
    for (const int32_t i : met) made.replaced[limits_.SlotOf(limits_.limits_[i])] = 1;
  }
  return made;
}

void Limits::Builder::NumberCounters() {
  limits_.counted_.resize(tree_.size());
  for (const Limit& limit : limits_.limits_) {
    if (limit.of_qos()) continue;
    if (limit.rule().scope == LimitScope::kGroup) limits_.counted_[limit.association] = 1;
    if (limit.rule().scope == LimitScope::kUser) limits_.users_counted_ = true;
  }
  int32_t& next = limits_.counters_;
  next = tree_.size();
  limits_.qos_counters_.resize(qos_.size());
  absl::flat_hash_map<absl::string_view, int32_t> users;
  for (size_t q = 0; q < qos_.size(); ++q) {
    QosCounters& counters = limits_.qos_counters_[q];
    const int qos = static_cast<int>(q);
    if (AnyOfQos(qos, LimitScope::kGroup)) counters.group = next++;
    if (AnyOfQos(qos, LimitScope::kAccount)) {
      counters.accounts = next;
      next += tree_.size();
    }
    if (!AnyOfQos(qos, LimitScope::kUser)) continue;
    for (AssociationIndex i = 0; limits_.user_of_.size() < size_t(tree_.size()); ++i) {
      limits_.user_of_.push_back(
          users.emplace(tree_.user(i), static_cast<int32_t>(users.size())).first->second);
    }
    counters.users = next;
    next += static_cast<int32_t>(users.size());
  }
}

Limits::Limits(const AssociationTree& tree, absl::Span<const Qos> qos,
               absl::Span<const Partition> partitions, const Usage& usage)
    : tree_(&tree) {
  absl::flat_hash_map<std::string, int> index;
  for (size_t i = 0; i < qos.size(); ++i) {
    index.emplace(qos[i].name, static_cast<int>(i));
    over_part_qos_.push_back(qos[i].over_part_qos);
  }
  for (const Partition& partition : partitions) {
    partition_qos_.push_back(partition.qos.empty() ? -1 : IndexOf(index, partition.qos));
  }
  Builder(tree, qos, usage, this).AddAll();
}

QosOrder Limits::OrderOfQos(int of_partition, int qos) const {
  if (of_partition < 0 || of_partition == qos) return {qos, -1, qos, -1};
  if (qos < 0) return {of_partition, -1, -1, -1};
  if (over_part_qos_[qos] != 0) return {qos, of_partition, qos, -1};
  return {of_partition, qos, qos, -1};
}

std::optional<double> Limits::MaxWallOf(AssociationIndex association, const QosChain& qos) const {
  for (const Chain* chain : {&qos.chain, &OfAssociation(association)}) {
    for (const int32_t i : chain->first) {
      if (limits_[i].kind == LimitKind::kMaxWall) return limits_[i].limit;
    }
  }
  return std::nullopt;
}

int32_t Limits::CounterOf(const Limit& limit, AssociationIndex i) const {
  const LimitScope scope = limit.rule().scope;
  if (!limit.of_qos()) return scope == LimitScope::kGroup ? limit.association : i;
  const QosCounters& counters = qos_counters_[limit.qos];
  if (scope == LimitScope::kGroup) return counters.group;
  if (scope == LimitScope::kUser) return counters.users + user_of_[i];
  return counters.accounts + AccountOf(i);
}

void Limits::UserCountersOf(AssociationIndex i, std::vector<int32_t>* counters) const {
  counters->clear();
  if (users_counted_) counters->push_back(i);
  for (const QosCounters& of : qos_counters_) {
    if (of.users >= 0) counters->push_back(of.users + user_of_[i]);
  }
}

void Limits::CountersOf(AssociationIndex i, const QosOrder& order,
                        std::vector<int32_t>* counters) const {
  counters->clear();
  for (AssociationIndex at = i; at != kNoAssociation; at = tree_->parent()[at]) {
    if (counted_[at] != 0 || (at == i && users_counted_)) counters->push_back(at);
  }
  for (const int qos : {order.first, order.second}) {
    if (qos < 0) continue;
    const QosCounters& of = qos_counters_[qos];
    if (of.group >= 0) counters->push_back(of.group);
    if (of.users >= 0) counters->push_back(of.users + user_of_[i]);
    if (of.accounts >= 0) counters->push_back(of.accounts + AccountOf(i));
  }
}

}  // namespace priorityd::priority
