#include "server/metrics/domain_metrics.h"

#include <cstdint>
#include <map>
#include <string>

#include "server/status/domain_standstill.h"

namespace priorityd::metrics {
namespace {

using status::Standstill;

struct StillMembers {
  int64_t overdue = 0;
  int64_t manual_clock = 0;
};

const priority::Snapshot* Newest(const Snapshots& snapshots, const std::string& cluster) {
  const auto found = snapshots.find(cluster);
  return found == snapshots.end() ? nullptr : found->second.get();
}

bool IsManual(const priority::Snapshot* snapshot, absl::Time now) {
  return snapshot != nullptr && status::PaceOf(*snapshot, now).is_manual;
}

}  // namespace

void AddDomains(const std::vector<storage::DomainMember>& members, const Snapshots& snapshots,
                absl::Time now, ClusterLabels* labels, Families* families) {
  std::map<std::string, StillMembers> by_label;
  for (const storage::DomainMember& member : members) {
    const priority::Snapshot* domain = Newest(snapshots, member.domain);
    if (domain == nullptr) continue;
    StillMembers& still = by_label[labels->Of(member.domain)];
    const bool is_manual = IsManual(Newest(snapshots, member.cluster), now);
    const Standstill standstill = StandstillOf(status::PaceOf(*domain, now), is_manual);
    if (standstill == Standstill::kOverdue) ++still.overdue;
    if (standstill == Standstill::kManualClock) ++still.manual_clock;
  }
  Family family = families->Gauge(
      "priorityd_domain_members_still",
      "Members of a usage domain that get no newer fair-share: its recalculation is overdue, or it "
      "is on a manual clock");
  for (const auto& [label, still] : by_label) {
    family.Add(static_cast<double>(still.overdue), {{"cluster", label}, {"reason", "overdue"}});
    family.Add(static_cast<double>(still.manual_clock),
               {{"cluster", label}, {"reason", "manual_clock"}});
  }
}

}  // namespace priorityd::metrics
