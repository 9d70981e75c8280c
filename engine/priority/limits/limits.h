// The limits of a cluster and the order in which they apply (docs/semantics.md, section 8).
#ifndef PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMITS_H_
#define PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/usage_column.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/cluster.h"
#include "engine/priority/site/grant_standings.h"
#include "engine/priority/site/limit_kind.h"
#include "engine/priority/site/tres.h"

namespace priorityd::priority {

// Usage of one QOS, decayed to the time of the snapshot.
struct QosUsage {
  double usage = 0;      // Billing-seconds.
  TresMap tres_seconds;  // By canonical name; a missing name has 0.
  double wall_seconds = 0;
};

// One limit of an association (by LimitScope for its subtree too) or of a QOS; or what a grant
// allows an association: a GrpTRESMins whose usage does not decay, or for kCap a GrpTRES. No QOS
// replaces or multiplies it, and the running jobs of all owners of the grant count against it.
struct Limit {
  // The value of `tres` for limits on jobs or time.
  static constexpr int kNoTres = -1;

  LimitKind kind = LimitKind::kGrpJobs;
  int tres = kNoTres;  // Index into Limits::tres().
  AssociationIndex association = kNoAssociation;
  int qos = -1;        // -1 = a limit of an association.
  int32_t grant = -1;  // Index into the grants of the snapshot; -1 = none, a setting.
  // Of a grant of a usage domain, which counts what all members have used, or of money without
  // prices: neither running jobs nor the demand of a job count, whatever AccountingStorageEnforce
  // says.
  bool by_usage_alone = false;
  double limit = 0;  // Jobs, seconds, counts or TRES-seconds.
  double used = 0;   // Past usage at the time of the snapshot; GrpTRESMins and GrpWall only.

  bool of_qos() const { return qos >= 0; }
  bool of_grant() const { return grant >= 0; }
  const LimitRule& rule() const { return RuleOf(kind); }
};

// The owners of the limits that apply to a job, as indices (-1 = none): the first QOS, the second
// QOS, then the associations, whose limits a QOS can replace.
struct QosOrder {
  int first = -1;
  int second = -1;
  int own = -1;         // The QOS of the job, as opposed to that of the partition.
  int32_t number = -1;  // Index into the orders of its Limits; -1 = no limits.
};

// Immutable; empty if default-constructed. Copies share everything but the past usage.
class Limits {
 public:
  // A value that exceeds a limit by at most this part of the limit counts as equal and fits.
  static constexpr double kTolerance = 1e-9;

  // Usage by AssociationIndex, rolled up: billing-seconds, TRES-seconds by name, wall seconds. A
  // missing or empty column is all 0.
  struct Usage {
    absl::Span<const double> billing_seconds;
    const TresUsage* tres_seconds = nullptr;
    absl::Span<const double> wall_seconds;
    absl::Span<const QosUsage> qos;  // In the order of the QOS.
  };

  // The standings of grants; those that HoldsJobs limit their owners.
  struct Grants {
    const GrantStandings& standings;
    GrantEnforcement enforced;
    bool no_settings = false;  // Nothing but grants limits.
  };

  // Limits in the order in which they are checked and reported, as indices into limits().
  struct Chain {
    std::vector<int32_t> first;       // LimitPhase::kFirst.
    std::vector<int32_t> nodes;       // The limits of the second phase on a job's node count.
    std::vector<int32_t> second;      // LimitPhase::kSecond.
    std::vector<int32_t> submission;  // LimitPhase::kSubmission.
    std::vector<int32_t> grants;      // The limits of `second` that are of a grant.
  };
  // The limits of two QOS, and the limits of associations that they replace.
  struct QosChain {
    Chain chain;
    std::vector<uint8_t> replaced;  // By slot; empty = none.
    double limit_factor = 1;
    double usage_factor = 1;  // UsageFactor of the job's own QOS.

    bool Replaces(size_t slot) const { return !replaced.empty() && replaced[slot] != 0; }
  };

  Limits() = default;
  // `tree` must outlive it.
  Limits(const AssociationTree& tree, absl::Span<const Qos> qos,
         absl::Span<const Partition> partitions, const Usage& usage)
      : Limits(tree, qos, partitions, usage, {GrantStandings()}) {}
  Limits(const AssociationTree& tree, absl::Span<const Qos> qos,
         absl::Span<const Partition> partitions, const Usage& usage, const Grants& grants);
  // The same limits with other past usage, and with what `grants` leave then: those with which
  // these limits were made, by index; one that does not hold jobs limits nothing. Takes time in the
  // number of limits.
  Limits WithUsage(const Usage& usage, const Grants& grants) const;

  bool empty() const { return limits_.empty(); }
  absl::Span<const Limit> limits() const { return limits_; }
  // Canonical names of the TRES that any limit names.
  absl::Span<const std::string> tres() const { return rules_->tres; }
  // The index of a name in tres(); -1 = not found.
  int TresIndexOf(absl::string_view canonical_name) const {
    const auto found = std::find(tres().begin(), tres().end(), canonical_name);
    return found == tres().end() ? -1 : static_cast<int>(found - tres().begin());
  }
  // Whether a TRES, an index, is money of a price book of which the price of a job is known: it
  // counts without UsageFactor.
  bool IsPriced(int tres) const { return tres >= 0 && rules_->priced[tres] != 0; }
  // Slurm's reason for a job that waits because of the limit; static storage.
  absl::string_view WordOf(const Limit& limit) const {
    return LimitWord(limit.kind, limit.of_qos(), limit.tres < 0 ? "" : tres()[limit.tres]);
  }

