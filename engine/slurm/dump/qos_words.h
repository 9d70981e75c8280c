// The settings of `sacctmgr modify qos set`, and their values in a QOS.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_QOS_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_QOS_WORDS_H_

#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/dump/qos_table.h"

namespace priorityd::slurm {

enum class QosWordKind {
  kPlain,  // One value.
  kNames,  // A list: Flags, Preempt.
  kTres,   // A limit for each TRES; those that are not named stay.
};

struct QosWord {
  absl::string_view name;  // As sacctmgr heads its column.
  QosWordKind kind;
};

// The word for `typed`: case-insensitive, an alias, or an unambiguous abbreviation.
// INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<QosWord> FindQosWord(absl::string_view typed);

// The value of a word in sacctmgr's syntax; empty = unset.
std::string QosCell(const QosWord& word, const QosRow& row);

// Sets the value from `text`; empty = unset. INVALID_ARGUMENT `got "x", want y`.
absl::Status SetQosCell(const QosWord& word, absl::string_view text, QosRow& row);

// Checks a cell of a table against the type of its column; -1 = unset. OK for unknown columns.
// INVALID_ARGUMENT `got "x", want y`.
absl::Status CheckQosCell(absl::string_view column, absl::string_view text);

// If a column is of no word and could have been meant as one, since it resembles one or is named
// like a limit: that word; empty = none is close. nullopt = it is a word, or resembles none.
std::optional<std::string> MistypedQosWord(absl::string_view column);

// All set values, word to text; always includes Priority and UsageFactor. Limits with unknown names
// are returned unchanged.
std::map<std::string, std::string> QosCells(const QosRow& row);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_QOS_WORDS_H_
