// Suggestions for mistyped words.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_CLOSEST_WORD_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_CLOSEST_WORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// The word of `known` with the smallest edit distance to `word` (letters replaced, missing, added
// or transposed; case-insensitive); empty if the distance exceeds a third of the letters or `word`
// is too short.
std::string ClosestWord(absl::string_view word, const std::vector<std::string>& known);

// The end of an error for an unknown word: `, want one of A, B`; or `; did you mean A? Want one of
// A, B` if a known word is close.
std::string WantOneOf(absl::string_view word, const std::vector<std::string>& known);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_CLOSEST_WORD_H_
