// Settings of Slurm's files that Slurm acts on and priorityd does not.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_UNUSED_SETTING_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_UNUSED_SETTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::slurm {

// The effect of such a setting in Slurm; in the order of reports.
enum class UnusedClass {
  kLimits,         // Refuses, limits or cancels jobs.
  kNumbers,        // Computes other priorities, usage or billing.
  kNoConsequence,  // Nothing that concerns priorities, usage or the start of jobs.
};

struct UnusedSetting {
  std::string place;  // The first place that has it: `slurm.conf line 14`, `QOS normal`.
  std::string name;   // As in Slurm's documents: `MaxMemPerCPU`, `Flags=RequiresReservation`.
  std::string value;  // Of the first place, as written, cut to kMaxUnusedValue bytes.
  UnusedClass unused_class = UnusedClass::kNoConsequence;
  std::string effect;  // The effect in Slurm, and the replacement here if there is one.
  int64_t places = 1;

  friend bool operator==(const UnusedSetting&, const UnusedSetting&) = default;
};

inline constexpr size_t kMaxUnusedValue = 128;

// Whether Slurm does nothing with this value of a setting: empty, (null), NO, NONE, N/A, OFF,
// FALSE, UNLIMITED, INFINITE, -1, or a number or time of 0. Case-insensitive.
bool IsIdleValue(absl::string_view value);

// Settings by class and name (case-insensitive).
class UnusedSettings {
 public:
  void Add(UnusedSetting setting);
  void Add(absl::Span<const UnusedSetting> settings);

  // By class, then name.
  std::vector<UnusedSetting> Sorted() const;

 private:
  std::map<std::pair<UnusedClass, std::string>, UnusedSetting> settings_;  // Lower-case names.
};

// The names of the settings of a class, those of several places with their number:
// `GraceTime (2), MaxMemPerCPU`; empty = there are none.
std::string UnusedNames(absl::Span<const UnusedSetting> settings, UnusedClass unused_class);

// The settings of kNumbers whose names `accepted` does not have (case-insensitive; `*` = all).
std::vector<UnusedSetting> NotAccepted(absl::Span<const UnusedSetting> settings,
                                       absl::Span<const std::string> accepted);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_UNUSED_SETTING_H_
