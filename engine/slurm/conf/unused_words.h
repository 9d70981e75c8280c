// The words of slurm.conf from Slurm 14.11 to 25.11 that priorityd does not act on, and what Slurm
// does with them (slurm.conf(5)). The lists in docs/coming-from-slurm.md are generated from here.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_UNUSED_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_UNUSED_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/words/unused_setting.h"

namespace priorityd::slurm {

// The place of a parameter: a line of its own, a NodeName line, or a PartitionName line.
enum class ConfWordPlace { kFile, kNode, kPartition };

// Parameters with one effect.
struct UnusedWord {
  ConfWordPlace place;
  UnusedClass unused_class;
  absl::string_view names;      // With blanks between them.
  absl::string_view effect;     // A sentence.
  absl::string_view idle = "";  // Values without effect, besides those of IsIdleValue.
};

absl::Span<const UnusedWord> UnusedWords();

// Null if the table has no such parameter (case-insensitive).
const UnusedWord* FindUnusedWord(ConfWordPlace place, absl::string_view name);

// The name in the table's spelling. REQUIRES: the word has it.
absl::string_view SpelledName(const UnusedWord& word, absl::string_view name);

// Words within the comma-separated value of a parameter, with one effect.
struct UnusedValueWord {
  absl::string_view parameter;
  UnusedClass unused_class;
  absl::string_view names;  // With blanks between them, without =VALUE; `*` = all other words.
  absl::string_view effect;
};

// Of one parameter, `*` is last. A parameter without `*` acts by its other words.
absl::Span<const UnusedValueWord> UnusedValueWords();

// The words within the value of a parameter that have no effect here, named `PARAMETER=WORD`.
std::vector<UnusedSetting> UnusedWordsOf(const ConfPair& pair);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_UNUSED_WORDS_H_
