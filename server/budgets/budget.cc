#include "server/budgets/budget.h"

#include <algorithm>
#include <utility>

#include "engine/priority/limits/relative_limits.h"

namespace priorityd::budgets {
namespace {

using priority::AssociationIndex;
using priority::Snapshot;
using priority::UsageDecay;

constexpr absl::Duration kHorizon = absl::Hours(24 * 3653);
constexpr absl::Duration kStep = absl::Microseconds(1);

double Find(const priority::TresMap& map, const std::string& name) {
  const auto found = map.find(name);
  return found == map.end() ? 0 : found->second;
}

double UsedBy(const Snapshot& snapshot, AssociationIndex i, const std::string& tres) {
  if (tres == "billing") return snapshot.recorded_usage()[i];
  if (tres.empty()) return snapshot.wall_seconds().empty() ? 0 : snapshot.wall_seconds()[i];
  const auto column = snapshot.tres_usage().find(tres);
  return column == snapshot.tres_usage().end() ? 0 : column->second[i];
}

double UsedUnder(const Snapshot& snapshot, int qos, const std::string& tres) {
  if (snapshot.qos_usage().empty()) return 0;
  const priority::QosUsage& usage = snapshot.qos_usage()[qos];
  if (tres == "billing") return usage.usage;
  return tres.empty() ? usage.wall_seconds : Find(usage.tres_seconds, tres);
}

// The budgets of an association or a QOS: GrpWall and GrpTRESMins.
template <typename Limited, typename Used>
std::vector<Budget> BudgetsOf(const Limited& limited, Budget of, const Used& used) {
  std::vector<Budget> budgets;
  const auto add = [&](const std::string& tres, double limit) {
    of.tres = tres;
    of.limit = limit;
    of.used = used(tres);
    budgets.push_back(of);
  };
  if (limited.grp_wall.has_value()) add("", absl::ToDoubleSeconds(*limited.grp_wall));
  for (const auto& [tres, minutes] : limited.grp_tres_mins) add(tres, minutes * 60);
  return budgets;
}

// The first time in (from, until] at which `holds` is true. REQUIRES: it changes at most once.
template <typename Holds>
absl::Time FirstAfter(absl::Time from, absl::Time until, const Holds& holds) {
  while (until - from > kStep) {
    const absl::Time middle = from + (until - from) / 2;
    (holds(middle) ? until : from) = middle;
  }
  return until;
}

}  // namespace

std::vector<Budget> BudgetsOfAssociation(const Snapshot& snapshot, AssociationIndex i) {
  return BudgetsOf(snapshot.tree().limits(i), {.association = i},
                   [&](const std::string& tres) { return UsedBy(snapshot, i, tres); });
}

std::vector<Budget> BudgetsOfQos(const Snapshot& snapshot, int qos) {
  const auto limited = priority::WithAbsoluteLimits({&snapshot.qos()[qos], 1}, snapshot.policy(),
                                                    snapshot.cluster(), snapshot.partitions());
  return BudgetsOf(limited.front(), {.qos = qos},
                   [&](const std::string& tres) { return UsedUnder(snapshot, qos, tres); });
}

std::vector<Budget> AllBudgets(const Snapshot& snapshot) {
  std::vector<Budget> all;
  const auto add = [&all](std::vector<Budget> budgets) {
    std::move(budgets.begin(), budgets.end(), std::back_inserter(all));
  };
  for (AssociationIndex i = 0; snapshot.tree().has_limits() && i < snapshot.tree().size(); ++i) {
    add(BudgetsOfAssociation(snapshot, i));
  }
  for (size_t qos = 0; qos < snapshot.qos().size(); ++qos) {
    add(BudgetsOfQos(snapshot, static_cast<int>(qos)));
  }
  return all;
}

std::optional<absl::Time> RunsOut(const UsageDecay& decay, double used, double rate, double limit,
                                  absl::Time from) {
  if (used >= limit) return from;
  if (rate <= 0) return std::nullopt;
  const absl::Time end = from + kHorizon;
  absl::Time begin = from;
  // Between two resets usage either only grows or only falls. Twelve resets are enough: usage that
  // stays below the limit in each of these intervals always does.
  for (int resets = 0; begin < end && resets <= 12; ++resets) {
    const absl::Time reset = priority::LastReset(decay.reset(), begin);
    const auto was_reset = [&](absl::Time time) {
      return priority::LastReset(decay.reset(), time) > reset;
    };
    const absl::Time next = was_reset(end) ? FirstAfter(begin, end, was_reset) : end;
    const auto used_up = [&](absl::Time time) {
      return decay.Carry(used, begin, time) + decay.Interval(rate, begin, time, time) >= limit;
    };
    if (used_up(next - kStep)) return FirstAfter(begin, next - kStep, used_up);
    begin = next;
    used = 0;
  }
  return std::nullopt;
}

std::optional<absl::Time> RunsOut(const Snapshot& snapshot, const Budget& budget, double rate) {
  static const UsageDecay* const no_decay = new UsageDecay({}, {});
  const UsageDecay& decay = snapshot.decay() == nullptr ? *no_decay : *snapshot.decay();
  const bool kept = budget.of_qos() && snapshot.qos()[budget.qos].no_decay;
  return RunsOut(kept ? UsageDecay({}, decay.reset()) : decay, budget.used, rate, budget.limit,
                 snapshot.computed_at());
}

}  // namespace priorityd::budgets
