// How every reader of this folder reports what is wrong with a text: violations whose
// field is the place, `slurm.conf line 14`, carried by one absl::Status.
#ifndef PRIORITYD_SERVER_SLURM_FILE_VIOLATIONS_H_
#define PRIORITYD_SERVER_SLURM_FILE_VIOLATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/errors/violations.h"

namespace priorityd::slurm {

// A text as its owner gave it. Violations and warnings name it by `name`.
struct SourceFile {
  std::string name;
  std::string content;
};

// At most so many violations of one text are kept; the others are counted.
inline constexpr int kMaxViolations = 32;

// A message is cut to about so many bytes.
inline constexpr int kMaxMessageBytes = 500;

// Of the warnings of one text at most so many are handed on.
inline constexpr int kMaxWarnings = 100;

// `slurm.conf line 14`, or `slurm.conf` for line 0, the file as a whole.
std::string PlaceText(absl::string_view file, int line);

// Gathers violations in the order of their discovery. One that was added before (same
// place, same message) is not added again.
class FileViolations {
 public:
  // `message`: `field: got X, want Y`, without the place; control characters become `?`.
  // Lines count from 1; 0 = the file as a whole.
  void Add(absl::string_view file, int line, absl::string_view message);

  bool empty() const { return violations_.empty(); }
  // Of all, those that were not kept included.
  int64_t total() const { return static_cast<int64_t>(violations_.total()); }
  // The first of them, with their places as fields.
  const std::vector<errors::FieldViolation>& kept() const { return violations_.kept(); }
  // INVALID_ARGUMENT (INVALID_FILE); see errors::ViolationsOf.
  absl::Status ToStatus() const { return violations_.ToStatus(); }

 private:
  errors::Violations violations_{"INVALID_FILE", kMaxViolations};
};

// Leaves at most kMaxWarnings, the last of which then says how many are missing.
void LimitWarnings(std::vector<std::string>& warnings);

// `text` in double quotes for a message: control characters escaped, cut to
// about 60 bytes at a character's boundary.
std::string Quoted(absl::string_view text);

// INVALID_ARGUMENT `got "x", want y`, with `got` as Quoted.
absl::Status Unexpected(absl::string_view got, absl::string_view want);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_FILE_VIOLATIONS_H_
