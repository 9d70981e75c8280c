// Machine-readable error details, attached to an absl::Status as payloads: reason, retry delay,
// field violations. rpc/status converts them to google.rpc messages.
#ifndef PRIORITYD_ENGINE_ERRORS_ERROR_DETAILS_H_
#define PRIORITYD_ENGINE_ERRORS_ERROR_DETAILS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::errors {

// An error in one field. `field`: its path (`jobs[17].nice`), or file name and line (`slurm.conf
// line 14`). `description`: `got X, want Y`. A NUL in either becomes `?`.
struct FieldViolation {
  std::string field;
  std::string description;
  bool operator==(const FieldViolation&) const = default;
};

// Returns `status` with the given reason (UPPER_SNAKE) instead of the name of its code. OK stays
// OK.
absl::Status WithReason(absl::Status status, absl::string_view reason);

// Returns `status` with the delay after which the caller should retry. OK stays OK.
absl::Status WithRetryDelay(absl::Status status, absl::Duration delay);

// INVALID_ARGUMENT with a reason and violations. The message has the first violation and the number
// of the others, including `left_out` ones that are not in the list. REQUIRES: !violations.empty().
absl::Status BadRequestError(absl::string_view reason,
                             const std::vector<FieldViolation>& violations, size_t left_out = 0);

// Read the attached details. Without WithReason the reason is the name of the code; empty for OK.
std::string ReasonOf(const absl::Status& status);
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);
// The number of violations, including those left out of the list.
size_t ViolationCountOf(const absl::Status& status);

}  // namespace priorityd::errors

#endif  // PRIORITYD_ENGINE_ERRORS_ERROR_DETAILS_H_
