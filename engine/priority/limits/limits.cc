#include "engine/priority/limits/limits.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/limits/limit_usage.h"
#include "engine/priority/limits/limit_values.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::priority {
namespace {

constexpr double kSecondsPerMinute = 60;

int IndexOf(const absl::flat_hash_map<std::string, int>& index, const std::string& name) {
  const auto found = index.find(name);
  return found == index.end() ? -1 : found->second;
}

}  // namespace

class Limits::Builder {
 public:
  Builder(const AssociationTree& tree, absl::Span<const Qos> qos, Rules* rules, Limits* limits)
      : tree_(tree), qos_(qos), rules_(*rules), limits_(*limits), of_qos_(qos.size()) {}

  void AddSettings() {
    for (AssociationIndex i = 0; tree_.has_limits() && i < tree_.size(); ++i) AddAssociation(i);
    for (size_t i = 0; i < qos_.size(); ++i) AddQos(static_cast<int>(i));
  }
  void AddGrants(const Grants& grants);
  void Finish() {
    rules_.priced.resize(rules_.tres.size());
    if (limits_.empty()) return;
    if (!of_association_.empty()) MakeChains();
    MakeQosChains();
    NumberCounters();
  }

 private:
  using Indices = std::vector<int32_t>;

  void AddAssociation(AssociationIndex i);
  void AddQos(int qos);
  // The limit of the grant, an index, for one of its owners.
  Limit LimitOf(const Grants& grants, AssociationIndex owner, int32_t index);
  Limit& Add(const LimitValue& value, Indices* indices);
  // The index of a name in Rules::tres, to which a new one is added.
  int NumberOf(const std::string& tres);
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
  Rules& rules_;
  Limits& limits_;  // Its rules are rules_.
  absl::flat_hash_map<std::string, int> tres_index_;
  absl::flat_hash_map<AssociationIndex, Indices> of_association_;
  std::vector<Indices> of_qos_;
};

Limit& Limits::Builder::Add(const LimitValue& value, Indices* indices) {
  Limit limit;
  limit.kind = value.kind;
  limit.limit = value.value;
  if (!value.tres.empty()) limit.tres = NumberOf(value.tres);
  if (limit.rule().measure == LimitMeasure::kTresSeconds) limit.limit *= kSecondsPerMinute;
  rules_.of_nodes_or_wall |= value.tres == "node" || value.kind == LimitKind::kMaxWall;
  const auto index = static_cast<int32_t>(limits_.limits_.size());
  if (limit.rule().counts_usage) rules_.of_usage.push_back(index);
  indices->push_back(index);
  return limits_.limits_.emplace_back(limit);
}

int Limits::Builder::NumberOf(const std::string& tres) {
  const auto [entry, is_new] = tres_index_.emplace(tres, static_cast<int>(rules_.tres.size()));
  if (is_new) rules_.tres.push_back(tres);
  return entry->second;
}

void Limits::Builder::AddGrants(const Grants& grants) {
  GrantOwners owners(tree_);
  for (size_t i = 0; i < grants.standings.size(); ++i) {
    if (!HoldsJobs(grants.standings[i], grants.enforced)) continue;
    for (const AssociationIndex owner : owners.Of(grants.standings[i])) {
      of_association_[owner].push_back(static_cast<int32_t>(limits_.limits_.size()));
      limits_.limits_.push_back(LimitOf(grants, owner, static_cast<int32_t>(i)));
    }
  }
}

Limit Limits::Builder::LimitOf(const Grants& grants, AssociationIndex owner, int32_t index) {
  const GrantStanding& grant = grants.standings[index];
  if (grant.consequence != GrantConsequence::kCap) {
    const bool alone = ComparesUsageAlone(grant, grants.enforced.priced);
    // Money without prices is a TRES without a book: each job requests 1.
    const int tres = NumberOf(alone && IsPrice(grant.tres) ? "price/" : grant.tres);
    rules_.priced.resize(rules_.tres.size());
    rules_.priced[tres] = !alone && IsPrice(grant.tres) ? 1 : 0;
    return {.kind = LimitKind::kGrpTresMins,
            .tres = tres,
            .association = owner,
            .grant = index,
            .by_usage_alone = alone,
            .limit = grant.available,
            .used = grant.used};
  }
  rules_.of_nodes_or_wall |= grant.measure.tres == "node";
  return {.kind = LimitKind::kGrpTres,
          .tres = NumberOf(grant.measure.tres),
          .association = owner,
          .grant = index,
          .limit = grant.measure.most};
}

