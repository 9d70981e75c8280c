// The changes that would let the later of two jobs come first.
#ifndef PRIORITYD_ENGINE_EXPLANATION_ORDER_CHANGE_H_
#define PRIORITYD_ENGINE_EXPLANATION_ORDER_CHANGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/explanation/branches.h"
#include "engine/explanation/row_pair.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::explanation {

enum class OrderChangeKind {
  kWaiting,    // Both jobs keep waiting and age.
  kUsage,      // Less decayed usage in the later job's branch.
  kRawShares,  // More raw shares for that branch.
  kLowerNice,  // A lower nice value of the later job.
  kRaiseNice,  // A higher nice value of the first job.
};

// One change, with everything else unchanged. Exact: `to` (or `duration`) reverses the order and
// one unit less does not. The unit is a microsecond of waiting, one share, one unit of nice, a
// second of decay, or 2^-32 of the current usage. Not possible: even the largest change does not
// reverse the order. (If F is not monotonic, as in depth-oblivious and with FairTreeTies=slurm, a
// smaller change still might.)
struct OrderChange {
  // The bounds of raw shares and of nice values.
  static constexpr uint32_t kMostRawShares = 2147483646;
  static constexpr int32_t kMostNice = 2147483645;

  OrderChangeKind kind = OrderChangeKind::kWaiting;
  bool possible = false;
  // kUsage, kRawShares: the branch; kNoAssociation = both jobs have the same association.
  priority::AssociationIndex association = priority::kNoAssociation;
  double from = 0;  // The current value: billing-seconds, raw shares, nice; 0 for kWaiting.
  double to = 0;    // The required value; 0 if not possible.
  // kWaiting: the wait after which the order stays reversed. kUsage: the time that decay takes, in
  // whole seconds, without new usage in the branch and with the usage of all others unchanged;
  // unset = usage does not decay, or never reaches `to`.
  std::optional<absl::Duration> duration;
  std::string sentence;
};

// One change of each kind, in the order of the kinds. Scores the two rows repeatedly and computes
// fair-share again up to about seventy times, if the weights make it matter. `branches`: those of
// (later, first); usage and shares are varied for branch[0]. Leaves `sentence` empty.
std::vector<OrderChange> FindOrderChanges(const RowPair& pair,
                                          const std::optional<Branches>& branches);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_ORDER_CHANGE_H_
