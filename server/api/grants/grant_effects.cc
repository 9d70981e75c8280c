#include "server/api/grants/grant_effects.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/grants/consequence.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::rpc {
namespace {

using numbers::NumberText;
using priority::AssociationIndex;
using priority::AssociationTree;
using priority::GrantConsequence;
using priority::GrantStanding;

// Of all, and those for which a grant holds.
struct HeldCount {
  uint64_t all = 0;
  uint64_t held = 0;

  void Add(uint64_t count, bool is_held) {
    all += count;
    if (is_held) held += count;
  }
};

HeldCount UsersHeld(const std::vector<bool>& held, const AssociationTree& tree) {
  HeldCount count;
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (tree.is_user(i)) count.Add(1, held[i]);
  }
  return count;
}

// The pending jobs by association.
std::vector<uint64_t> PendingByAssociation(const queue::QueueState& queue) {
  std::vector<uint64_t> pending(queue.snapshot().tree().size());
  for (const auto& chunk : queue.chunks()) {
    const priority::JobTable& table = chunk->table();
    for (size_t job = 0; job < table.jobs(); ++job) {
      const uint32_t row = table.first_row[job];
      const bool is_pending = row < table.first_row[job + 1] && !table.Running(row);
      if (is_pending) pending[table.association[job]] += chunk->tasks(job);
    }
  }
  return pending;
}

HeldCount JobsHeld(const std::vector<bool>& held, const std::vector<uint64_t>& pending) {
  HeldCount count;
  for (size_t i = 0; i < pending.size(); ++i) count.Add(pending[i], held[i]);
  return count;
}

// The consequence for jobs, as words after `12 of the 40 pending jobs`.
std::string ConsequenceWords(const GrantStanding& grant) {
  const std::string measure = grants::MeasureText(grant.consequence, grant.measure);
  switch (grant.consequence) {
    case GrantConsequence::kDemote:
      return absl::StrCat("have the QOS factor of ", grant.demoted_qos, ", if it is lower");
    case GrantConsequence::kBlock:
      return priority::IsPrice(grant.tres) ? "wait"
                                           : absl::StrCat("wait, if they request ", grant.tres);
    case GrantConsequence::kReduce:
      return absl::StrCat("are demoted by ", measure);
    case GrantConsequence::kBand:
      return absl::StrCat("have a priority of at most ", measure);
    case GrantConsequence::kCap:
      return absl::StrCat("wait while the running ones have ", measure);
    case GrantConsequence::kRefuse:
      return priority::IsPrice(grant.tres)
                 ? "stay, and new ones are refused"
                 : absl::StrCat("stay, and new ones that request ", grant.tres, " are refused");
    case GrantConsequence::kNone:
    case GrantConsequence::kWarn:
      break;
  }
  return "stay as they are";
}

std::string UsedUpText(const GrantStanding& grant, const priority::TresUnit& unit) {
  return absl::StrCat("grant ", grant.name,
                      " is used up at once: ", NumberText(grant.used / unit.seconds, 9), " ",
                      unit.name, " are used");
}

std::string CountsText(const HeldCount& jobs, const HeldCount& users, const GrantStanding& grant) {
  return absl::StrFormat("; %d of the %d pending jobs, of %d of the %d users, %s", jobs.held,
                         jobs.all, users.held, users.all, ConsequenceWords(grant));
}

std::vector<PendingJobs> MostFirst(const std::vector<bool>& held,
                                   const std::vector<uint64_t>& pending) {
  std::vector<PendingJobs> jobs;
  for (AssociationIndex i = 0; i < static_cast<AssociationIndex>(pending.size()); ++i) {
    if (held[i] && pending[i] > 0) jobs.push_back({i, pending[i]});
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const PendingJobs& a, const PendingJobs& b) { return a.jobs > b.jobs; });
  return jobs;
}

}  // namespace

GrantImpact GrantImpacts::Of(const GrantStanding& grant) {
  const priority::TresUnit unit = queue_.snapshot().UnitOf(grant);
  if (!priority::IsUsedUp(grant)) {
    return {absl::StrCat(
                "grant ", grant.name, " is not used up: ", NumberText(grant.used / unit.seconds, 9),
                " of ", NumberText(grant.available / unit.seconds, 9), " ", unit.name, " are used"),
            {}};
  }
  GrantImpact impact{UsedUpText(grant, unit), {}};
  if (counted_ == kMostCounted) return impact;
  ++counted_;
  const AssociationTree& tree = queue_.snapshot().tree();
  const std::vector<bool> held = owners_.HeldByAny({&grant});
  const std::vector<uint64_t>& pending = Pending();
  impact.text += CountsText(JobsHeld(held, pending), UsersHeld(held, tree), grant);
  impact.pending = MostFirst(held, pending);
  return impact;
}

const std::vector<uint64_t>& GrantImpacts::Pending() {
  if (pending_.empty()) pending_ = PendingByAssociation(queue_);
  return pending_;
}

std::vector<std::string> EffectTexts(const queue::QueueState& queue,
                                     absl::Span<const GrantStanding> standings) {
  GrantImpacts impacts(queue);
  std::vector<std::string> texts;
  size_t more = 0;
  for (const GrantStanding& grant : standings) {
    if (grant.consequence == GrantConsequence::kNone || !priority::IsUsedUp(grant)) continue;
    if (texts.size() < GrantImpacts::kMostCounted) {
      texts.push_back(impacts.Of(grant).text);
    } else {
      ++more;
    }
  }
  if (more > 0) texts.push_back(absl::StrCat(more, " more grants are used up at once"));
  return texts;
}

}  // namespace priorityd::rpc
