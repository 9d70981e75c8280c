// Refusals of credentials.
#ifndef PRIORITYD_SERVER_IDENTITY_REFUSAL_H_
#define PRIORITYD_SERVER_IDENTITY_REFUSAL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace priorityd::identity {

// UNAUTHENTICATED with a reason in UPPER_SNAKE. The message never contains the credential.
absl::Status Refused(absl::string_view reason, absl::string_view message);

// Refuses names unsuitable for logs and audit events: empty, longer than kMaxNameBytes, not UTF-8,
// or with control characters.
absl::Status CheckName(absl::string_view name);

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_REFUSAL_H_