void Limits::Builder::AddAssociation(AssociationIndex i) {
  const std::vector<LimitValue> values = AllOf(tree_.limits(i));
  if (values.empty()) return;
  Indices& indices = of_association_[i];
  for (const LimitValue& value : values) Add(value, &indices).association = i;
}

void Limits::Builder::AddQos(int qos) {
  for (const LimitValue& value : AllOf(qos_[qos])) Add(value, &of_qos_[qos]).qos = qos;
  Sort(&of_qos_[qos]);
}

void Limits::Builder::Sort(Indices* indices) const {
  absl::c_sort(*indices, [this](int32_t a, int32_t b) {
    const Limit& x = limits_.limits_[a];
    const Limit& y = limits_.limits_[b];
    if (x.kind != y.kind) return x.kind < y.kind;
    if (x.tres == y.tres) return x.grant < y.grant;
    if (x.tres < 0 || y.tres < 0) return x.tres < y.tres;
    return TresBefore(rules_.tres[x.tres], rules_.tres[y.tres]);
  });
}

void Limits::Builder::MakeChains() {
  // By AssociationIndex: the chain of the associations below it without limits of their own.
  std::vector<int32_t> below(tree_.size());
  rules_.chain_of.resize(tree_.size());
  const auto add = [this](Chain chain) {
    rules_.chains.push_back(std::move(chain));
    return static_cast<int32_t>(rules_.chains.size()) - 1;
  };
  for (AssociationIndex i = 0; i < tree_.size(); ++i) {
    const int32_t above = i == 0 ? 0 : below[tree_.parent()[i]];
    below[i] = rules_.chain_of[i] = above;
    if (OwnOf(i) == nullptr) continue;
    rules_.chain_of[i] = add(MakeChain(i, false));
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
    const bool of_nodes = limit.tres >= 0 && rules_.tres[limit.tres] == "node" &&
                          rule.measure == LimitMeasure::kTres && !rule.is_least;
    if (of_nodes) chain->nodes.push_back(i);
    if (limit.of_grant()) chain->grants.push_back(i);
    (rule.phase == LimitPhase::kFirst    ? chain->first
     : rule.phase == LimitPhase::kSecond ? chain->second
                                         : chain->submission)
        .push_back(i);
  }
}

void Limits::Builder::MakeQosChains() {
  absl::flat_hash_map<int, int32_t> first;  // By QOS of a partition.
  const int partitions = static_cast<int>(rules_.partition_qos.size());
  for (int partition = -1; partition < partitions; ++partition) {
    const int of_partition = limits_.QosOfPartition(partition);
    const auto next = static_cast<int32_t>(rules_.orders.size());
    const auto [entry, is_new] = first.emplace(of_partition, next);
    rules_.first_order.push_back(entry->second);
    if (is_new) AddOrders(of_partition);
  }
}

void Limits::Builder::AddOrders(int of_partition) {
  for (int qos = -1; qos < static_cast<int>(qos_.size()); ++qos) {
    QosOrder order = limits_.OrderOfQos(of_partition, qos);
    order.number = static_cast<int32_t>(rules_.orders.size());
    rules_.orders.push_back(order);
    rules_.qos_chains.push_back(MakeQosChain(order));
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
    made.replaced.resize(kLimitKinds * (rules_.tres.size() + 1));
    for (const int32_t i : met) made.replaced[limits_.SlotOf(limits_.limits_[i])] = 1;
  }
  return made;
}

void Limits::Builder::NumberCounters() {
  rules_.counted.resize(tree_.size());
  int32_t grants = 0;
  for (const Limit& limit : limits_.limits_) {
    grants = std::max(grants, limit.grant + 1);
    if (limit.of_qos() || limit.of_grant()) continue;
    if (limit.rule().scope == LimitScope::kGroup) rules_.counted[limit.association] = 1;
    if (limit.rule().scope == LimitScope::kUser) rules_.users_counted = true;
  }
  int32_t& next = rules_.counters;
  next = tree_.size();
  rules_.qos_counters.resize(qos_.size());
  absl::flat_hash_map<absl::string_view, int32_t> users;
  for (size_t q = 0; q < qos_.size(); ++q) {
    QosCounters& counters = rules_.qos_counters[q];
    const int qos = static_cast<int>(q);
    if (AnyOfQos(qos, LimitScope::kGroup)) counters.group = next++;
    if (AnyOfQos(qos, LimitScope::kAccount)) {
      counters.accounts = next;
      next += tree_.size();
    }
    if (!AnyOfQos(qos, LimitScope::kUser)) continue;
    for (AssociationIndex i = 0; rules_.user_of.size() < size_t(tree_.size()); ++i) {
      rules_.user_of.push_back(
          users.emplace(tree_.user(i), static_cast<int32_t>(users.size())).first->second);
    }
    counters.users = next;
    next += static_cast<int32_t>(users.size());
  }
  rules_.first_grant = next;
  next += grants;
}

