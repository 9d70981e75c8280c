#include "engine/laboratory/usage_book.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace priorityd::laboratory {
namespace {

// Assumes that the policy is applied at `begin`.
priority::ResetRule ResetRuleOf(const priority::Policy& policy, absl::Time begin) {
  return {.period = policy.reset_period,
          .anchor = begin,
          .interval = policy.reset_interval,
          .time_zone = policy.time_zone};
}

priority::UsageDecay DecayOf(absl::Duration half_life, const priority::ResetRule& reset) {
  const priority::HalfLifeChange always[] = {{absl::InfinitePast(), half_life}};
  return priority::UsageDecay(always, reset);
}

absl::Time LastMultiple(absl::Time time, absl::Duration period) {
  return absl::UnixEpoch() + absl::Floor(time - absl::UnixEpoch(), period);
}

std::vector<std::string> LimitedTres(const Site& site) {
  std::set<std::string> names;
  const auto add = [&](const priority::TresMap& limits) {
    for (const auto& [name, minutes] : limits) names.insert(name);
  };
  for (priority::AssociationIndex i = 0; i < site.tree->size(); ++i) {
    add(site.tree->limits(i).grp_tres_mins);
  }
  for (const priority::Qos& qos : site.qos) add(qos.grp_tres_mins);
  names.erase("billing");
  return {names.begin(), names.end()};
}

}  // namespace

priority::SnapshotSource SourceOf(const Site& site, const priority::Policy& policy) {
  priority::SnapshotSource source;
  source.generation = 1;
  source.policy_version = 1;
  source.cluster = site.cluster;
  source.policy = policy;
  source.partitions = site.partitions;
  source.qos = site.qos;
  source.default_accounts = site.default_accounts;
  source.tree = site.tree;
  return source;
}

UsageBook::UsageBook(const Site& site, const priority::Policy& policy, absl::Time begin)
    : site_(site),
      policy_(policy),
      period_(policy.calc_period),
      begin_(begin),
      decay_(DecayOf(policy.half_life, ResetRuleOf(policy, begin))),
      without_decay_(DecayOf(absl::InfiniteDuration(), ResetRuleOf(policy, begin))),
      as_of_(LastMultiple(begin, policy.calc_period)),
      billing_(site.tree->size() + site.qos.size(), 0),
      wall_(billing_),
      tres_(LimitedTres(site)),
      columns_(tres_.size(), billing_) {}

void UsageBook::Add(size_t job, Charge charge, absl::Time start, absl::Time end) {
  runs_[job] = {std::move(charge), start, end};
}

bool UsageBook::AdvanceTo(absl::Time time) {
  if (next() > time) return false;
  while (next() <= time && !runs_.empty()) Recalculate(next());
  // No job uses anything from here on, so one step is enough.
  if (next() <= time) Recalculate(LastMultiple(time, period_));
  return true;
}

void UsageBook::Recalculate(absl::Time to) {
  const auto associations = static_cast<size_t>(site_.tree->size());
  const double kept = decay_.Carry(1, as_of_, to);
  const double kept_without_decay = without_decay_.Carry(1, as_of_, to);
  const auto carry = [&](Column& column) {
    for (size_t i = 0; i < column.size(); ++i) {
      const bool no_decay = i >= associations && site_.qos[i - associations].no_decay;
      column[i] *= no_decay ? kept_without_decay : kept;
    }
  };
  carry(billing_);
  carry(wall_);
  for (Column& column : columns_) carry(column);
  const double whole = decay_.Interval(1, as_of_, to, to);
  for (auto run = runs_.begin(); run != runs_.end();) {
    const absl::Time start = std::max(run->second.start, as_of_);
    const absl::Time end = std::min(run->second.end, to);
    const bool is_whole = start == as_of_ && end == to;
    Count(run->second, is_whole ? whole : decay_.Interval(1, start, end, to),
          without_decay_.Interval(1, start, end, to));
    run = run->second.end <= to ? runs_.erase(run) : std::next(run);
  }
  as_of_ = to;
}

void UsageBook::Count(const Run& run, double seconds, double seconds_without_decay) {
  const Charge& charge = run.charge;
  const auto add = [&](size_t row, double all_seconds) {
    const double counted = all_seconds * charge.usage_factor;
    billing_[row] += charge.billing * counted;
    wall_[row] += counted;
    for (size_t i = 0; i < tres_.size(); ++i) {
      const auto held = charge.tres.find(tres_[i]);
      if (held != charge.tres.end()) columns_[i][row] += held->second * counted;
    }
  };
  if (charge.association >= 0) add(charge.association, seconds);
  if (charge.qos < 0) return;
  const bool no_decay = site_.qos[charge.qos].no_decay;
  add(site_.tree->size() + charge.qos, no_decay ? seconds_without_decay : seconds);
}

// R of the SLURM 2.0 formula, computed as by the recalculation of the service.
double UsageBook::LinearCapacity() const {
  if (policy_.decays()) return site_.cluster.cpus * absl::ToDoubleSeconds(policy_.half_life) * 2;
  const absl::Time since =
      std::max(begin_, priority::LastReset(ResetRuleOf(policy_, begin_), as_of_));
  return site_.cluster.cpus * std::max(0.0, absl::ToDoubleSeconds(as_of_ - since));
}

void UsageBook::Fill(priority::SnapshotSource* source) const {
  const size_t associations = site_.tree->size();
  const auto own = [&](const Column& column) {
    return std::vector<double>(column.begin(), column.begin() + associations);
  };
  source->computed_at = as_of_;
  source->linear_capacity = LinearCapacity();
  source->decay = std::make_shared<const priority::UsageDecay>(decay_);
  source->own_usage = own(billing_);
  source->own_wall_seconds = own(wall_);
  source->own_tres_usage.clear();
  for (size_t i = 0; i < tres_.size(); ++i) {
    source->own_tres_usage.emplace(tres_[i], own(columns_[i]));
  }
  source->qos_usage.resize(site_.qos.size());
  for (size_t q = 0; q < site_.qos.size(); ++q) {
    priority::QosUsage& usage = source->qos_usage[q];
    usage.usage = billing_[associations + q];
    usage.wall_seconds = wall_[associations + q];
    for (size_t i = 0; i < tres_.size(); ++i) {
      usage.tres_seconds[tres_[i]] = columns_[i][associations + q];
    }
  }
}

}  // namespace priorityd::laboratory
