// The words of `sacctmgr modify qos set`, and what a QOS has of each.
#ifndef PRIORITYD_SERVER_SLURM_QOS_WORDS_H_
#define PRIORITYD_SERVER_SLURM_QOS_WORDS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/slurm/qos_table.h"

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

// The word for what was typed: in any case, another of its names, or so much of it that it can be
// no other. INVALID_ARGUMENT `got "x", want ...`.
absl::StatusOr<QosWord> FindQosWord(absl::string_view typed);

// What is set of a word, as sacctmgr takes it; empty = nothing.
std::string QosCell(const QosWord& word, const QosRow& row);

// Sets it to what `text` says; empty = nothing. INVALID_ARGUMENT `got "x", want y`.
absl::Status SetQosCell(const QosWord& word, absl::string_view text, QosRow& row);

// Whether a cell of a table says what its column can say; -1 is unset. OK for columns that are no
// words. INVALID_ARGUMENT `got "x", want y`.
absl::Status CheckQosCell(absl::string_view column, absl::string_view text);

// Word to text of all that is set; Priority and UsageFactor always are. Limits under names that
// are no words are told as they are.
std::map<std::string, std::string> QosCells(const QosRow& row);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_QOS_WORDS_H_
