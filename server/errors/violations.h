// Gathers what is wrong with an input.
#ifndef PRIORITYD_SERVER_ERRORS_VIOLATIONS_H_
#define PRIORITYD_SERVER_ERRORS_VIOLATIONS_H_

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"

namespace priorityd::errors {

//   errors::Violations violations("INVALID_FILE");
//   violations.Add("slurm.conf line 14", "PriorityFlags: got \"FOO\", want one of ...");
//   return violations.ToStatus();
class Violations {
 public:
  // `reason` as in BadRequestError. Of more than `most` violations the first are kept,
  // the others counted.
  explicit Violations(absl::string_view reason = "INVALID_FIELD",
                      size_t most = std::numeric_limits<size_t>::max())
      : reason_(reason), most_(most) {}

  void Add(absl::string_view field, absl::string_view description);
  // Those that `status` carries, and the number of those that it does not carry. If it
  // carries none: its message, as one of `field`.
  void Add(absl::string_view field, const absl::Status& status);

  bool empty() const { return total_ == 0; }
  // Of all, those that were not kept included.
  size_t total() const { return total_; }
  // In the order of Add.
  const std::vector<FieldViolation>& kept() const { return kept_; }

  // OK when empty, else BadRequestError.
  absl::Status ToStatus() const;

 private:
  std::string reason_;
  size_t most_;
  std::vector<FieldViolation> kept_;
  size_t total_ = 0;
};

}  // namespace priorityd::errors

#endif  // PRIORITYD_SERVER_ERRORS_VIOLATIONS_H_
