// What every fuzz target checks besides not crashing.
#ifndef PRIORITYD_TESTS_FUZZ_CHECK_H_
#define PRIORITYD_TESTS_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/line_reader.h"

namespace priorityd::slurm {

// Ends the process: a property of the target does not hold.
inline void Check(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", property);
  std::abort();
}

// A reader's status is OK or carries violations that are fit to be shown.
inline void CheckStatus(const absl::Status& status) {
  const std::vector<errors::FieldViolation> violations = errors::ViolationsOf(status);
  Check(status.ok() == violations.empty(), "violations exactly when not OK");
  Check(violations.size() <= kMaxViolations, "at most 32 violations travel");
  for (const errors::FieldViolation& violation : violations) {
    Check(!violation.field.empty(), "a violation has its place");
    Check(!violation.description.empty() && violation.description.size() <= kMaxMessageBytes + 3,
          "messages fit");
    Check(IsValidUtf8(violation.description), "messages are UTF-8");
  }
}

}  // namespace priorityd::slurm

#endif  // PRIORITYD_TESTS_FUZZ_CHECK_H_
