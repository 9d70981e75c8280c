// The site factor services that a policy may name.
#ifndef PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_
#define PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::site_factor {

// Patterns HOST:PORT. In HOST, `*` matches any characters, and case is ignored. PORT is a number or
// `*`. Addresses are matched as written in the policy: names are not resolved. Other forms of gRPC
// targets are never allowed. Immutable.
class AllowedServices {
 public:
  // Without patterns: loopback addresses (127.*, ::1, localhost).
  explicit AllowedServices(std::vector<std::string> patterns = {})
      : patterns_(std::move(patterns)) {}

  // INVALID_ARGUMENT, `got X, want ...`, states what is allowed.
  absl::Status Check(absl::string_view address) const;

  // INVALID_ARGUMENT for an invalid pattern.
  static absl::Status CheckPattern(absl::string_view pattern);

 private:
  bool Allows(absl::string_view address) const;

  const std::vector<std::string> patterns_;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_SERVER_SITE_FACTOR_ALLOWED_SERVICES_H_
