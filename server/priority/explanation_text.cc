#include "server/priority/explanation_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "server/priority/eligibility.h"
#include "server/priority/factors.h"

namespace priorityd {
namespace {

std::string Points(double contribution) {
  const double rounded = std::round(contribution);
  return absl::StrFormat("%.0f", rounded == 0 ? 0 : rounded);
}

// The name of a factor at the beginning of a sentence.
std::string Title(absl::string_view factor) {
  if (factor == "age") return "Age";
  if (factor == "assoc") return "The association's priority";
  if (factor == "fair_share") return "Fair-share";
  if (factor == "job_size") return "Job size";
  if (factor == "partition") return "The partition";
  if (factor == "qos") return "The QOS";
  return std::string(factor);
}

class SentenceWriter {
 public:
  SentenceWriter(const ScoredQueue& queue, int row, const Explanation& explanation)
      : queue_(queue), row_(row), explanation_(explanation) {}

  std::vector<std::string> Write() && {
    WritePlace();
    if (row_ >= 0) {
      WriteEarlierRules();
      WritePriority();
      WriteFactors();
      WriteBilling();
    }
    return std::move(sentences_);
  }

 private:
  bool HasFlag(JobTable::Flag flag) const { return (queue_.table().flags[row_] & flag) != 0; }
  bool held() const { return explanation_.row.priority == 0u; }
  void Add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void WritePlace();
  void WriteEarlierRules();
  void WriteTier();
  void WritePriority();
  void WriteBounds();
  void WriteFactors();
  void WriteFactor(const FactorExplanation& factor, double positive);
  bool Normalised(const FactorExplanation& factor) const;
  void WriteUnweighed();
  void WriteBilling();

