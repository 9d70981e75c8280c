#include "engine/explanation/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/factor_inputs.h"
#include "engine/explanation/grant_text.h"
#include "engine/explanation/time_text.h"

namespace priorityd::explanation {
namespace {

std::string JobText(const priority::ScoredQueue& queue, const ComparedRow& row) {
  return absl::StrCat("job ", queue.jobs()[row.row.job].job_id);
}

std::string Capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] -= 'a' - 'A';
  return text;
}

class ComparisonWriter {
 public:
  ComparisonWriter(const priority::ScoredQueue& queue, const Comparison& comparison)
      : queue_(queue), comparison_(comparison) {}

  std::vector<std::string> Write() && {
    if (comparison_.rule == priority::OrderRule::kNone) {
      for (const ComparedRow& row : comparison_.rows) WriteNoPlace(row);
      Add(comparison_.first < 0 ? "Neither has a place in the start order."
                                : absl::StrCat("So ", Job(comparison_.first), " comes first."));
    } else {
      WriteVerdict();
    }
    WriteFactors();
    WriteBranches();
    return std::move(sentences_);
  }

 private:
  int first() const { return comparison_.first; }
  int later() const { return 1 - comparison_.first; }
  std::string Job(int side) const { return JobText(queue_, comparison_.rows[side]); }
  void Add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void WriteNoPlace(const ComparedRow& row);
  void WriteVerdict();
  std::string Because() const;
  std::string TierText(int side) const;
  std::string SubmitText(int side) const;
  void WriteFactors();
  void WriteDemotions();
  std::string GainsOf(int side) const;
  void WriteBranches();
  std::string BranchText(const Branch& branch, absl::string_view of_usage) const;

  const priority::ScoredQueue& queue_;
  const Comparison& comparison_;
  std::vector<std::string> sentences_;
};

void ComparisonWriter::WriteNoPlace(const ComparedRow& row) {
  const std::string job = Capital(JobText(queue_, row));
  if (row.started) {
    Add(absl::StrCat(job, " has started already, so it has no place in the start order."));
  } else if (!row.ranked) {
    Add(absl::StrCat(job, " cannot start now (", row.ineligible_reason,
                     "): ", row.ineligible_message, "."));
  }
}

void ComparisonWriter::WriteVerdict() {
  Add(Capital(absl::StrCat(Job(first()), " starts before ", Job(later()), ": ", Because(), ".")));
  const bool possible =
      absl::c_any_of(comparison_.changes, [](const OrderChange& c) { return c.possible; });
  if (comparison_.rule < priority::OrderRule::kPriority && !possible) {
    Add("That is compared before the priorities, so neither waiting, usage, shares nor nice can "
        "change it.");
  }
}

std::string ComparisonWriter::TierText(int side) const {
  const int partition = comparison_.rows[side].row.partition;
  if (partition < 0) return "no partition";
  const priority::Partition& own = queue_.snapshot().partitions()[partition];
  return absl::StrCat("PriorityTier ", own.priority_tier, " in partition ", own.name);
}

std::string ComparisonWriter::SubmitText(int side) const {
  const absl::Time time =
      queue_.jobs()[comparison_.rows[side].row.job].submit_time.value_or(queue_.as_of());
  return MomentText(time, queue_.policy().time_zone);
}

std::string ComparisonWriter::Because() const {
  const auto priority = comparison_.rows[0].row.priority;
  const std::string equals =
      priority.has_value() ? absl::StrCat("both have priority ", *priority, ", and ") : "";
  switch (comparison_.rule) {
    case priority::OrderRule::kNone:
      return "";
    case priority::OrderRule::kPreemptor:
      return absl::StrCat("it can preempt, ", Job(later()), " cannot");
    case priority::OrderRule::kReservation:
      return absl::StrCat("it has a reservation, ", Job(later()), " has none");
    case priority::OrderRule::kPriorityTier:
      return absl::StrCat("it has ", TierText(first()), ", ", Job(later()), " has ",
                          TierText(later()));
    case priority::OrderRule::kPriority:
      return absl::StrCat("its priority is ", *comparison_.rows[first()].row.priority, ", that of ",
                          Job(later()), " ", *comparison_.rows[later()].row.priority);
    case priority::OrderRule::kSubmitTime:
      return absl::StrCat(equals, "it was submitted at ", SubmitText(first()), ", ", Job(later()),
                          " at ", SubmitText(later()));
    case priority::OrderRule::kJobId:
      return absl::StrCat(equals, "both were submitted at the same time; its id is the lower one");
  }
  return "";
}

