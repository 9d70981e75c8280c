// The words of slurm.conf from Slurm 14.11 to 25.11: what is acted on, what has no consequence
// here, and what slurmctld passes over. The list in docs/coming-from-slurm.md comes from it.
#ifndef PRIORITYD_SERVER_SLURM_CONF_WORDS_H_
#define PRIORITYD_SERVER_SLURM_CONF_WORDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::slurm {

// What stands in a line by itself, of its NodeName or of its PartitionName.
enum class ConfWordPlace { kFile, kNode, kPartition };

// Whether any of these Slurms, or priorityd, has such a parameter (case-insensitive).
bool IsConfWord(ConfWordPlace place, absl::string_view name);

// Parameters of the file that have no consequence here, sorted.
absl::Span<const absl::string_view> ConfWordsWithoutConsequence();

// What becomes of a value that some of these Slurms documented and the newest does not, or that
// has another meaning here.
enum class ValueFate {
  kSame,     // It says what is so without it.
  kLost,     // slurmctld of today passes over it: a loss that is named.
  kRefused,  // It would change numbers, and no slurmctld of today starts with it.
  kActedOn,
};

struct ConfValueWord {
  absl::string_view parameter;
  absl::string_view value;
  ValueFate fate;
  absl::string_view remark;  // A clause, for warnings and the page.
};

absl::Span<const ConfValueWord> ConfValueWords();

// Null where the table has no such value of such a parameter (case-insensitive).
const ConfValueWord* FindConfValueWord(absl::string_view parameter, absl::string_view value);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_CONF_WORDS_H_