  const ScoredQueue& queue_;
  int row_;
  const Explanation& explanation_;
  std::vector<std::string> sentences_;
};

void SentenceWriter::WritePlace() {
  if (!explanation_.ineligible_reason.empty()) {
    Add(absl::StrCat("It cannot start now (", explanation_.ineligible_reason,
                     "): ", explanation_.ineligible_message, "."));
  } else if (explanation_.rank == 0) {
    Add("It has started already, so it has no place in the start order.");
  } else if (explanation_.rank == 1) {
    Add(absl::StrCat("It is first of ", explanation_.ranked_total, " in the start order."));
  } else {
    Add(absl::StrCat("It is number ", explanation_.rank, " of ", explanation_.ranked_total,
                     " in the start order: ", explanation_.rank - 1, " ahead of it."));
  }
}

void SentenceWriter::WriteEarlierRules() {
  if (explanation_.rank == 0) return;
  if (HasFlag(JobTable::kPreemptor)) {
    Add("It can preempt, so it starts before every job that cannot, whatever the priorities.");
  }
  if (HasFlag(JobTable::kReservation)) {
    Add("It has a reservation, so it starts before jobs without one, whatever the priorities.");
  }
  WriteTier();
}

// Where tiers differ they decide before priority does.
void SentenceWriter::WriteTier() {
  const auto partitions = queue_.snapshot().partitions();
  if (explanation_.row.partition < 0) return;
  const Partition& own = partitions[explanation_.row.partition];
  const auto higher = std::count_if(partitions.begin(), partitions.end(), [&](const Partition& p) {
    return p.priority_tier > own.priority_tier;
  });
  const auto lower = std::count_if(partitions.begin(), partitions.end(), [&](const Partition& p) {
    return p.priority_tier < own.priority_tier;
  });
  if (higher + lower == 0) return;
  Add(
      absl::StrFormat("Partition %s has PriorityTier %d: jobs of %d partition%s with a higher tier "
                      "start before it, those of %d with a lower one after it, whatever the "
                      "priorities.",
                      own.name, own.priority_tier, higher, higher == 1 ? "" : "s", lower));
}

void SentenceWriter::WritePriority() {
  if (queue_.policy().priority_type == PriorityType::kBasic) {
    Add("PriorityType is priority/basic: jobs have no priority and start in the order of "
        "submission.");
  } else if (held()) {
    Add("Its priority is 0 while it is held.");
  } else if (HasFlag(JobTable::kAdminPriority)) {
    Add(absl::StrCat("An administrator set its priority to ", *explanation_.row.priority,
                     "; no factor counts."));
  } else {
    WriteBounds();
  }
}

void SentenceWriter::WriteBounds() {
  const uint32_t priority = *explanation_.row.priority;
  const uint32_t computed = PriorityOf(explanation_.sum);
  if (priority != computed) {
    Add(absl::StrCat("Its priority stays at ", priority,
                     ", where it was: PriorityFlags=INCR_ONLY. "
                     "The factors now give ",
                     computed, "."));
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

// Whether the factor is at most 1, so that its weight is the most it can give.
bool SentenceWriter::Normalised(const FactorExplanation& factor) const {
  const Policy& policy = queue_.policy();
  if (factor.name == "assoc") return !policy.no_normal_assoc;
  if (factor.name == "partition") return !policy.no_normal_part;
  if (factor.name == "qos") return !policy.no_normal_qos;
  return !absl::StartsWith(factor.name, "tres/");
}

void SentenceWriter::WriteFactor(const FactorExplanation& factor, double positive) {
  if (factor.name == "site" || factor.name == "nice") {
    const std::string title = factor.name == "nice" ? "Its nice value" : "The site factor";
    Add(absl::StrCat(title, factor.contribution > 0 ? " adds " : " takes off ",
                     Points(std::abs(factor.contribution)), " points."));
    return;
  }
  std::string amount = Points(factor.contribution);
  if (factor.name == "fair_share") {
    absl::StrAppend(&amount, " of ", Points(positive), " points");
  } else if (Normalised(factor)) {
    absl::StrAppend(&amount, " of at most ", Points(factor.weight));
  } else {
    absl::StrAppend(&amount, " points");
  }
  const std::string share =
      factor.share > 0 ? absl::StrFormat(" (%.0f%%)", 100 * factor.share) : "";
  Add(absl::StrCat(Title(factor.name), " gives ", amount, share, ": ", factor.raw_input, "."));
}

void SentenceWriter::WriteFactors() {
  if (explanation_.factors.empty() || HasFlag(JobTable::kAdminPriority)) return;
  std::vector<const FactorExplanation*> weighed;
  double positive = 0;
  for (const FactorExplanation& factor : explanation_.factors) {
    positive += std::max(0.0, factor.contribution);
    const bool given = factor.name == "site" || factor.name == "nice";
    if (given ? factor.contribution != 0 : factor.weight != 0) weighed.push_back(&factor);
  }
  std::stable_sort(weighed.begin(), weighed.end(), [](const auto* a, const auto* b) {
    return std::abs(a->contribution) > std::abs(b->contribution);
  });
  for (const FactorExplanation* factor : weighed) WriteFactor(*factor, positive);
  WriteUnweighed();
}

void SentenceWriter::WriteUnweighed() {
  std::vector<std::string> names;
  for (const FactorExplanation& factor : explanation_.factors) {
    if (factor.weight == 0) names.push_back(factor.name);
  }
  if (!names.empty()) {
    Add(absl::StrCat("Without effect, their weights being 0: ", absl::StrJoin(names, ", "), "."));
  }
}

void SentenceWriter::WriteBilling() {
  std::vector<std::string> terms;
  for (const BillingTerm& term : explanation_.billing_terms) {
    if (!term.counted) continue;
    terms.push_back(absl::StrFormat("%g %s x %g", term.count, term.tres, term.weight));
  }
  const std::string arithmetic =
      terms.empty() ? "" : absl::StrCat(" (", absl::StrJoin(terms, " + "), ")");
  Add(
      absl::StrFormat("Each second of running adds %g to its account's usage: billing %g%s times "
                      "UsageFactor %g.",
                      explanation_.billing * explanation_.usage_factor, explanation_.billing,
                      arithmetic, explanation_.usage_factor));
}

}  // namespace

std::vector<std::string> Sentences(const ScoredQueue& queue, int row,
                                   const Explanation& explanation) {
  return SentenceWriter(queue, row, explanation).Write();
}

}  // namespace priorityd
