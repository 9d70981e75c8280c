// The limits that are set, as one list.
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_VALUES_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_VALUES_H_

#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/limit_kind.h"

namespace priorityd::priority {

std::vector<LimitValue> AllOf(const AssociationLimits& limits);
std::vector<LimitValue> AllOf(const Qos& qos);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMIT_VALUES_H_
