#include "server/recalculation/schedule.h"

#include <algorithm>
#include <cstdint>

#include "engine/errors/error_details.h"

namespace priorityd::recalculation {
namespace {

// FAILED_PRECONDITION alone is also a row that refers to none, which another attempt may not meet.
bool NeedsMoreThanARetry(const absl::Status& status) {
  return absl::IsNotFound(status) || errors::ReasonOf(status) == "AS_OF_NEEDED";
}

}  // namespace

absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now) {
  if (now < anchor) return anchor;
  absl::Duration rest;
  const int64_t periods = absl::IDivDuration(now - anchor, period, &rest);
  return anchor + (periods + 1) * period;
}

void Schedule::Add(const std::string& cluster, absl::Time last, absl::Duration period,
                   absl::Time wake) {
  const auto [found, is_new] = entries_.try_emplace(cluster);
  if (!is_new) return;
  found->second.anchor = last;
  found->second.period = period;
  found->second.last = last;
  SetDue(cluster, found->second, std::min(last + period, wake));
}

void Schedule::Remove(absl::string_view cluster) {
  const auto found = entries_.find(cluster);
  if (found == entries_.end()) return;
  by_due_.erase({found->second.due, found->first});
  entries_.erase(found);
}

void Schedule::Clear() {
  entries_.clear();
  by_due_.clear();
}

void Schedule::Hasten(const std::string& cluster, absl::Time now) {
  const auto found = entries_.find(cluster);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.hastened = true;
  SetDue(cluster, entry, std::min(entry.due, std::max(now, entry.last + kBetweenHastened)));
}

void Schedule::Begun(const std::string& cluster) {
  const auto found = entries_.find(cluster);
  if (found != entries_.end()) found->second.hastened = false;
}

void Schedule::Succeeded(const std::string& cluster, const priority::Policy& policy, absl::Time now,
                         absl::Time wake) {
  if (policy.clock == priority::ClockMode::kManual) return Remove(cluster);
  Entry& entry = entries_[cluster];
  if (entry.period != policy.calc_period) {
    entry.anchor = now;
    entry.period = policy.calc_period;
  }
  entry.last = now;
  const absl::Time soonest = now + kBetweenHastened;
  const absl::Time early = entry.hastened ? soonest : std::max(wake, soonest);
  SetDue(cluster, entry, std::min(NextDue(entry.anchor, entry.period, now), early));
}

void Schedule::Failed(const std::string& cluster, const absl::Status& status, absl::Time now) {
  if (NeedsMoreThanARetry(status)) return Remove(cluster);
  SetDue(cluster, entries_[cluster], now + kRetryDelay);
}

std::optional<std::string> Schedule::Due(absl::Time now, Which which) const {
  for (const auto& [due, cluster] : by_due_) {
    if (due > now) break;
    if (which(cluster)) return cluster;
  }
  return std::nullopt;
}

absl::Time Schedule::NextWake(Which which) const {
  for (const auto& [due, cluster] : by_due_) {
    if (which(cluster)) return due;
  }
  return absl::InfiniteFuture();
}

std::optional<absl::Time> Schedule::DueAt(absl::string_view cluster) const {
  const auto found = entries_.find(cluster);
  if (found == entries_.end()) return std::nullopt;
  return found->second.due;
}

void Schedule::SetDue(const std::string& cluster, Entry& entry, absl::Time due) {
  by_due_.erase({entry.due, cluster});
  entry.due = due;
  by_due_.emplace(due, cluster);
}

}  // namespace priorityd::recalculation
