#include "engine/priority/ranking/limit_rooms.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"

namespace priorityd::priority {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

}  // namespace

bool LimitRooms::Fit(const JobTable& table, const LimitDemands& demands, size_t row) {
  const AssociationIndex association = table.association[table.job[row]];
  const QosOrder order = limits_.OrderOf(table.partition[row], table.qos[row]);
  const Class of = {limits_.AccountOf(association), limits_.ChainOf(association), order.number};
  auto found = rooms_.find(of);
  if (found == rooms_.end()) {
    found = rooms_.emplace(of, Make(association, limits_.OfQos(order))).first;
  }
  const Room& room = found->second;
  const LimitDemands::Wanted wanted = demands.WantedBy(row);
  if (room.jobs < 1 || wanted.seconds > room.seconds) return false;
  for (size_t i = 0; i < room.tres.size(); ++i) {
    const TresRoom& most = room.tres[i];
    const double count = wanted.tres[i];
    if (count < most.least) return false;
    if (count == 0) continue;
    if (count > most.count || count * wanted.seconds > most.tres_seconds ||
        count > most.per_node * wanted.nodes) {
      return false;
    }
  }
  return !room.of_users || NothingRuns(association);
}

bool LimitRooms::NothingRuns(AssociationIndex association) {
  if (running_.empty()) running_.resize(limits_.associations());
  Running& running = running_[association];
  if (running == Running::kUnknown) {
    limits_.UserCountersOf(association, &counters_);
    const bool nothing = absl::c_all_of(
        counters_, [this](int32_t counter) { return check_.counts().jobs(counter) == 0; });
    running = nothing ? Running::kNothing : Running::kSomething;
  }
  return running == Running::kNothing;
}

LimitRooms::Room LimitRooms::Make(AssociationIndex association, const Limits::QosChain& qos) const {
  Room room = {kEndless, kEndless, {}, false};
  room.tres.resize(limits_.tres().size(), TresRoom{kEndless, kEndless, kEndless, 0});
  const Limits::Chain& own = limits_.OfAssociation(association);
  for (const auto* chain : {&qos.chain.first, &qos.chain.second, &own.first, &own.second}) {
    for (const int32_t i : *chain) Narrow(limits_.limits()[i], qos, association, &room);
  }
  return room;
}

void LimitRooms::Narrow(const Limit& limit, const Limits::QosChain& qos,
                        AssociationIndex association, Room* room) const {
  if (limits_.IsReplaced(limit, qos)) return;
  const LimitRule& rule = limit.rule();
  const bool of_user = rule.scope == LimitScope::kUser;
  room->of_users |= of_user;
  const double most = check_.RoomUnder(limit, qos, association, !of_user);
  const auto narrow = [most](double& room) { room = std::min(room, most); };
  switch (rule.measure) {
    case LimitMeasure::kJobs:
      return narrow(room->jobs);
    case LimitMeasure::kWall:
      return narrow(room->seconds);
    case LimitMeasure::kTres:
      if (!rule.is_least) return narrow(room->tres[limit.tres].count);
      room->tres[limit.tres].least = std::max(room->tres[limit.tres].least, limit.limit);
      return;
    case LimitMeasure::kTresPerNode:
      return narrow(room->tres[limit.tres].per_node);
    case LimitMeasure::kTresSeconds:
      return narrow(room->tres[limit.tres].tres_seconds);
  }
}

}  // namespace priorityd::priority
