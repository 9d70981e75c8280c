#include "engine/explanation/order_change.h"

#include <cmath>
#include <cstdint>
#include <optional>

#include "engine/explanation/bisection.h"
#include "engine/explanation/branch_change.h"
#include "engine/explanation/branch_sketch.h"
#include "engine/explanation/waiting_time.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::explanation {
namespace {

constexpr int kFirst = 0;
constexpr int kLater = 1;

OrderChange Waiting(const RowPair& pair) {
  OrderChange change;
  change.kind = OrderChangeKind::kWaiting;
  change.duration = WaitingTimeToTurn(pair);
  change.possible = change.duration.has_value();
  return change;
}

// Changes nice in the direction of `step` (1 or -1).
OrderChange Nice(const RowPair& pair, int side, int step) {
  const int64_t now = pair.inputs().nice[side];
  const int64_t most = OrderChange::kMostNice - step * now;
  const auto turned = [&](int64_t by) {
    PairInputs inputs = pair.inputs();
    inputs.nice[side] = static_cast<int32_t>(now + step * by);
    return pair.Turned(inputs);
  };
  OrderChange change;
  change.kind = side == kLater ? OrderChangeKind::kLowerNice : OrderChangeKind::kRaiseNice;
  change.from = static_cast<double>(now);
  change.possible = most > 0 && turned(most);
  if (change.possible) {
    change.to = static_cast<double>(now + step * FirstThatHolds(0, most, turned));
  }
  return change;
}

// Varies the branch of the later row.
class BranchQuestions {
 public:
  BranchQuestions(const RowPair& pair, priority::AssociationIndex branch)
      : pair_(pair), snapshot_(pair.queue().snapshot()), change_(snapshot_, branch) {
    if (snapshot_.policy().algorithm == priority::FairShareAlgorithm::kFairTree) {
      sketch_.emplace(snapshot_, branch);
    }
  }

  OrderChange Usage() const {
    OrderChange change;
    change.kind = OrderChangeKind::kUsage;
    change.association = change_.branch();
    change.from = snapshot_.fair_share().usage[change_.branch()];
    change.possible = change.from > 0 && pair_.FairShareCounts() && Turned(change_.WithUsage(0));
    if (!change.possible) return change;
    const int64_t less = First(
        0, kWhole, [this](int64_t n) { return Turned(change_.WithUsage(KeptWithout(n))); },
        [this](const BranchSketch& sketch, int side, int64_t n) {
          return sketch.FairShareWithUsage(pair_.association(side), KeptWithout(n));
        });
    change.to = change.from * KeptWithout(less);
    change.duration = DecayTime(less);
    return change;
  }

  OrderChange RawShares() {
    const priority::AssociationTree& tree = snapshot_.tree();
    OrderChange change;
    change.kind = OrderChangeKind::kRawShares;
    change.association = change_.branch();
    if (tree.parent_shares(change_.branch())) return change;
    const int64_t now = tree.raw_shares()[change_.branch()];
    const auto turned = [this](int64_t shares) {
      return Turned(change_.WithRawShares(static_cast<uint32_t>(shares)));
    };
    change.from = static_cast<double>(now);
    change.possible = now < OrderChange::kMostRawShares && pair_.FairShareCounts() &&
                      turned(OrderChange::kMostRawShares);
    if (!change.possible) return change;
    change.to =
        static_cast<double>(First(now, OrderChange::kMostRawShares, turned,
                                  [this](const BranchSketch& sketch, int side, int64_t shares) {
                                    return sketch.FairShareWithRawShares(
                                        pair_.association(side), static_cast<uint32_t>(shares));
                                  }));
    return change;
  }

 private:
  // The number of parts into which the current usage is divided.
  static constexpr int64_t kWhole = int64_t{1} << 32;

  static double KeptWithout(int64_t parts) { return static_cast<double>(kWhole - parts) / kWhole; }

  // Whether these values of F, by side, reverse the order.
  template <typename FairShareOf>
  bool TurnedWith(const FairShareOf& fair_share_of) const {
    PairInputs inputs = pair_.inputs();
    for (const int side : {kFirst, kLater}) inputs.fair_share[side] = fair_share_of(side);
    return pair_.Turned(inputs);
  }

  bool Turned(const priority::FairShare& shares) const {
    return TurnedWith([&](int side) { return shares.fair_share[pair_.association(side)]; });
  }

  // FirstThatHolds for `turned`, which computes fair-share in each call. If there is a sketch, the
  // search begins at its estimate; `sketched` returns its F of a side.
  template <typename Predicate, typename Sketched>
  int64_t First(int64_t no, int64_t yes, const Predicate& turned, const Sketched& sketched) const {
    if (!sketch_.has_value()) return FirstThatHolds(no, yes, turned);
    const auto likely = [&](int64_t n) {
      return TurnedWith([&](int side) { return sketched(*sketch_, side, n); });
    };
    const int64_t guess = likely(yes) && !likely(no) ? FirstThatHolds(no, yes, likely) : yes;
    return FirstThatHoldsNear(guess, no, yes, turned);
  }

  // The time until decay has removed `lost` parts, the last of which reverses the order.
  std::optional<absl::Duration> DecayTime(int64_t parts) const {
    if (!snapshot_.policy().decays() || parts == kWhole) return std::nullopt;
    const double half_life = absl::ToDoubleSeconds(snapshot_.policy().half_life);
    const auto seconds = [half_life](double kept) { return -half_life * std::log2(kept); };
    const auto turned = [this, half_life](int64_t after) {
      return Turned(change_.WithUsage(std::exp2(-static_cast<double>(after) / half_life)));
    };
    const int64_t late = numbers::WholePart(seconds(KeptWithout(parts))) + 2;
    const int64_t early = numbers::WholePart(seconds(KeptWithout(parts - 1))) - 1;
    if (!turned(late)) return std::nullopt;
    const bool short_of = early > 0 && !turned(early);
    return absl::Seconds(FirstThatHolds(short_of ? early : 0, late, turned));
  }

  const RowPair& pair_;
  const priority::Snapshot& snapshot_;
  BranchChange change_;
  std::optional<BranchSketch> sketch_;  // Fair Tree only.
};

}  // namespace

std::vector<OrderChange> FindOrderChanges(const RowPair& pair,
                                          const std::optional<Branches>& branches) {
  std::vector<OrderChange> changes = {Waiting(pair)};
  if (branches.has_value()) {
    BranchQuestions questions(pair, branches->branch[0].association);
    changes.push_back(questions.Usage());
    changes.push_back(questions.RawShares());
  } else {
    for (const OrderChangeKind kind : {OrderChangeKind::kUsage, OrderChangeKind::kRawShares}) {
      changes.emplace_back().kind = kind;
    }
  }
  changes.push_back(Nice(pair, kLater, -1));
  changes.push_back(Nice(pair, kFirst, 1));
  return changes;
}

}  // namespace priorityd::explanation
