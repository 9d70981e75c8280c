// All limits of a cluster, and in which order a job meets them (docs/semantics.md, section 8).
#ifndef PRIORITYD_SERVER_PRIORITY_LIMITS_H_
#define PRIORITYD_SERVER_PRIORITY_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/priority/association_tree.h"
#include "server/priority/cluster.h"
#include "server/priority/limit_kind.h"
#include "server/priority/tres.h"
#include "server/priority/usage_column.h"

namespace priorityd::priority {

// Usage of one QOS at some time.
struct QosUsage {
  double usage = 0;      // Billing-seconds.
  TresMap tres_seconds;  // By canonical name; what is missing is 0.
  double wall_seconds = 0;
};

// One limit of an association, for it and maybe what is below it, or of a QOS.
struct Limit {
  // The value of `tres` for what is no amount of a TRES.
  static constexpr int kNoTres = -1;

  LimitKind kind = LimitKind::kGrpJobs;
  int tres = kNoTres;  // Index into Limits::tres().
  AssociationIndex association = kNoAssociation;
  int qos = -1;      // -1 = of an association.
  double limit = 0;  // Jobs, seconds, counts or TRES-seconds.
  double used = 0;   // So far, at the time of the usage given; of GrpTRESMins and GrpWall alone.

  bool of_qos() const { return qos >= 0; }
  const LimitRule& rule() const { return RuleOf(kind); }
};

// Whose limits a job meets: the QOS that goes first, then the other one (-1 = none), then those of
// its association that neither replaces. As indices.
struct QosOrder {
  int first = -1;
  int second = -1;
  int own = -1;         // Which of them is the job's, not the partition's.
  int32_t number = -1;  // Among those of its Limits; -1 = it has no limits.
};

// Immutable; empty when default-constructed.
class Limits {
 public:
  // What exceeds a limit by no more than this part of it equals it, and fits.
  static constexpr double kTolerance = 1e-9;

  // Usage by AssociationIndex, rolled up; billing-seconds, and of the other TRES
  // by name. A column that is missing or empty is all 0.
  struct Usage {
    absl::Span<const double> billing_seconds;
    const TresUsage* tres_seconds = nullptr;
    absl::Span<const double> wall_seconds;
    absl::Span<const QosUsage> qos;  // In the order of the QOS.
  };

  // Limits in the order in which they are told, as indices into limits().
  struct Chain {
    std::vector<int32_t> first;   // LimitPhase::kFirst.
    std::vector<int32_t> nodes;   // Of those of the second phase, what a job's nodes alone meet.
    std::vector<int32_t> second;  // LimitPhase::kSecond.
    std::vector<int32_t> submission;  // LimitPhase::kSubmission.

    bool waits_for_any() const { return !first.empty() || !second.empty(); }
  };
  // Those of two QOS, and which kinds of which TRES they take from associations.
  struct QosChain {
    Chain chain;
    std::vector<uint8_t> replaced;  // By slot; empty = none.
    double limit_factor = 1;
    double usage_factor = 1;  // Of the job's own QOS.

    bool Replaces(size_t slot) const { return !replaced.empty() && replaced[slot] != 0; }
  };

  Limits() = default;
  // `tree` must outlive it.
  Limits(const AssociationTree& tree, absl::Span<const Qos> qos,
         absl::Span<const Partition> partitions, const Usage& usage);

  bool empty() const { return limits_.empty(); }
  absl::Span<const Limit> limits() const { return limits_; }
  // Canonical names of the TRES that have a limit somewhere.
  absl::Span<const std::string> tres() const { return tres_; }
  // Where a name stands there; -1 = nowhere.
  int TresIndexOf(absl::string_view canonical_name) const {
    const auto found = std::find(tres_.begin(), tres_.end(), canonical_name);
    return found == tres_.end() ? -1 : static_cast<int>(found - tres_.begin());
  }
  // Slurm's word for a job that waits because of it; static storage.
  absl::string_view WordOf(const Limit& limit) const {
    return LimitWord(limit.kind, limit.of_qos(), limit.tres < 0 ? "" : tres_[limit.tres]);
  }

