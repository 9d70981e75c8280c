#include "engine/grants/balance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "engine/grants/carried_lots.h"
#include "engine/grants/windows.h"

namespace priorityd::grants {
namespace {

constexpr Amount kNothing;

// The amount of a window with that end.
Amount GrantedBefore(const Grant& grant, absl::Time end) {
  const auto next = absl::c_lower_bound(
      grant.versions, end,
      [](const Version& version, absl::Time t) { return version.effective < t; });
  if (next != grant.versions.begin()) return std::prev(next)->amount;
  return grant.versions.empty() ? kNothing : grant.versions.front().amount;
}

std::vector<Window> BalancedWindows(const Grant& grant, const absl::TimeZone& zone,
                                    absl::Time now) {
  if (grant.window != WindowKind::kRolling) return WindowsOf(grant, zone, now);
  const std::optional<Window> window = RollingWindow(grant, zone, now);
  return window.has_value() ? std::vector<Window>{*window} : std::vector<Window>();
}

void AddTransfers(const Grant& grant, std::vector<Balance>* balances) {
  for (const Transfer& transfer : grant.transfers) {
    const auto after = absl::c_upper_bound(
        *balances, transfer.at,
        [](absl::Time at, const Balance& balance) { return at < balance.begin; });
    if (after == balances->begin()) continue;
    Balance& balance = *std::prev(after);
    if (transfer.at < balance.end) balance.transferred += transfer.amount;
  }
}

// The windows before any usage: nothing carried, nothing repaid.
std::vector<Balance> UnusedBalances(const Grant& grant, const absl::TimeZone& zone,
                                    absl::Time now) {
  const std::vector<Window> windows = BalancedWindows(grant, zone, now);
  std::vector<Balance> balances;
  balances.reserve(windows.size());
  for (const Window& window : windows) {
    const Amount granted = GrantedBefore(grant, window.end);
    if (!balances.empty()) balances.back().beyond += granted.Part(grant.borrow);
    balances.push_back({.begin = window.begin, .end = window.end, .granted = granted});
    balances.back().beyond = granted.Part(grant.grace);
  }
  if (balances.empty()) return balances;
  Balance& last = balances.back();
  const std::optional<Window> next = NextWindow(grant, zone, {last.begin, last.end});
  if (next.has_value()) last.beyond += GrantedBefore(grant, next->end).Part(grant.borrow);
  AddTransfers(grant, &balances);
  return balances;
}

// One grant as its usage is counted, period after period.
class Course {
 public:
  Course(const Grant& grant, const absl::TimeZone& zone, absl::Time now)
      : grant_(grant), balances_(UnusedBalances(grant, zone, now)), carried_(grant) {}

  // Closes the windows that end at or before `time`.
  void MoveTo(absl::Time time) {
    while (present_ + 1 < balances_.size() && balances_[present_ + 1].begin <= time) Close();
  }

  bool Covers(absl::Time time) const {
    return !balances_.empty() && balances_[present_].begin <= time &&
           time < balances_[present_].end;
  }
  Balance& present() { return balances_[present_]; }
  bool IsBefore(const Course& other) const { return Key() < other.Key(); }
  std::vector<Balance> Release() && { return std::move(balances_); }

 private:
  std::tuple<int64_t, absl::Time, const std::string&> Key() const {
    return {grant_.order, grant_.end, grant_.name};
  }

  void Close() {
    const Balance& closed = balances_[present_];
    Balance& next = balances_[++present_];
    next.repaid =
        std::clamp(closed.used - closed.available(), kNothing, next.granted.Part(grant_.borrow));
    if (grant_.carry_over > 0) next.carried = CarryOver(closed, next.granted);
  }

  Amount CarryOver(const Balance& closed, Amount next_granted) {
    std::optional<Amount> most;
    if (grant_.carry_cap.has_value()) most = next_granted.Part(*grant_.carry_cap);
    const Amount own = closed.granted - closed.repaid + closed.transferred;
    return carried_.Close(own, UsedForCarrying(closed), most);
  }

  Amount UsedForCarrying(const Balance& closed) const {
    if (!grant_.carry_half_life.has_value()) return closed.used;
    const double half_lives =
        absl::FDivDuration(closed.end - closed.begin, *grant_.carry_half_life);
    return closed.used.Times(std::exp2(-half_lives));
  }

  const Grant& grant_;
  std::vector<Balance> balances_;
  size_t present_ = 0;
  CarriedLots carried_;
};

// Counts the usage of a period against the courses that cover it.
void Count(const Period& period, absl::Span<Course* const> in_order) {
  Amount rest = period.used;
  Course* last = nullptr;
  for (const bool beyond : {false, true}) {
    for (Course* course : in_order) {
      if (!course->Covers(period.begin)) continue;
      last = course;
      Balance& balance = course->present();
      const Amount room = balance.left() + (beyond ? balance.beyond : kNothing);
      const Amount taken = std::clamp(rest, kNothing, std::max(room, kNothing));
      balance.used += taken;
      rest -= taken;
    }
  }
  if (last != nullptr) last->present().used += rest;
}

std::vector<Course*> InOrder(std::vector<Course>* courses) {
  std::vector<Course*> in_order;
  for (Course& course : *courses) in_order.push_back(&course);
  absl::c_stable_sort(in_order, [](const Course* a, const Course* b) { return a->IsBefore(*b); });
  return in_order;
}

}  // namespace

std::vector<absl::Time> BoundariesOf(absl::Span<const Grant> stack, const absl::TimeZone& zone,
                                     absl::Time now) {
  std::vector<absl::Time> times;
  for (const Grant& grant : stack) {
    if (grant.begin < grant.end) times.push_back(grant.begin);
    for (const Window& window : WindowsOf(grant, zone, now)) times.push_back(window.end);
  }
  absl::c_sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto first_after = absl::c_upper_bound(times, now);
  if (first_after != times.end()) times.erase(std::next(first_after), times.end());
  if (!times.empty() && times.back() == absl::InfiniteFuture()) times.pop_back();
  return times;
}

std::vector<std::vector<Balance>> BalancesOf(absl::Span<const Grant> stack,
                                             absl::Span<const Period> periods,
                                             const absl::TimeZone& zone, absl::Time now) {
  std::vector<Course> courses;
  courses.reserve(stack.size());
  for (const Grant& grant : stack) courses.emplace_back(grant, zone, now);
  const std::vector<Course*> in_order = InOrder(&courses);
  for (const Period& period : periods) {
    if (period.begin > now) break;
    for (Course& course : courses) course.MoveTo(period.begin);
    Count(period, in_order);
  }
  std::vector<std::vector<Balance>> balances;
  for (Course& course : courses) {
    course.MoveTo(now);
    balances.push_back(std::move(course).Release());
  }
  return balances;
}

}  // namespace priorityd::grants
