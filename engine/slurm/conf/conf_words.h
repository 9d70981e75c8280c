// The words of slurm.conf in Slurm 14.11 to 25.11: those with an effect here, those without one
// (unused_words.h), and values that slurmctld ignores. A table in docs/coming-from-slurm.md is
// generated from the values.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_CONF_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_CONF_WORDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/conf/unused_words.h"

namespace priorityd::slurm {

// Whether priorityd acts on the parameter (case-insensitive).
bool IsActedOn(ConfWordPlace place, absl::string_view name);

// Whether any of these versions of Slurm, or priorityd, has the parameter (case-insensitive).
bool IsConfWord(ConfWordPlace place, absl::string_view name);

// The effect of a value that some of these Slurms documented and the newest does not, or that has
// another meaning here.
enum class ValueFate {
  kSame,     // None: it names the default.
  kLost,     // None, as in today's slurmctld: the import reports a loss.
  kRefused,  // It would change numbers, and today's slurmctld does not start with it.
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

#endif  // PRIORITYD_ENGINE_SLURM_CONF_CONF_WORDS_H_