Limits::Limits(const AssociationTree& tree, absl::Span<const Qos> qos,
               absl::Span<const Partition> partitions, const Usage& usage, const Grants& grants) {
  const auto rules = std::make_shared<Rules>();
  rules_ = rules;
  rules->tree = &tree;
  absl::flat_hash_map<std::string, int> index;
  for (size_t i = 0; i < qos.size(); ++i) {
    index.emplace(qos[i].name, static_cast<int>(i));
    rules->over_part_qos.push_back(qos[i].over_part_qos);
  }
  for (const Partition& partition : partitions) {
    rules->partition_qos.push_back(partition.qos.empty() ? -1 : IndexOf(index, partition.qos));
  }
  Builder builder(tree, qos, rules.get(), this);
  if (!grants.no_settings) builder.AddSettings();
  builder.AddGrants(grants);
  builder.Finish();
  SetUsage(usage);
}

std::shared_ptr<const Limits::Rules> Limits::NoRules() {
  static const auto* const none = new std::shared_ptr<const Rules>(std::make_shared<const Rules>());
  return *none;
}

Limits Limits::WithUsage(const Usage& usage, const Grants& grants) const {
  Limits limits = *this;
  limits.SetUsage(usage);
  SetGrantLimits(grants.standings, grants.enforced, absl::MakeSpan(limits.limits_));
  return limits;
}

void Limits::SetUsage(const Usage& usage) {
  const LimitUsage of(tres(), usage);
  for (const int32_t i : rules_->of_usage) limits_[i].used = of.UsedUnder(limits_[i]);
}

QosOrder Limits::OrderOfQos(int of_partition, int qos) const {
  if (of_partition < 0 || of_partition == qos) return {qos, -1, qos, -1};
  if (qos < 0) return {of_partition, -1, -1, -1};
  if (rules_->over_part_qos[qos] != 0) return {qos, of_partition, qos, -1};
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
  if (limit.of_grant()) return rules_->first_grant + limit.grant;
  const LimitScope scope = limit.rule().scope;
  if (!limit.of_qos()) return scope == LimitScope::kGroup ? limit.association : i;
  const QosCounters& counters = rules_->qos_counters[limit.qos];
  if (scope == LimitScope::kGroup) return counters.group;
  if (scope == LimitScope::kUser) return counters.users + rules_->user_of[i];
  return counters.accounts + AccountOf(i);
}

void Limits::UserCountersOf(AssociationIndex i, std::vector<int32_t>* counters) const {
  counters->clear();
  if (rules_->users_counted) counters->push_back(i);
  for (const QosCounters& of : rules_->qos_counters) {
    if (of.users >= 0) counters->push_back(of.users + rules_->user_of[i]);
  }
}

void Limits::CountersOf(AssociationIndex i, const QosOrder& order,
                        std::vector<int32_t>* counters) const {
  counters->clear();
  for (AssociationIndex at = i; at != kNoAssociation; at = rules_->tree->parent()[at]) {
    if (rules_->counted[at] != 0 || (at == i && rules_->users_counted)) counters->push_back(at);
  }
  for (const int32_t grant : OfAssociation(i).grants) {
    counters->push_back(CounterOf(limits_[grant], i));
  }
  for (const int qos : {order.first, order.second}) {
    if (qos < 0) continue;
    const QosCounters& of = rules_->qos_counters[qos];
    if (of.group >= 0) counters->push_back(of.group);
    if (of.users >= 0) counters->push_back(of.users + rules_->user_of[i]);
    if (of.accounts >= 0) counters->push_back(of.accounts + AccountOf(i));
  }
}

}  // namespace priorityd::priority
