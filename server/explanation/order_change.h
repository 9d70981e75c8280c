// What would have to change for the later of two jobs to come first.
#ifndef PRIORITYD_SERVER_EXPLANATION_ORDER_CHANGE_H_
#define PRIORITYD_SERVER_EXPLANATION_ORDER_CHANGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/explanation/branches.h"
#include "server/explanation/row_pair.h"
#include "server/priority/association_tree.h"

namespace priorityd::explanation {

enum class OrderChangeKind {
  kWaiting,    // Both jobs wait on and age.
  kUsage,      // Less decayed usage in the later job's branch.
  kRawShares,  // More raw shares for that branch.
  kLowerNice,  // A lower nice value of the later job.
  kRaiseNice,  // A higher nice value of the first job.
};

// One change by itself, everything else as it is. Exact: with `to` (or after
// `duration`) the order is turned, one less of it and it is not; one is a microsecond of
// waiting, a share, a unit of nice, a second of decay, and 2^-32 of the present usage.
// Not possible: not by the most there can be. (Where F need not rise steadily, in
// depth-oblivious and with FairTreeTies=slurm, less than the most might all the same.)
struct OrderChange {
  // The bounds of raw shares and of nice values.
  static constexpr uint32_t kMostRawShares = 2147483646;
  static constexpr int32_t kMostNice = 2147483645;

  OrderChangeKind kind = OrderChangeKind::kWaiting;
  bool possible = false;
  // kUsage, kRawShares: the branch. kNoAssociation: the two have one association.
  priority::AssociationIndex association = priority::kNoAssociation;
  double from = 0;  // As it is: billing-seconds, raw shares, nice; 0 for kWaiting.
  double to = 0;    // As it would have to be; 0 if not possible.
  // kWaiting: how much longer, from then on for good. kUsage: how long decay takes
  // for it, in whole seconds, without new usage in the branch while the usage of
  // all others stays as it is; unset = usage does not decay, or never so far.
  std::optional<absl::Duration> duration;
  std::string sentence;
};

// One of each kind, in their order. Found by scoring the two rows and computing
// fair-share again: the latter up to some seventy times, if the weights let it
// matter. `branches` are those of (later, first): of branch[0] the usage and shares
// are asked. Leaves `sentence` empty.
std::vector<OrderChange> FindOrderChanges(const RowPair& pair,
                                          const std::optional<Branches>& branches);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_ORDER_CHANGE_H_
