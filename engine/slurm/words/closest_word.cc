#include "engine/slurm/words/closest_word.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace priorityd::slurm {
namespace {

// Optimal string alignment distance: letters deleted, inserted, replaced, or two neighbours
// transposed.
size_t LettersBetween(absl::string_view a, absl::string_view b) {
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min(
          {cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string ClosestWord(absl::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;
  if (word.size() < 3 || word.size() > kLongest) return "";
  const std::string wanted = absl::AsciiStrToLower(word);
  std::string closest;
  size_t least = word.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const size_t distance = LettersBetween(wanted, absl::AsciiStrToLower(candidate));
    if (distance >= least) continue;
    least = distance;
    closest = candidate;
  }
  return closest;
}

std::string WantOneOf(absl::string_view word, const std::vector<std::string>& known) {
  const std::string meant = ClosestWord(word, known);
  const std::string all = absl::StrJoin(known, ", ");
  if (meant.empty()) return absl::StrCat(", want one of ", all);
  return absl::StrCat("; did you mean ", meant, "? Want one of ", all);
}

}  // namespace priorityd::slurm
