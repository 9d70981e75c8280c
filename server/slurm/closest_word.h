// What somebody may have meant who mistyped a word.
#ifndef PRIORITYD_SERVER_SLURM_CLOSEST_WORD_H_
#define PRIORITYD_SERVER_SLURM_CLOSEST_WORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// The word of `known` with the fewest letters different, left out, added or changed about,
// whatever their case; empty if that is more than a third of the letters, or `word` is too short to
// tell.
std::string ClosestWord(absl::string_view word, const std::vector<std::string>& known);

// What is said behind a word that none of `known` is: `, want one of A, B`, behind
// `; did you mean A?` where one is close.
std::string WantOneOf(absl::string_view word, const std::vector<std::string>& known);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_CLOSEST_WORD_H_
