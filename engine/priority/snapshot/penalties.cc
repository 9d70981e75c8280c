#include "engine/priority/snapshot/penalties.h"

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "engine/priority/limits/grant_owners.h"

namespace priorityd::priority {
namespace {

bool HasPenalty(const GrantStanding& grant) {
  return grant.consequence >= GrantConsequence::kReduce && IsUsedUp(grant);
}

void AddPart(Penalty::Part* part, double most, int32_t index) {
  if (part->grant < 0 || most < part->part) *part = {most, index};
}

void AddReduction(const GrantMeasure& measure, int32_t index, Penalty* penalty) {
  if (measure.factor != ReducedFactor::kAll) {
    return AddPart(&penalty->parts[static_cast<size_t>(measure.factor)], measure.most, index);
  }
  for (Penalty::Part& part : penalty->parts) AddPart(&part, measure.most, index);
}

void AddGrant(const GrantStanding& grant, int32_t index, Penalty* penalty) {
  switch (grant.consequence) {
    case GrantConsequence::kReduce:
      return AddReduction(grant.measure, index, penalty);
    case GrantConsequence::kBand:
      if (penalty->band_grant >= 0 && penalty->band <= grant.measure.most) return;
      penalty->band = grant.measure.most;
      penalty->band_grant = index;
      return;
    case GrantConsequence::kCap:
      return penalty->capping.push_back(index);
    case GrantConsequence::kRefuse:
      return penalty->refusing.push_back(index);
    case GrantConsequence::kWarn:
      return penalty->warning.push_back(index);
    case GrantConsequence::kNone:
    case GrantConsequence::kDemote:
    case GrantConsequence::kBlock:
      return;
  }
}

}  // namespace

bool Penalty::lowers() const {
  return band_grant >= 0 || absl::c_any_of(parts, [](const Part& part) { return part.grant >= 0; });
}

Penalties::Penalties(const AssociationTree& tree, const GrantStandings& grants) {
  absl::flat_hash_map<AssociationIndex, std::vector<int32_t>> own;
  GrantOwners owners(tree);
  for (size_t i = 0; i < grants.size(); ++i) {
    if (!HasPenalty(grants[i])) continue;
    for (const AssociationIndex owner : owners.Of(grants[i])) {
      own[owner].push_back(static_cast<int32_t>(i));
    }
  }
  if (own.empty()) return;
  by_.resize(tree.size(), -1);
  // A parent precedes its children.
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    if (i > 0) by_[i] = by_[tree.parent()[i]];
    const auto found = own.find(i);
    if (found == own.end()) continue;
    Penalty penalty = by_[i] < 0 ? Penalty() : penalties_[by_[i]];
    for (const int32_t index : found->second) AddGrant(grants[index], index, &penalty);
    by_[i] = static_cast<int32_t>(penalties_.size());
    lower_ |= penalty.lowers();
    penalties_.push_back(std::move(penalty));
  }
}

}  // namespace priorityd::priority
