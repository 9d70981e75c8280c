// GrpTRESMins and GrpWall: how much may be used before jobs have to wait
// (docs/semantics.md, section 7, "Limits").
#ifndef PRIORITYD_SERVER_PRIORITY_USAGE_LIMITS_H_
#define PRIORITYD_SERVER_PRIORITY_USAGE_LIMITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/priority/tres.h"
#include "server/priority/usage_column.h"

namespace priorityd::priority {

// Usage of one QOS at some time.
struct QosUsage {
  double usage = 0;      // Billing-seconds.
  TresMap tres_seconds;  // By canonical name; what is missing is 0.
  double wall_seconds = 0;
};

// One limit: of an association with everything below it, or of a QOS.
struct UsageLimit {
  // The value of `tres` for GrpWall.
  static constexpr int kWall = -1;

  int tres = kWall;  // Index into UsageLimits::tres().
  AssociationIndex association = kNoAssociation;
  int qos = -1;      // -1 = of an association.
  double limit = 0;  // TRES-seconds; of kWall seconds, like `used`.
  double used = 0;   // So far, at the time of the usage given.

  bool of_qos() const { return qos >= 0; }
};

// All limits of a cluster. Immutable; empty when default-constructed.
class UsageLimits {
 public:
  // Usage by AssociationIndex, rolled up; billing-seconds, and of the other TRES
  // by name. A column that is missing or empty is all 0.
  struct Usage {
    absl::Span<const double> billing_seconds;
    const TresUsage* tres_seconds = nullptr;
    absl::Span<const double> wall_seconds;
    absl::Span<const QosUsage> qos;  // In the order of the QOS.
  };

  UsageLimits() = default;
  UsageLimits(const AssociationTree& tree, absl::Span<const Qos> qos, const Usage& usage);

  bool empty() const { return limits_.empty(); }
  absl::Span<const UsageLimit> limits() const { return limits_; }
  // Canonical names of the TRES that have a limit somewhere.
  absl::Span<const std::string> tres() const { return tres_; }

  // The limits that concern the jobs of an association, as indices into
  // limits(): GrpTRESMins of itself and of the accounts above it, nearest first,
  // each by TRES name; then GrpWall likewise.
  absl::Span<const int32_t> OfAssociation(AssociationIndex i) const {
    return chain_of_.empty() ? absl::Span<const int32_t>() : Chain(chain_of_[i]);
  }
  // The same of a QOS; none for -1.
  absl::Span<const int32_t> OfQos(int qos) const {
    return qos < 0 || qos_chain_.empty() ? absl::Span<const int32_t>() : Chain(qos_chain_[qos]);
  }

 private:
  absl::Span<const int32_t> Chain(int32_t chain) const {
    const int32_t begin = chain_begin_[chain];
    return absl::MakeConstSpan(chains_).subspan(begin, chain_begin_[chain + 1] - begin);
  }
  void AddAssociations(const AssociationTree& tree, const Usage& usage);
  void AddQos(absl::Span<const Qos> qos, const Usage& usage);
  // Starts with the limits from `first` on; `above` is the chain of the parent.
  int32_t AddChain(size_t first, int32_t above);
  int TresIndex(const std::string& name);

  std::vector<std::string> tres_;
  std::vector<UsageLimit> limits_;
  // Chains of limits, one after another; the first is empty.
  std::vector<int32_t> chains_;
  std::vector<int32_t> chain_begin_ = {0, 0};
  std::vector<int32_t> chain_of_;   // By AssociationIndex; empty = no limits.
  std::vector<int32_t> qos_chain_;  // By QOS; empty = no limits.
};

// Slurm's word for a job that waits because of a limit: AssocGrpBillingMinutes,
// QOSGrpCPUMinutesLimit, AssocGrpWallLimit, ... Static storage.
absl::string_view LimitReasonName(const UsageLimits& limits, const UsageLimit& limit);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_USAGE_LIMITS_H_
