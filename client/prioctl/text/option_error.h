// Options whose values only the command that they are for can read.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_OPTION_ERROR_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_OPTION_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"

namespace priorityd::prioctl {

inline constexpr char kOptionErrorUrl[] = "priorityd/option-error";

// INVALID_ARGUMENT that ends prioctl as any wrong command line does: exit status 2.
inline absl::Status OptionError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kOptionErrorUrl, absl::Cord());
  return status;
}

inline bool IsOptionError(const absl::Status& status) {
  return status.GetPayload(kOptionErrorUrl).has_value();
}

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_OPTION_ERROR_H_
