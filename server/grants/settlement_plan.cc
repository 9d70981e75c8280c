#include "server/grants/settlement_plan.h"

#include "absl/algorithm/container.h"
#include "engine/grants/balance.h"
#include "engine/grants/windows.h"

namespace priorityd::grants {
namespace {

// The time ahead of the recalculation for which periods are made: a new window then needs no
// reading.
constexpr absl::Duration kAhead = absl::Hours(24 * 40);

// The grants without the days that a rolling one has forgotten.
std::vector<Grant> Recent(std::vector<Grant> grants, const SettlementInput& input) {
  for (Grant& grant : grants) {
    if (grant.window != WindowKind::kRolling) continue;
    const std::optional<Window> window = RollingWindow(grant, input.zone, input.time);
    if (window.has_value()) grant.begin = window->begin;
  }
  return grants;
}

bool HasOtherBegins(const Pool& pool) {
  const auto begins_alike = [](const Period& a, const Period& b) { return a.begin == b.begin; };
  return !absl::c_equal(pool.stored, pool.usage.periods(), begins_alike);
}

}  // namespace

SettlementPlan MakePlan(const SettlementInput& input, const GrantBook& book, bool looks,
                        const std::map<std::string, int32_t>& tres, std::vector<Pool>* pools) {
  SettlementPlan plan;
  plan.tres = tres;
  plan.of_pools.resize(pools->size());
  for (size_t i = 0; i < pools->size(); ++i) {
    Pool& pool = (*pools)[i];
    PoolPlan& of = plan.of_pools[i];
    if (!looks) continue;
    const std::vector<Grant> grants = Recent(book.stacks[i].grants, input);
    of.boundaries = BoundariesOf(grants, input.zone, input.time + kAhead);
    if (pool.is_stale) pool.usage.Forget(absl::InfiniteFuture());
    if (!of.boundaries.empty()) pool.usage.Forget(of.boundaries.front());
    of.read_from = pool.usage.Divide(of.boundaries);
    // Changes are written by the begin of a period. A rolling grant forgets a day for each new one.
    of.is_written_whole = of.read_from.has_value() || pool.is_stale || HasOtherBegins(pool);
    plan.reads_windows |= of.read_from.has_value() || pool.id == 0;
  }
  return plan;
}

}  // namespace priorityd::grants
