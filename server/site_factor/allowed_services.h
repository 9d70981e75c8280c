// Which site factor services a policy may name.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_
#define PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::site_factor {

// Patterns HOST:PORT. In HOST `*` stands for any characters; letters match in both cases. PORT is a
// number, or `*`. An address matches as the policy has it: names are not resolved. One that is not
// of this form, as gRPC's other names of targets, is never allowed. Immutable.
class AllowedServices {
 public:
  // Without patterns: those of this host's loopback interface (127.*, ::1, localhost).
  explicit AllowedServices(std::vector<std::string> patterns = {})
      : patterns_(std::move(patterns)) {}

  // INVALID_ARGUMENT, `got X, want ...`, says what is allowed.
  absl::Status Check(absl::string_view address) const;

  // INVALID_ARGUMENT for what is no pattern.
  static absl::Status CheckPattern(absl::string_view pattern);

 private:
  bool Allows(absl::string_view address) const;

  const std::vector<std::string> patterns_;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_
