// The QOS of jobs and usage records that name none.
#ifndef PRIORITYD_ENGINE_PRIORITY_JOBS_DEFAULT_QOS_H_
#define PRIORITYD_ENGINE_PRIORITY_JOBS_DEFAULT_QOS_H_

#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

// The QOS that every new cluster has; the default of last resort.
inline constexpr absl::string_view kNormalQos = "normal";

// The QOS of a job or usage record of the association that names no QOS (docs/semantics.md,
// section 2): the association's DefaultQOS, own or inherited from an account below root; else the
// only QOS of its list; else root's DefaultQOS; else kNormalQos if it exists. Empty = none. The
// caller checks whether the list allows the QOS and whether it exists. Valid as long as `tree`.
absl::string_view DefaultQos(const AssociationTree& tree, AssociationIndex association,
                             bool normal_exists);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_JOBS_DEFAULT_QOS_H_