  // The QOS that a job of a pair meets; -1 = none. Indices.
  QosOrder OrderOf(int partition, int qos) const {
    if (orders_.empty()) return OrderOfQos(QosOfPartition(partition), qos);
    return orders_[first_order_[partition + 1] + qos + 1];
  }
  const QosChain& OfQos(const QosOrder& order) const {
    return order.number < 0 ? none_ : qos_chains_[order.number];
  }
  const Chain& OfAssociation(AssociationIndex i) const { return chains_[ChainOf(i)]; }
  // Associations with the same one meet the same limits of associations.
  int32_t ChainOf(AssociationIndex i) const { return chain_of_.empty() ? 0 : chain_of_[i]; }
  int32_t associations() const { return tree_->size(); }
  // The account of an association: itself, or of a user's the one above it.
  AssociationIndex AccountOf(AssociationIndex i) const {
    return tree_->is_user(i) ? tree_->parent()[i] : i;
  }
  // Where a limit stands among those that a QOS can replace.
  size_t SlotOf(const Limit& limit) const {
    return static_cast<size_t>(limit.kind) * (tres_.size() + 1) +
           static_cast<size_t>(limit.tres - Limit::kNoTres);
  }

  // Whether any limit is a MaxWall or of the TRES node.
  bool of_nodes_or_wall() const { return of_nodes_or_wall_; }
  // Whether a QOS's limit is looked at instead.
  bool IsReplaced(const Limit& limit, const QosChain& qos) const {
    return !limit.of_qos() && qos.Replaces(SlotOf(limit));
  }
  // The limit as it holds under those QOS: by LimitFactor where that counts.
  static double BoundOf(const Limit& limit, const QosChain& qos) {
    const bool by_factor = !limit.of_qos() && limit.rule().by_limit_factor;
    return by_factor ? limit.limit * qos.limit_factor : limit.limit;
  }
  // The MaxWall, in seconds, that jobs of that association have under those QOS; nullopt = none.
  std::optional<double> MaxWallOf(AssociationIndex association, const QosChain& qos) const;

  // --- What jobs are counted in -----------------------------------------------------

  // There is one for each association, each QOS, and each account and user under a QOS
  // that limits those.
  int32_t counters() const { return counters_; }
  // The counter of what counts against the limit for jobs of that association.
  // REQUIRES: the scope is not kJob.
  int32_t CounterOf(const Limit& limit, AssociationIndex i) const;
  // Those of the association's user, under no QOS and under each, into `counters`.
  void UserCountersOf(AssociationIndex i, std::vector<int32_t>* counters) const;
  // All that count a job of that association and these QOS, into `counters`.
  void CountersOf(AssociationIndex i, const QosOrder& order, std::vector<int32_t>* counters) const;

 private:
  class Builder;

  QosOrder OrderOfQos(int of_partition, int qos) const;
  int QosOfPartition(int partition) const {
    return partition < 0 || partition_qos_.empty() ? -1 : partition_qos_[partition];
  }

  struct QosCounters {
    int32_t group = -1;
    int32_t accounts = -1;  // The first one; by AssociationIndex of the account.
    int32_t users = -1;     // The first one; by index of the user.
  };

  std::vector<std::string> tres_;
  std::vector<Limit> limits_;
  std::vector<Chain> chains_ = std::vector<Chain>(1);  // The first is empty.
  std::vector<int32_t> chain_of_;  // By AssociationIndex; empty = no limits of associations.
  std::vector<uint8_t> counted_;   // By AssociationIndex: its counter is read by some limit.
  std::vector<int32_t> user_of_;   // By AssociationIndex; empty = no QOS limits users.
  bool users_counted_ = false;     // Some limit counts the jobs of one user association.
  const AssociationTree* tree_ = nullptr;
  std::vector<QosCounters> qos_counters_;  // By QOS.
  std::vector<int32_t> partition_qos_;     // By partition; -1 = none.
  std::vector<uint8_t> over_part_qos_;     // By QOS.
  std::vector<int32_t> first_order_;       // By partition + 1: its order for no QOS; then by QOS.
  std::vector<QosOrder> orders_;           // By number.
  std::vector<QosChain> qos_chains_;       // The same.
  QosChain none_;
  bool of_nodes_or_wall_ = false;
  int32_t counters_ = 0;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_LIMITS_H_
