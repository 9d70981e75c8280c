// The QOS of who names none.
#ifndef PRIORITYD_SERVER_PRIORITY_DEFAULT_QOS_H_
#define PRIORITYD_SERVER_PRIORITY_DEFAULT_QOS_H_

#include "absl/strings/string_view.h"
#include "server/priority/association_tree.h"

namespace priorityd::priority {

// The QOS that a cluster is made with, and that a job has which nothing else gives one.
inline constexpr absl::string_view kNormalQos = "normal";

// Of a job or a usage record of the association that names no QOS (docs/semantics.md, section 2):
// its DefaultQOS, own or inherited from an account below root; else the only one of its list; else
// root's DefaultQOS; else kNormalQos where that exists. Empty = none. Whether the list allows it,
// and whether it exists, is the caller's to look at. Valid as long as `tree`.
absl::string_view DefaultQos(const AssociationTree& tree, AssociationIndex association,
                             bool normal_exists);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_DEFAULT_QOS_H_
