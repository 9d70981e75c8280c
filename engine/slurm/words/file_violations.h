// The errors that the readers of this folder find in a text: violations whose field is the place,
// `slurm.conf line 14`, attached to one absl::Status.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_FILE_VIOLATIONS_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_FILE_VIOLATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/errors/violations.h"

namespace priorityd::slurm {

// A file as sent by the caller. Violations and warnings use its `name`.
struct SourceFile {
  std::string name;
  std::string content;
};

// The largest number of violations of one text that are kept; others are only counted.
inline constexpr int kMaxViolations = 32;

// The approximate length to which messages are cut, in bytes.
inline constexpr int kMaxMessageBytes = 500;

// The largest number of warnings of one text that are returned.
inline constexpr int kMaxWarnings = 100;

// `slurm.conf line 14`, or `slurm.conf` for line 0, the file as a whole.
std::string PlaceText(absl::string_view file, int line);

// Collects violations in the order of discovery, without duplicates (same place, same message).
class FileViolations {
 public:
  // `message`: `field: got X, want Y`, without the place; control characters become `?`.
  // Lines count from 1; 0 = the file as a whole.
  void Add(absl::string_view file, int line, absl::string_view message);

  bool empty() const { return violations_.empty(); }
  // The number of all violations, including those not kept.
  int64_t total() const { return static_cast<int64_t>(violations_.total()); }
  // The kept violations, with their places as fields.
  const std::vector<errors::FieldViolation>& kept() const { return violations_.kept(); }
  // INVALID_ARGUMENT (INVALID_FILE); see errors::ViolationsOf.
  absl::Status ToStatus() const { return violations_.ToStatus(); }

 private:
  errors::Violations violations_{"INVALID_FILE", kMaxViolations};
};

// Cuts the list to kMaxWarnings; the last warning then says how many are missing.
void LimitWarnings(std::vector<std::string>& warnings);

// `text` in double quotes for a message: control characters escaped, cut to
// about 60 bytes at a character's boundary.
std::string Quoted(absl::string_view text);

// INVALID_ARGUMENT `got "x", want y`, with `got` as Quoted.
absl::Status Unexpected(absl::string_view got, absl::string_view want);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_FILE_VIOLATIONS_H_
