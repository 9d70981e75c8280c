// The parameters of slurm.conf from Slurm 14.11 to 25.11: those that priorityd uses, those without
// effect on it, and values that slurmctld ignores. The list in docs/coming-from-slurm.md is
// generated from it.
#ifndef PRIORITYD_SERVER_SLURM_CONF_WORDS_H_
#define PRIORITYD_SERVER_SLURM_CONF_WORDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::slurm {

// Where a parameter occurs: in a line of its own, in a NodeName line, or in a PartitionName line.
enum class ConfWordPlace { kFile, kNode, kPartition };

// Whether any of these versions of Slurm, or priorityd, has the parameter (case-insensitive).
bool IsConfWord(ConfWordPlace place, absl::string_view name);

// The parameters of the file without effect on priorityd, sorted.
absl::Span<const absl::string_view> ConfWordsWithoutConsequence();

// How a value is treated that only older versions of Slurm document, or that has a different
// meaning in priorityd.
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

// Null if the table has no such value of the parameter (case-insensitive).
const ConfValueWord* FindConfValueWord(absl::string_view parameter, absl::string_view value);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_CONF_WORDS_H_
