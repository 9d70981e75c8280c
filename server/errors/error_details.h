// What an error says for programs besides its code and message, carried along
// in an absl::Status. rpc/status makes google.rpc messages of it.
#ifndef PRIORITYD_SERVER_ERRORS_ERROR_DETAILS_H_
#define PRIORITYD_SERVER_ERRORS_ERROR_DETAILS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::errors {

// What is wrong with one field: its path (`jobs[17].nice`), for a file its name and
// line (`slurm.conf line 14`), and `got X, want Y`. A NUL in either becomes `?`.
struct FieldViolation {
  std::string field;
  std::string description;
  bool operator==(const FieldViolation&) const = default;
};

// `status` with a reason in UPPER_SNAKE instead of the one that follows from its
// code. OK stays OK.
absl::Status WithReason(absl::Status status, absl::string_view reason);

// `status` with the time after which to try again. OK stays OK.
absl::Status WithRetryDelay(absl::Status status, absl::Duration delay);

// INVALID_ARGUMENT with a reason and the violations. The message is the first
// violation and the number of the others, of which `left_out` are not in the
// list. REQUIRES: !violations.empty().
absl::Status BadRequestError(absl::string_view reason,
                             const std::vector<FieldViolation>& violations, size_t left_out = 0);

// What the above attached. Without WithReason the reason is the code's name;
// empty for OK.
std::string ReasonOf(const absl::Status& status);
std::optional<absl::Duration> RetryDelayOf(const absl::Status& status);
std::vector<FieldViolation> ViolationsOf(const absl::Status& status);
// How many violations there are, those left out of the list included.
size_t ViolationCountOf(const absl::Status& status);

}  // namespace priorityd::errors

#endif  // PRIORITYD_SERVER_ERRORS_ERROR_DETAILS_H_
