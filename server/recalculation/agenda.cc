#include "server/recalculation/agenda.h"

#include <algorithm>
#include <utility>

namespace priorityd::recalculation {

bool Agenda::MayBegin(const std::string& cluster) const {
  if (at_work_.contains(cluster)) return false;
  return slow_at_work_ < std::max(1, workers_ / 2) || !slow_.contains(cluster);
}

std::deque<std::shared_ptr<const Demand>>::const_iterator Agenda::NextDemand() const {
  return std::find_if(demands_.begin(), demands_.end(),
                      [this](const auto& demand) { return MayBegin(demand->cluster); });
}

std::optional<Agenda::Work> Agenda::TakeDemand() {
  const auto next = NextDemand();
  if (next == demands_.end()) return std::nullopt;
  Work work = {(*next)->cluster, *next};
  demands_.erase(next);
  return work;
}

std::optional<Agenda::Work> Agenda::TakeDue(absl::Time now) {
  std::optional<std::string> due =
      schedule_.Due(now, [this](const std::string& cluster) { return MayBegin(cluster); });
  if (!due.has_value()) return std::nullopt;
  return Work{*std::move(due), nullptr};
}

// Demands and due clusters alternate, so that neither delays the other.
std::optional<Agenda::Work> Agenda::Take(absl::Time now, bool leads) {
  std::optional<Work> work;
  if (due_first_ && leads) work = TakeDue(now);
  if (!work.has_value()) work = TakeDemand();
  if (!work.has_value() && leads) work = TakeDue(now);
  if (!work.has_value()) return std::nullopt;
  due_first_ = work->demand != nullptr;
  at_work_.insert(work->cluster);
  if (!work->demand || !work->demand->numbers_of.has_value()) schedule_.Begun(work->cluster);
  if (slow_.contains(work->cluster)) ++slow_at_work_;
  return work;
}

void Agenda::Finish(const std::string& cluster, absl::Duration took) {
  at_work_.erase(cluster);
  if (slow_.erase(cluster) > 0) --slow_at_work_;
  if (took > kSlow) slow_.insert(cluster);
}

absl::Time Agenda::NextWake(bool leads) const {
  if (NextDemand() != demands_.end()) return absl::InfinitePast();
  if (!leads) return absl::InfiniteFuture();
  return schedule_.NextWake([this](const std::string& cluster) { return MayBegin(cluster); });
}

std::deque<std::shared_ptr<const Demand>> Agenda::TakeDemands() {
  return std::exchange(demands_, {});
}

}  // namespace priorityd::recalculation
