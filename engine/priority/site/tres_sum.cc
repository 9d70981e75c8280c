#include "engine/priority/site/tres_sum.h"

#include <charconv>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace priorityd::priority {
namespace {

// The fewest digits from which the same double is read, without an exponent.
std::string WeightText(double weight) {
  char text[512];
  const std::to_chars_result end =
      std::to_chars(text, text + sizeof(text), weight, std::chars_format::fixed);
  return std::string(text, end.ptr);
}

// Appends the term `gres/gpu=20`; false if it is none.
bool AddTerm(absl::string_view text, TresTerms* terms) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  double weight = 0;
  if (!absl::SimpleAtod(parts.second, &weight)) return false;
  terms->push_back({std::string(parts.first), weight});
  return true;
}

}  // namespace

std::string TresSumText(const TresMap& weights) {
  if (weights.size() == 1 && weights.begin()->second == 1) return weights.begin()->first;
  return absl::StrJoin(weights, ",", [](std::string* text, const auto& term) {
    absl::StrAppend(text, term.first, "=", WeightText(term.second));
  });
}

TresTerms TresTermsOf(absl::string_view text) {
  TresTerms terms;
  for (const absl::string_view piece : absl::StrSplit(text, ',')) {
    if (!AddTerm(piece, &terms)) return {{std::string(text), 1}};
  }
  return terms;
}

bool IsTresSum(absl::string_view text) { return absl::StrContains(text, '='); }

double WeightedSum(const TresTerms& terms, absl::FunctionRef<double(const std::string& tres)> of) {
  double sum = 0;
  for (const TresTerm& term : terms) sum += term.weight * of(term.tres);
  return sum;
}

bool IsPrice(absl::string_view text) { return absl::StartsWith(text, kPricePrefix); }

TresUnit TresUnitOf(absl::string_view text, absl::string_view currency) {
  if (IsPrice(text)) {
    return {3600, currency.empty() ? absl::StrCat("units of ", text)
                                   : absl::StrCat(currency, " by ", text)};
  }
  return {60, IsTresSum(text) ? absl::StrCat("minutes of ", text) : absl::StrCat(text, " minutes")};
}

}  // namespace priorityd::priority
