#include "engine/errors/error_details.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace priorityd::errors {
namespace {

constexpr char kReasonPayload[] = "priorityd/reason";
constexpr char kRetryDelayPayload[] = "priorityd/retry_delay_ms";
constexpr char kViolationsPayload[] = "priorityd/violations";
constexpr char kLeftOutPayload[] = "priorityd/violations_left_out";

// The payload as text; empty = none.
std::string Payload(const absl::Status& status, const char* url) {
  const absl::optional<absl::Cord> payload = status.GetPayload(url);
  return payload.has_value() ? std::string(*payload) : "";
}

// Texts are joined by NUL, so that none may contain one.
std::string WithoutNul(std::string text) {
  std::replace(text.begin(), text.end(), '\0', '?');
  return text;
}

}  // namespace

absl::Status WithReason(absl::Status status, absl::string_view reason) {
  status.SetPayload(kReasonPayload, absl::Cord(reason));
  return status;
}

absl::Status WithRetryDelay(absl::Status status, absl::Duration delay) {
  status.SetPayload(kRetryDelayPayload, absl::Cord(absl::StrCat(absl::ToInt64Milliseconds(delay))));
  return status;
}

absl::Status BadRequestError(absl::string_view reason,
                             const std::vector<FieldViolation>& violations, size_t left_out) {
  std::string payload;
  for (const FieldViolation& violation : violations) {
    payload += WithoutNul(violation.field) + '\0' + WithoutNul(violation.description) + '\0';
  }
  const FieldViolation& first = violations.front();
  std::string message = WithoutNul(absl::StrCat(first.field, ": ", first.description));
  const size_t others = violations.size() - 1 + left_out;
  if (others > 0) absl::StrAppend(&message, " (and ", others, " more)");
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kViolationsPayload, absl::Cord(payload));
  if (left_out > 0) status.SetPayload(kLeftOutPayload, absl::Cord(absl::StrCat(left_out)));
  return WithReason(status, reason);
}

std::string ReasonOf(const absl::Status& status) {
  if (status.ok()) return "";
  std::string reason = Payload(status, kReasonPayload);
  return reason.empty() ? absl::StatusCodeToString(status.code()) : reason;
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  int64_t milliseconds;
  if (!absl::SimpleAtoi(Payload(status, kRetryDelayPayload), &milliseconds)) return std::nullopt;
  return absl::Milliseconds(milliseconds);
}

std::vector<FieldViolation> ViolationsOf(const absl::Status& status) {
  std::vector<FieldViolation> violations;
  const std::string payload = Payload(status, kViolationsPayload);
  const std::vector<std::string> texts = absl::StrSplit(payload, '\0');
  for (size_t i = 0; i + 1 < texts.size(); i += 2) {
    violations.push_back({texts[i], texts[i + 1]});
  }
  return violations;
}

size_t ViolationCountOf(const absl::Status& status) {
  uint64_t left_out = 0;
  if (!absl::SimpleAtoi(Payload(status, kLeftOutPayload), &left_out)) left_out = 0;
  return ViolationsOf(status).size() + left_out;
}

}  // namespace priorityd::errors
