#include "engine/explanation/rows_ahead.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace priorityd::explanation {
namespace {

// By Term: the name in FactorExplanation and in a sentence.
struct TermName {
  absl::string_view name;
  absl::string_view words;
};
constexpr std::array<TermName, priority::kTerms> kTermNames = {{
    {"age", "age"},
    {"assoc", "the association's priority"},
    {"fair_share", "fair-share"},
    {"job_size", "job size"},
    {"partition", "the partition's factor"},
    {"qos", "QOS"},
    {"tres", "TRES"},
    {"site", "site factor"},
    {"nice", "nice"},
    {"admin_priority", "a priority that an administrator set"},
    {"previous_priority", "a priority kept by INCR_ONLY"},
    {"band", "the band of a used up grant"},
}};

absl::string_view Words(const RowsAhead& ahead) {
  switch (ahead.rule) {
    case priority::OrderRule::kPreemptor:
      return "being able to preempt";
    case priority::OrderRule::kReservation:
      return "a reservation";
    case priority::OrderRule::kPriorityTier:
      return "partition tier";
    case priority::OrderRule::kSubmitTime:
      return "submit time";
    case priority::OrderRule::kJobId:
      return "job id";
    case priority::OrderRule::kPriority:
    case priority::OrderRule::kNone:
      break;
  }
  for (const TermName& term : kTermNames) {
    if (term.name == ahead.factor) return term.words;
  }
  return "priority";
}

}  // namespace

void AheadCount::AddByPriority(const priority::RowTerms& terms) {
  size_t most = 0;
  for (size_t i = 1; i < priority::kTerms; ++i) {
    if (terms[i] - own_[i] > terms[most] - own_[most]) most = i;
  }
  ++by_term_[most];
}

uint32_t AheadCount::total() const {
  return std::accumulate(by_term_.begin(), by_term_.end(),
                         std::accumulate(by_rule_.begin(), by_rule_.end(), 0u));
}

std::vector<RowsAhead> AheadCount::Take() const {
  std::vector<RowsAhead> ahead;
  for (size_t rule = 0; rule < priority::kOrderRules; ++rule) {
    if (by_rule_[rule] > 0)
      ahead.push_back({static_cast<priority::OrderRule>(rule), {}, by_rule_[rule]});
    if (static_cast<priority::OrderRule>(rule) != priority::OrderRule::kPriority) continue;
    for (size_t term = 0; term < priority::kTerms; ++term) {
      if (by_term_[term] == 0) continue;
      ahead.push_back({priority::OrderRule::kPriority, kTermNames[term].name, by_term_[term]});
    }
  }
  std::stable_sort(ahead.begin(), ahead.end(),
                   [](const RowsAhead& a, const RowsAhead& b) { return a.rows > b.rows; });
  return ahead;
}

std::string AheadText(absl::Span<const RowsAhead> ahead) {
  return absl::StrJoin(ahead, ", ", [](std::string* out, const RowsAhead& part) {
    absl::StrAppend(out, part.rows, " by ", Words(part));
  });
}

}  // namespace priorityd::explanation
