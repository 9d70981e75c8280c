#include "engine/explanation/explanation_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "engine/explanation/factor_inputs.h"
#include "engine/explanation/grant_text.h"
#include "engine/numbers/number_text.h"
#include "engine/priority/jobs/factors.h"

namespace priorityd::explanation {
namespace {

using numbers::NumberText;

std::string Points(double contribution) {
  const double rounded = std::round(contribution);
  return absl::StrFormat("%.0f", rounded == 0 ? 0 : rounded);
}

std::string PointsText(double contribution) {
  const std::string points = Points(contribution);
  return absl::StrCat(points, points == "1" ? " point" : " points");
}

std::string Percent(double share) {
  if (share < 0.005) return "under 1%";
  return absl::StrFormat("%.0f%%", 100 * share);
}

// `a, b and 3 more`.
std::string Enumerate(const std::vector<std::string>& names) {
  constexpr size_t kMost = 4;
  if (names.size() <= kMost) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMost, ", "), " and ",
                      names.size() - kMost, " more");
}

// The name of a factor as the beginning of a sentence.
std::string Title(absl::string_view factor) {
  if (factor == "age") return "Age";
  if (factor == "assoc") return "The association's priority";
  if (factor == "fair_share") return "Fair-share";
  if (factor == "job_size") return "Job size";
  if (factor == "partition") return "The partition";
  if (factor == "qos") return "The QOS";
  return std::string(factor);
}

class ExplanationWriter {
 public:
  ExplanationWriter(const priority::ScoredQueue& queue, int row, const Explanation& explanation)
      : queue_(queue), row_(row), explanation_(explanation) {}

  std::vector<std::string> Write() && {
    WritePlace();
    if (row_ >= 0) {
      WriteEarlierRules();
      WritePriority();
      WriteFactors();
      WriteGrants();
      WriteBilling();
    }
    return std::move(sentences_);
  }

 private:
  bool HasFlag(priority::JobTable::Flag flag) const {
    return (queue_.table().flags[row_] & flag) != 0;
  }
  bool held() const { return explanation_.row.priority == 0u; }
  void Add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void WritePlace();
  void WriteEarlierRules();
  void WriteTier();
  void WritePriority();
  void WriteBounds();
  // The highest priority by a used up grant; infinite without one.
  double Band() const;
  void WriteGrants();
  void WriteFactors();
  void WriteFactor(const FactorExplanation& factor, double positive);
  bool Normalised(const FactorExplanation& factor) const;
  void WriteLevels();
  void WriteMerges();
  void WriteNoShares();
  std::vector<std::string> UnweighedTres() const;
  void WriteWithoutEffect();
  void WriteBilling();

  const priority::ScoredQueue& queue_;
  int row_;
  const Explanation& explanation_;
  std::vector<std::string> sentences_;
};

void ExplanationWriter::WritePlace() {
  if (!explanation_.ineligible_reason.empty()) {
    Add(absl::StrCat("It cannot start now (", explanation_.ineligible_reason,
                     "): ", explanation_.ineligible_message, "."));
    Add(explanation_.ineligible_advice);
  } else if (explanation_.rank == 0) {
    Add("It has started already, so it has no place in the start order.");
  } else if (explanation_.rank == 1) {
    Add(absl::StrCat("It is first of ", explanation_.ranked_total, " in the start order."));
  } else {
    Add(absl::StrCat("It is number ", explanation_.rank, " of ", explanation_.ranked_total,
                     " in the start order: ", explanation_.rank - 1, " ahead of it, ",
                     AheadText(explanation_.ahead), "."));
  }
}

void ExplanationWriter::WriteEarlierRules() {
  if (explanation_.rank == 0) return;
  if (HasFlag(priority::JobTable::kPreemptor)) {
    Add("It can preempt, so it starts before every job that cannot, whatever the priorities.");
  }
  if (HasFlag(priority::JobTable::kReservation)) {
    Add("It has a reservation, so it starts before jobs without one, whatever the priorities.");
  }
  WriteTier();
}

// Tiers are compared before priorities.
void ExplanationWriter::WriteTier() {
  if (explanation_.row.partition < 0) return;
  const auto partitions = queue_.snapshot().partitions();
  const priority::Partition& own = partitions[explanation_.row.partition];
  std::vector<std::string> higher;
  std::vector<std::string> lower;
  for (const priority::Partition& partition : partitions) {
    if (partition.priority_tier > own.priority_tier) higher.push_back(partition.name);
    if (partition.priority_tier < own.priority_tier) lower.push_back(partition.name);
  }
  const std::string tier =
      absl::StrCat("Partition ", own.name, " has PriorityTier ", own.priority_tier, ": ");
  if (!higher.empty()) {
    Add(absl::StrCat(tier, "jobs in higher tiers (", Enumerate(higher),
                     ") start before it, whatever the priorities."));
  }
  if (!lower.empty()) {
    Add(absl::StrCat(tier, "it starts before jobs in lower tiers (", Enumerate(lower),
                     "), whatever the priorities."));
  }
}

