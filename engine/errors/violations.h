// Collects the violations of an input.
#ifndef PRIORITYD_ENGINE_ERRORS_VIOLATIONS_H_
#define PRIORITYD_ENGINE_ERRORS_VIOLATIONS_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"

namespace priorityd::errors {

//   errors::Violations violations("INVALID_FILE");
//   violations.Add("slurm.conf line 14", "PriorityFlags: got \"FOO\", want one of ...");
//   return violations.ToStatus();
class Violations {
 public:
  // `reason`: as in BadRequestError. Keeps the first `most` violations and counts the others.
  explicit Violations(absl::string_view reason = "INVALID_FIELD",
                      size_t most = std::numeric_limits<size_t>::max())
      : reason_(reason), most_(most) {}

  void Add(absl::string_view field, absl::string_view description);
  // Adds the violations attached to `status` and the number of those left out. If there are none,
  // adds its message as a violation of `field`.
  void Add(absl::string_view field, const absl::Status& status);

  bool empty() const { return total_ == 0; }
  // The number of all violations, including those not kept.
  size_t total() const { return total_; }
  // The kept violations, in the order in which they were added.
  const std::vector<FieldViolation>& kept() const { return kept_; }

  // OK if empty, else BadRequestError.
  absl::Status ToStatus() const;

 private:
  std::string reason_;
  size_t most_;
  std::vector<FieldViolation> kept_;
  size_t total_ = 0;
};

}  // namespace priorityd::errors

#endif  // PRIORITYD_ENGINE_ERRORS_VIOLATIONS_H_
