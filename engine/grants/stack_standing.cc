#include "engine/grants/stack_standing.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "engine/grants/amount.h"

namespace priorityd::grants {
namespace {

bool IsInForce(const Grant& grant, absl::Time time) {
  return grant.begin <= time && time < grant.end;
}

bool IsUsedBefore(const Grant& a, const Grant& b) {
  return std::tie(a.order, a.end, a.name) < std::tie(b.order, b.end, b.name);
}

// Whether none is in force at `time`.
bool NoneFollows(absl::Span<const Grant> stack, absl::Time time) {
  return time < absl::InfiniteFuture() &&
         std::none_of(stack.begin(), stack.end(),
                      [time](const Grant& grant) { return IsInForce(grant, time); });
}

}  // namespace

std::optional<StackStanding> StandingOf(absl::Span<const Grant> stack,
                                        absl::FunctionRef<const Balance&(size_t)> present,
                                        absl::Time time) {
  std::vector<size_t> in_force;
  for (size_t i = 0; i < stack.size(); ++i) {
    if (IsInForce(stack[i], time)) in_force.push_back(i);
  }
  if (in_force.empty()) return std::nullopt;
  const size_t last = *std::max_element(in_force.begin(), in_force.end(), [&](size_t a, size_t b) {
    return IsUsedBefore(stack[a], stack[b]);
  });
  StackStanding of{.last = last};
  priority::GrantStanding& standing = of.standing;
  standing.name = stack[last].name;
  standing.until = absl::InfiniteFuture();
  // The overdraft of one grant takes nothing from another one.
  standing.has_others = in_force.size() > 1;
  Amount room, used;
  for (const size_t i : in_force) {
    const Balance& balance = present(i);
    room += std::max(balance.left() + balance.beyond, Amount());
    used += balance.used;
    const Amount grace = balance.granted.Part(stack[i].grace);
    standing.has_grace |= grace > Amount();
    standing.has_borrow |= balance.beyond > grace;
    // Only a window that another one follows brings something.
    if (balance.end < stack[i].end) standing.until = std::min(standing.until, balance.end);
  }
  if (standing.until == absl::InfiniteFuture()) {
    standing.until = stack[last].end;
    standing.ends = NoneFollows(stack, standing.until);
  }
  standing.available = (used + room).seconds();
  standing.used = used.seconds();
  return of;
}

}  // namespace priorityd::grants