void ExplanationWriter::WritePriority() {
  if (queue_.policy().priority_type == priority::PriorityType::kBasic) {
    Add("PriorityType is priority/basic: jobs have no priority and start in the order of "
        "submission.");
  } else if (held()) {
    Add("Its priority is 0 while it is held.");
  } else if (HasFlag(priority::JobTable::kAdminPriority)) {
    Add(absl::StrCat("An administrator set its priority to ", *explanation_.row.priority,
                     "; no factor counts."));
  } else {
    WriteBounds();
  }
}

void ExplanationWriter::WriteBounds() {
  const uint32_t priority = *explanation_.row.priority;
  const uint32_t computed = priority::PriorityOf(std::min(explanation_.sum, Band()));
  if (priority != computed) {
    Add(absl::StrCat("Its priority stays at its previous value ", priority,
                     " (PriorityFlags=INCR_ONLY); its factors now give ", computed, "."));
  } else if (explanation_.sum > Band()) {
    Add(absl::StrCat("Its points sum to ", Points(explanation_.sum),
                     "; its priority is that of its band."));
  } else if (explanation_.sum < 1) {
    Add(absl::StrCat("Its points sum to ", Points(explanation_.sum),
                     "; the lowest priority of a job that is not held is 1."));
  } else if (explanation_.sum > priority && priority == std::numeric_limits<uint32_t>::max()) {
    Add(absl::StrCat("Its points sum to ", Points(explanation_.sum),
                     "; the highest priority is 4294967295."));
  } else {
    Add(absl::StrFormat("Its priority %d is the sum of its points, %.2f, cut to an integer.",
                        priority, explanation_.sum));
  }
}

double ExplanationWriter::Band() const {
  const priority::Penalty* penalty = queue_.snapshot().penalties().Of(explanation_.row.association);
  const bool has_band = penalty != nullptr && penalty->band_grant >= 0;
  return has_band ? penalty->band : std::numeric_limits<double>::infinity();
}

void ExplanationWriter::WriteGrants() {
  const priority::AssociationIndex association = explanation_.row.association;
  const bool is_sum = explanation_.row.factors != nullptr && !held() &&
                      !HasFlag(priority::JobTable::kAdminPriority);
  if (is_sum) {
    for (const std::string& text : LoweredTexts(queue_.snapshot(), association)) {
      Add(absl::StrCat("It has ", text, "."));
    }
  }
  for (std::string& note : GrantNotes(queue_.snapshot(), association)) Add(std::move(note));
}

// Whether the factor is at most 1, so that it gives at most its weight.
bool ExplanationWriter::Normalised(const FactorExplanation& factor) const {
  const priority::Policy& policy = queue_.policy();
  if (factor.name == "assoc") return !policy.no_normal_assoc;
  if (factor.name == "partition") return !policy.no_normal_part;
  if (factor.name == "qos") return !policy.no_normal_qos;
  return !absl::StartsWith(factor.name, "tres/");
}

void ExplanationWriter::WriteFactor(const FactorExplanation& factor, double positive) {
  if (factor.name == "site" || factor.name == "nice") {
    const std::string title = factor.name == "nice" ? "Its nice value" : "The site factor";
    Add(absl::StrCat(title, factor.contribution > 0 ? " adds " : " subtracts ",
                     PointsText(std::abs(factor.contribution)), "."));
    return;
  }
  std::string amount = Points(factor.contribution);
  if (factor.name == "fair_share") {
    absl::StrAppend(&amount, " of ", PointsText(positive));
  } else if (Normalised(factor)) {
    absl::StrAppend(&amount, " of at most ", Points(factor.weight));
  } else {
    amount = PointsText(factor.contribution);
  }
  if (factor.share > 0) absl::StrAppend(&amount, " (", Percent(factor.share), ")");
  Add(absl::StrCat(Title(factor.name), " gives ", amount, ": ", factor.raw_input, "."));
  if (factor.name != "fair_share") return;
  WriteLevels();
  WriteMerges();
}

// Without shares any usage, however small, exceeds the due share.
void ExplanationWriter::WriteNoShares() {
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  if (queue_.policy().weight_fair_share == 0) return;
  for (const priority::AssociationIndex i : explanation_.fair_share_path) {
    if (i == 0 || tree.parent_shares(i) || tree.raw_shares()[i] != 0) continue;
    Add(absl::StrCat(tree.is_user(i) ? "User " : "Account ", AssociationText(tree, i),
                     " has no shares (Fairshare=0): nothing is due to it, so with any usage it "
                     "comes after all siblings that have shares."));
  }
}