// The factors from which one side gets more points than the other.
std::string ComparisonWriter::GainsOf(int side) const {
  std::vector<std::pair<double, std::string>> gains;
  for (size_t i = 0; i < comparison_.rows[side].factors.size(); ++i) {
    const FactorExplanation& own = comparison_.rows[side].factors[i];
    const double gain = own.contribution - comparison_.rows[1 - side].factors[i].contribution;
    if (gain > 0) gains.emplace_back(-gain, absl::StrFormat("%s (%.4g)", own.name, gain));
  }
  std::sort(gains.begin(), gains.end());
  return absl::StrJoin(gains, ", ",
                       [](std::string* out, const auto& gain) { out->append(gain.second); });
}

void ComparisonWriter::WriteFactors() {
  if (comparison_.rule < priority::OrderRule::kPriority) return;
  if (comparison_.rows[0].factors.empty() || comparison_.rows[1].factors.empty()) return;
  for (const int side : {first(), later()}) {
    const uint32_t job = comparison_.rows[side].row.job;
    if (!queue_.jobs()[job].admin_priority.has_value()) continue;
    return Add(absl::StrCat("An administrator set the priority of ", Job(side),
                            "; no factor of it counts."));
  }
  const std::string more = GainsOf(first());
  const std::string less = GainsOf(later());
  if (more.empty() && less.empty()) Add("Both get the same from every factor.");
  if (!more.empty()) Add(Capital(absl::StrCat(Job(first()), " gets more points from ", more, ".")));
  if (!less.empty()) Add(Capital(absl::StrCat(Job(later()), " gets more points from ", less, ".")));
  WriteDemotions();
}

void ComparisonWriter::WriteDemotions() {
  for (const int side : {first(), later()}) {
    const priority::JobRow& row = comparison_.rows[side].row;
    const auto add = [&](absl::string_view text) {
      Add(Capital(absl::StrCat(Job(side), " has ", text, ".")));
    };
    const std::string text = DemotionText(queue_.snapshot(), row.association, row.qos);
    if (!text.empty() && queue_.policy().weight_qos > 0) add(absl::StrCat("the factor of ", text));
    for (const auto& lowered : LoweredTexts(queue_.snapshot(), row.association)) add(lowered);
  }
}

std::string ComparisonWriter::BranchText(const Branch& branch, absl::string_view of_usage) const {
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  const priority::FairShare& shares = queue_.snapshot().fair_share();
  const priority::AssociationIndex i = branch.association;
  std::string text = absl::StrFormat("%s has used %.1f%%%s and ", AssociationText(tree, i),
                                     100 * branch.usage, of_usage);
  if (tree.parent_shares(i)) {
    absl::StrAppend(&text, "has the shares of its account (parent)");
  } else {
    absl::StrAppendFormat(&text, "is due %.1f%%", 100 * branch.shares);
  }
  if (shares.algorithm == priority::FairShareAlgorithm::kFairTree) {
    absl::StrAppend(&text, ", LevelFS ", LevelFsFigure(shares.level_fs[i]));
  } else {
    absl::StrAppendFormat(&text, ", F %.2f", shares.fair_share[i]);
  }
  return text;
}

void ComparisonWriter::WriteBranches() {
  const priority::Policy& policy = queue_.policy();
  if (policy.weight_fair_share == 0 || policy.priority_type == priority::PriorityType::kBasic)
    return;
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  const priority::AssociationIndex association = comparison_.rows[0].row.association;
  if (comparison_.branches.has_value()) {
    const priority::AssociationIndex ancestor = comparison_.branches->ancestor;
    const std::string of_usage = absl::StrCat(
        " of ", ancestor == 0 ? "the cluster" : AssociationText(tree, ancestor), "'s usage");
    Add(absl::StrCat(BranchText(comparison_.branches->branch[0], of_usage), "; ",
                     BranchText(comparison_.branches->branch[1], ""), "."));
  } else if (association != priority::kNoAssociation &&
             association == comparison_.rows[1].row.association) {
    Add(absl::StrCat("Both are charged to ", AssociationText(tree, association),
                     ", so their fair-share is the same."));
  } else if (const priority::DomainShares* domain = queue_.snapshot().domain()) {
    Add(absl::StrCat("Fair-share is that of the usage domain ", domain->domain(), "."));
  }
}

class ChangeWriter {
 public:
  ChangeWriter(const priority::ScoredQueue& queue, const Comparison& comparison,
               const OrderChange& change)
      : queue_(queue), comparison_(comparison), change_(change) {}

  std::string Write() const {
    switch (change_.kind) {
      case OrderChangeKind::kWaiting:
        return Waiting();
      case OrderChangeKind::kUsage:
        return Usage();
      case OrderChangeKind::kRawShares:
        return RawShares();
      case OrderChangeKind::kLowerNice:
      case OrderChangeKind::kRaiseNice:
        return Nice();
    }
    return "";
  }

 private:
  std::string First() const { return JobText(queue_, comparison_.rows[comparison_.first]); }
  std::string Later() const { return JobText(queue_, comparison_.rows[1 - comparison_.first]); }
  std::string Branch() const {
    return AssociationText(queue_.snapshot().tree(), change_.association);
  }

