// The text of a site's service, for explanations.
#ifndef PRIORITYD_SERVER_API_SITE_FACTOR_PRINTABLE_REASON_H_
#define PRIORITYD_SERVER_API_SITE_FACTOR_PRINTABLE_REASON_H_

#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::rpc {

// The first 200 characters of a text in valid UTF-8, with `...` if it has more. Characters that
// control a terminal, or turn, join or hide text, are escaped: `\x1b`, `\u202e`.
std::string PrintableReason(absl::string_view text);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SITE_FACTOR_PRINTABLE_REASON_H_
