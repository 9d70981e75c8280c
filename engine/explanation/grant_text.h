// Sentences about grants of usage.
#ifndef PRIORITYD_ENGINE_EXPLANATION_GRANT_TEXT_H_
#define PRIORITYD_ENGINE_EXPLANATION_GRANT_TEXT_H_

#include <string>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::explanation {

// `grant q4`, `grant q4 of domain site`.
std::string GrantTitle(const priority::GrantStanding& grant);

// `grant q4 of account chem`, `grant q4 of account chem and 2 more`, `grant q4 of user ann in
// account chem`: of its accounts the one nearest above the association. REQUIRES: the grant holds
// for the association.
std::string GrantName(const priority::AssociationTree& tree, const priority::GrantStanding& grant,
                      priority::AssociationIndex association);

// `, with Grace, Borrow and other grants of its owner`: of these what the figures of the grant
// have; empty if none.
std::string WithText(const priority::GrantStanding& grant);

// ` until 2026-12-31T00:00:00+01:00`, when its window ends; empty if it does not by itself.
std::string UntilText(const priority::Snapshot& snapshot, const priority::GrantStanding& grant);

// `QOS standby instead of normal: grant q4 of account chem is used up until
// 2026-12-31T00:00:00+01:00`, for a job of the association under the QOS (an index); empty if its
// own QOS counts.
std::string DemotionText(const priority::Snapshot& snapshot, priority::AssociationIndex association,
                         int qos);

// `; 10% of its points count by grant q4`, for a factor of a job of the association that has
// points; empty if a grant does not reduce it.
std::string ReductionText(const priority::Snapshot& snapshot,
                          priority::AssociationIndex association, priority::ReducedFactor factor);

// `10% of the points of FairShare: grant q4 of account chem is used up until
// 2026-12-31T00:00:00+01:00`, `a priority of at most 1000: grant ...`: each grant that lowers the
// priorities of the association's jobs, but for DemotionText. Each follows `has`.
std::vector<std::string> LoweredTexts(const priority::Snapshot& snapshot,
                                      priority::AssociationIndex association);

// The other consequences of used up grants for the association's jobs, whether one of them is
// affected or not: of kCap, kRefuse and kWarn, as sentences.
std::vector<std::string> GrantNotes(const priority::Snapshot& snapshot,
                                    priority::AssociationIndex association);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_GRANT_TEXT_H_
