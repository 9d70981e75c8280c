// Parameters with words as values: one table reads and writes them.
#ifndef PRIORITYD_ENGINE_SLURM_CONF_PARAMETER_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_CONF_PARAMETER_WORDS_H_

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/conf/policy_draft.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::slurm {

// A word (case-insensitive) and its value. If a value has several words, the first one is written.
template <typename T>
struct Word {
  absl::string_view name;
  T value;
};

// The words for yes and no in slurmctld.
inline constexpr Word<bool> kYesNo[] = {{"YES", true},   {"NO", false},  {"UP", true},
                                        {"DOWN", false}, {"TRUE", true}, {"FALSE", false},
                                        {"1", true},     {"0", false}};

// Sets `value` to that of the word `text`; false if it is not one of the words.
template <typename T, size_t kSize>
bool ReadWord(absl::string_view text, const Word<T> (&words)[kSize], T& value) {
  for (const Word<T>& word : words) {
    if (!absl::EqualsIgnoreCase(text, word.name)) continue;
    value = word.value;
    return true;
  }
  return false;
}

// The word for `value`. REQUIRES: it has one.
template <typename T, size_t kSize>
absl::string_view WriteWord(const T& value, const Word<T> (&words)[kSize]) {
  for (const Word<T>& word : words) {
    if (word.value == value) return word.name;
  }
  return "";
}

// A parameter that is one field of Policy.
template <auto kField, const auto& kWords>
absl::Status ReadWordOf(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  return ReadWord(value, kWords, draft.policy.*kField) ? absl::OkStatus() : Unexpected(value, want);
}
template <auto kField, const auto& kWords>
std::string WriteWordOf(const priority::Policy& policy) {
  return std::string(WriteWord(policy.*kField, kWords));
}

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_CONF_PARAMETER_WORDS_H_