  // The QOS whose limits apply to a pair. Indices; -1 = none.
  QosOrder OrderOf(int partition, int qos) const {
    const Rules& rules = *rules_;
    if (rules.orders.empty()) return OrderOfQos(QosOfPartition(partition), qos);
    return rules.orders[rules.first_order[partition + 1] + qos + 1];
  }
  const QosChain& OfQos(const QosOrder& order) const {
    return order.number < 0 ? rules_->none : rules_->qos_chains[order.number];
  }
  const Chain& OfAssociation(AssociationIndex i) const { return rules_->chains[ChainOf(i)]; }
  // The number of an association's chain; associations with the same chain have the same limits.
  int32_t ChainOf(AssociationIndex i) const {
    return rules_->chain_of.empty() ? 0 : rules_->chain_of[i];
  }
  int32_t associations() const { return rules_->tree->size(); }
  // The account of an association: its parent for a user, else the association itself.
  AssociationIndex AccountOf(AssociationIndex i) const {
    return rules_->tree->is_user(i) ? rules_->tree->parent()[i] : i;
  }
  // The index of a limit in QosChain::replaced.
  size_t SlotOf(const Limit& limit) const {
    return static_cast<size_t>(limit.kind) * (tres().size() + 1) +
           static_cast<size_t>(limit.tres - Limit::kNoTres);
  }

  // Whether any limit is a MaxWall or of the TRES node.
  bool of_nodes_or_wall() const { return rules_->of_nodes_or_wall; }
  // Whether a limit of a QOS replaces this limit of an association.
  bool IsReplaced(const Limit& limit, const QosChain& qos) const {
    return !limit.of_qos() && !limit.of_grant() && qos.Replaces(SlotOf(limit));
  }
  // The effective limit under those QOS, LimitFactor applied.
  static double BoundOf(const Limit& limit, const QosChain& qos) {
    const bool by_factor = !limit.of_qos() && !limit.of_grant() && limit.rule().by_limit_factor;
    return by_factor ? limit.limit * qos.limit_factor : limit.limit;
  }
  // MaxWall in seconds for jobs of that association under those QOS; nullopt = none.
  std::optional<double> MaxWallOf(AssociationIndex association, const QosChain& qos) const;

  // --- Counters ---------------------------------------------------------------------

  // One for each association, each QOS, each account and user under a QOS that limits them, and
  // each grant.
  int32_t counters() const { return rules_->counters; }
  // The counter whose jobs count against the limit, for a job of that association.
  // REQUIRES: the scope is not kJob.
  int32_t CounterOf(const Limit& limit, AssociationIndex i) const;
  // Fills `counters` with those of the association's user: without a QOS and under each QOS.
  void UserCountersOf(AssociationIndex i, std::vector<int32_t>* counters) const;
  // Fills `counters` with all that count a job of that association and those QOS.
  void CountersOf(AssociationIndex i, const QosOrder& order, std::vector<int32_t>* counters) const;

 private:
  class Builder;

  struct QosCounters {
    int32_t group = -1;
    int32_t accounts = -1;  // Of the first account; others follow by AssociationIndex.
    int32_t users = -1;     // Of the first user; others follow by index of the user.
  };

  // All that does not depend on usage.
  struct Rules {
    std::vector<std::string> tres;
    std::vector<uint8_t> priced;                        // By index of `tres`.
    std::vector<Chain> chains = std::vector<Chain>(1);  // The first is empty.
    std::vector<int32_t> chain_of;  // By AssociationIndex; empty = no limits of associations.
    std::vector<uint8_t> counted;   // By AssociationIndex: whether some limit reads its counter.
    std::vector<int32_t> user_of;   // By AssociationIndex; empty = no QOS limits users.
    bool users_counted = false;     // Whether some limit counts jobs per user association.
    const AssociationTree* tree = nullptr;
    std::vector<QosCounters> qos_counters;  // By QOS.
    std::vector<int32_t> partition_qos;     // By partition; -1 = none.
    std::vector<uint8_t> over_part_qos;     // By QOS.
    std::vector<int32_t> first_order;       // By partition + 1: the order without a QOS; the orders
                                            // by QOS follow it.
    std::vector<QosOrder> orders;           // By number.
    std::vector<QosChain> qos_chains;       // By number.
    std::vector<int32_t> of_usage;          // The limits that count past usage, without grants.
    int32_t first_grant = 0;                // The counter of the first grant; others follow.
    QosChain none;
    bool of_nodes_or_wall = false;
    int32_t counters = 0;
  };
  static std::shared_ptr<const Rules> NoRules();

  QosOrder OrderOfQos(int of_partition, int qos) const;
  int QosOfPartition(int partition) const {
    const std::vector<int32_t>& of = rules_->partition_qos;
    return partition < 0 || of.empty() ? -1 : of[partition];
  }
  void SetUsage(const Usage& usage);

  std::shared_ptr<const Rules> rules_ = NoRules();
  std::vector<Limit> limits_;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_LIMITS_LIMITS_H_