// Fair Tree compares accounts before their users.
void ExplanationWriter::WriteLevels() {
  const priority::Snapshot& snapshot = queue_.snapshot();
  const priority::AssociationTree& tree = snapshot.tree();
  if (snapshot.policy().algorithm != priority::FairShareAlgorithm::kFairTree) return;
  std::vector<std::string> levels;
  for (const priority::AssociationIndex i : explanation_.fair_share_path) {
    if (i == 0 || tree.is_user(i) || tree.parent_shares(i)) continue;
    levels.push_back(
        absl::StrCat(tree.account(i), " ", LevelFsFigure(snapshot.fair_share().level_fs[i])));
  }
  if (levels.empty()) return;
  Add(absl::StrCat("Its accounts are compared first, from the top: LevelFS of ",
                   absl::StrJoin(levels, ", "), "."));
}

// Its fair-share is also of their usage.
void ExplanationWriter::WriteMerges() {
  const priority::AssociationTree& tree = queue_.snapshot().tree();
  const priority::AssociationIndex i = explanation_.row.association;
  const std::vector<absl::string_view> users = tree.MergedInto(i);
  if (users.empty()) return;
  Add(absl::StrCat("Usage and jobs of ", Enumerate({users.begin(), users.end()}), " count as ",
                   tree.user(i), "'s: the users are merged."));
}

void ExplanationWriter::WriteFactors() {
  if (explanation_.factors.empty() || HasFlag(priority::JobTable::kAdminPriority)) return;
  std::vector<const FactorExplanation*> counting;
  double positive = 0;
  for (const FactorExplanation& factor : explanation_.factors) {
    positive += std::max(0.0, factor.contribution);
    if (factor.contribution != 0) counting.push_back(&factor);
  }
  std::stable_sort(counting.begin(), counting.end(), [](const auto* a, const auto* b) {
    return std::abs(a->contribution) > std::abs(b->contribution);
  });
  for (const FactorExplanation* factor : counting) WriteFactor(*factor, positive);
  WriteNoShares();
  WriteWithoutEffect();
}

// The TRES that the job requests and PriorityWeightTRES does not name. CPUs and nodes count as its
// size.
std::vector<std::string> ExplanationWriter::UnweighedTres() const {
  std::vector<std::string> names;
  for (const auto& [tres, count] : queue_.jobs()[explanation_.row.job].tres) {
    const std::string name = absl::StrCat("tres/", tres);
    const bool weighed = absl::c_any_of(
        explanation_.factors, [&](const FactorExplanation& factor) { return factor.name == name; });
    if (!weighed && count > 0 && tres != "cpu" && tres != "node") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ExplanationWriter::WriteWithoutEffect() {
  std::vector<std::string> nothing;
  std::vector<std::string> unweighed;
  for (const FactorExplanation& factor : explanation_.factors) {
    if (factor.name == "site" || factor.name == "nice" || factor.contribution != 0) continue;
    if (factor.weight == 0) {
      unweighed.push_back(factor.name);
    } else {
      nothing.push_back(absl::StrCat(factor.name, " (", factor.raw_input, ")"));
    }
  }
  if (!nothing.empty()) {
    Add(absl::StrCat("No points come from ", absl::StrJoin(nothing, ", "), "."));
  }
  for (const std::string& name : UnweighedTres()) unweighed.push_back(name);
  if (!unweighed.empty()) {
    Add(absl::StrCat("Not counted, because the weight is 0: ", absl::StrJoin(unweighed, ", "),
                     "."));
  }
}

void ExplanationWriter::WriteBilling() {
  std::vector<std::string> terms;
  for (const priority::BillingTerm& term : explanation_.billing_terms) {
    if (!term.counted) continue;
    terms.push_back(
        absl::StrCat(NumberText(term.count), " ", term.tres, " x ", NumberText(term.weight)));
  }
  const std::string arithmetic =
      terms.empty() ? "" : absl::StrCat(" (", absl::StrJoin(terms, " + "), ")");
  Add(absl::StrCat("Each second of running adds ",
                   NumberText(explanation_.billing * explanation_.usage_factor),
                   " to its account's usage: billing ", NumberText(explanation_.billing),
                   arithmetic, " times UsageFactor ", NumberText(explanation_.usage_factor), "."));
}

}  // namespace

std::vector<std::string> Sentences(const priority::ScoredQueue& queue, int row,
                                   const Explanation& explanation) {
  return ExplanationWriter(queue, row, explanation).Write();
}

}  // namespace priorityd::explanation