  // The reason that no change of the priority's inputs can help; empty = one may help.
  std::string Obstacle() const {
    if (comparison_.rule < priority::OrderRule::kPriority)
      return "a rule before the priority decides";
    if (queue_.policy().priority_type == priority::PriorityType::kBasic)
      return "PriorityType=priority/basic";
    const uint32_t later = comparison_.rows[1 - comparison_.first].row.job;
    if (change_.kind == OrderChangeKind::kRaiseNice ||
        !queue_.jobs()[later].admin_priority.has_value()) {
      return "";
    }
    return absl::StrCat("an administrator set the priority of ", Later());
  }
  // `what` is not possible because of the obstacle, or else because of `otherwise`.
  std::string NotPossible(absl::string_view what, absl::string_view otherwise) const {
    const std::string obstacle = Obstacle();
    return absl::StrCat(what, " not possible: ", obstacle.empty() ? otherwise : obstacle, ".");
  }

  std::string Waiting() const;
  std::string Usage() const;
  std::string RawShares() const;
  std::string WithoutEffect(absl::string_view most) const;
  std::string Nice() const;

  const priority::ScoredQueue& queue_;
  const Comparison& comparison_;
  const OrderChange& change_;
};

std::string ChangeWriter::Waiting() const {
  if (change_.possible) {
    return absl::StrCat("Waiting: ", Later(), " comes first in ",
                        DurationText(absl::Ceil(*change_.duration, absl::Seconds(1))),
                        " if both keep waiting.");
  }
  if (!Obstacle().empty()) return NotPossible("Waiting: never,", "");
  if (queue_.policy().weight_age == 0) return "Waiting: never, PriorityWeightAge is 0.";
  return absl::StrCat("Waiting: never, ", First(), " gains nearly the same age in the meantime.");
}

// The reason that a change of the branch has no effect.
std::string ChangeWriter::WithoutEffect(absl::string_view most) const {
  if (const priority::DomainShares* domain = queue_.snapshot().domain()) {
    return absl::StrCat("fair-share is that of the usage domain ", domain->domain());
  }
  if (change_.association == priority::kNoAssociation) return "both have the same association";
  if (queue_.policy().weight_fair_share == 0) return "PriorityWeightFairshare is 0";
  return absl::StrCat("not even ", most, " would be enough");
}

std::string ChangeWriter::Usage() const {
  if (!change_.possible) {
    const bool unused = change_.association != priority::kNoAssociation && change_.from == 0;
    return NotPossible("Usage:", unused ? absl::StrCat(Branch(), " has used nothing")
                                        : WithoutEffect("no usage at all"));
  }
  const std::string falls = absl::StrFormat(
      "Usage: %s comes first once that of %s has fallen by %.2f%%, from %.0f to "
      "%.0f billing-seconds; ",
      Later(), Branch(), 100 * (1 - change_.to / change_.from), change_.from,
      std::floor(change_.to));
  if (change_.duration.has_value()) {
    return absl::StrCat(falls, "by decay in ", DurationText(*change_.duration),
                        " if it gets no new usage and that of the others stays the same.");
  }
  return absl::StrCat(falls, queue_.policy().decays() ? "decay alone is not enough."
                                                      : "usage does not decay here.");
}

std::string ChangeWriter::RawShares() const {
  if (change_.possible) {
    return absl::StrFormat(
        "Shares: %s comes first with at least %.0f raw shares for %s, which has "
        "%.0f.",
        Later(), change_.to, Branch(), change_.from);
  }
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  const bool parent =
      change_.association != priority::kNoAssociation && tree.parent_shares(change_.association);
  return NotPossible(
      "Shares:", parent ? absl::StrCat(Branch(), " has the shares of its account")
                        : WithoutEffect(absl::StrCat(OrderChange::kMostRawShares, " raw shares")));
}

std::string ChangeWriter::Nice() const {
  const bool lower = change_.kind == OrderChangeKind::kLowerNice;
  const std::string whose = lower ? Later() : First();
  if (!change_.possible) {
    return NotPossible(absl::StrCat("Nice of ", whose, ":"), "no value would be enough");
  }
  return absl::StrFormat(
      "Nice: %s comes first with a nice value of %s of at %s %.0f (it is "
      "%.0f)%s.",
      Later(), whose, lower ? "most" : "least", change_.to, change_.from,
      change_.to < 0 && lower ? ", which only administrators may give" : "");
}

}  // namespace

std::vector<std::string> ComparisonSentences(const priority::ScoredQueue& queue,
                                             const Comparison& comparison) {
  return ComparisonWriter(queue, comparison).Write();
}

std::string ChangeSentence(const priority::ScoredQueue& queue, const Comparison& comparison,
                           const OrderChange& change) {
  return ChangeWriter(queue, comparison, change).Write();
}

}  // namespace priorityd::explanation
