#include "engine/errors/violations.h"

namespace priorityd::errors {

void Violations::Add(absl::string_view field, absl::string_view description) {
  ++total_;
  if (kept_.size() < most_) kept_.push_back({std::string(field), std::string(description)});
}

void Violations::Add(absl::string_view field, const absl::Status& status) {
  const std::vector<FieldViolation> carried = ViolationsOf(status);
  if (carried.empty()) return Add(field, status.message());
  for (const FieldViolation& violation : carried) Add(violation.field, violation.description);
  total_ += ViolationCountOf(status) - carried.size();
}

absl::Status Violations::ToStatus() const {
  if (empty()) return absl::OkStatus();
  return BadRequestError(reason_, kept_, total_ - kept_.size());
}

}  // namespace priorityd::errors
