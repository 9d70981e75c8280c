#include "server/grants/kept_standings.h"

#include <algorithm>
#include <utility>

#include "engine/grants/balance.h"

namespace priorityd::grants {
namespace {

// The first time after `time` at which a window or a period begins or ends.
absl::Time NextChange(const Stack& stack, const GrantWindows& windows,
                      const std::vector<Period>& periods, absl::Time time) {
  absl::Time next = absl::InfiniteFuture();
  const auto note = [&](absl::Time change) {
    if (change > time) next = std::min(next, change);
  };
  for (size_t i = 0; i < stack.grants.size(); ++i) {
    note(stack.grants[i].begin);
    note(stack.grants[i].end);
    const std::vector<Balance>& of_grant = windows[stack.places[i]];
    if (!of_grant.empty()) note(of_grant.back().end);
  }
  for (const Period& period : periods) note(period.begin);
  return next;
}

budgets::GrantLevel& At(size_t place, std::vector<budgets::GrantLevel>* levels) {
  return (*levels)[place];
}
priority::GrantStanding& At(size_t place, priority::GrantStandings* standings) {
  return standings->Change(place);
}

// Replaces the entry at `place`; false if one exists that has no place, or the other way round.
template <typename Entry, typename Entries>
bool Replace(std::optional<Entry> entry, std::optional<size_t> place, Entries* entries) {
  if (entry.has_value() != place.has_value()) return false;
  if (entry.has_value()) At(*place, entries) = *std::move(entry);
  return true;
}

// Appends the entry, if any; its place.
template <typename Entry, typename Entries>
std::optional<size_t> Append(std::optional<Entry> entry, Entries* entries) {
  if (!entry.has_value()) return std::nullopt;
  entries->push_back(*std::move(entry));
  return entries->size() - 1;
}

}  // namespace

void KeptStandings::ComputeAll(const GrantBook& book, const absl::TimeZone& zone, absl::Time time,
                               const std::vector<Pool>& pools, Standings* standings,
                               Levels* levels) {
  const GrantWindows windows = WindowsOf(book, PeriodsOf(pools), zone, time);
  standings->clear();
  levels->clear();
  known_.clear();
  level_places_.clear();
  for (size_t k = 0; k < book.stacks.size(); ++k) {
    const Stack& stack = book.stacks[k];
    known_.push_back({.from = time,
                      .until = NextChange(stack, windows, pools[k].usage.periods(), time),
                      .standing = Append(StandingOf(book, stack, windows, time), standings)});
  }
  for (size_t i = 0; i < book.grants.size(); ++i) {
    level_places_.push_back(Append(LevelOf(book.grants[i], windows[i], time), levels));
  }
}

bool KeptStandings::ComputeStack(const GrantBook& book, const GrantWindows& windows, size_t k,
                                 absl::Time time, Standings* standings, Levels* levels) {
  const Stack& stack = book.stacks[k];
  const std::optional<size_t> place = known_[k].standing;
  if (!Replace(StandingOf(book, stack, windows, time), place, standings)) return false;
  if (place.has_value()) computed_->push_back(*place);
  return std::all_of(stack.places.begin(), stack.places.end(), [&](size_t i) {
    return Replace(LevelOf(book.grants[i], windows[i], time), level_places_[i], levels);
  });
}

void KeptStandings::Update(const GrantBook& book, const absl::TimeZone& zone, absl::Time time,
                           std::vector<Pool>* pools, Standings* standings, Levels* levels) {
  bool keeps = known_.size() == book.stacks.size();
  computed_.emplace();
  GrantWindows windows(book.grants.size());
  for (size_t k = 0; keeps && k < known_.size(); ++k) {
    Known& known = known_[k];
    const bool is_same = !(*pools)[k].has_changed && known.from <= time && time < known.until;
    if (is_same) continue;
    const std::vector<Period>& periods = (*pools)[k].usage.periods();
    WindowsOfStack(book.stacks[k], periods, zone, time, &windows);
    keeps = ComputeStack(book, windows, k, time, standings, levels);
    known.from = time;
    known.until = NextChange(book.stacks[k], windows, periods, time);
  }
  if (!keeps) {
    computed_.reset();
    ComputeAll(book, zone, time, *pools, standings, levels);
  }
  for (Pool& pool : *pools) pool.has_changed = false;
}

}  // namespace priorityd::grants
