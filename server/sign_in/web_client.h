// Requests to the site's OpenID provider, bounded in size and time.
#ifndef PRIORITYD_SERVER_SIGN_IN_WEB_CLIENT_H_
#define PRIORITYD_SERVER_SIGN_IN_WEB_CLIENT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::sign_in {

// Bounds of one answer, from the name lookup to the last byte of its body.
inline constexpr size_t kMostAnswerBytes = 64 << 10;
inline constexpr absl::Duration kMostAnswerTime = absl::Seconds(5);

using Fields = std::vector<std::pair<std::string, std::string>>;

// Percent-encoded `a=1&b=2`.
std::string FormOf(const Fields& fields);
std::string PercentEncoded(absl::string_view text);
// The value of the first such name in a query, decoded; empty if there is none.
std::string ValueIn(absl::string_view query, absl::string_view name);

// INVALID_ARGUMENT unless it is https://HOST..., or http:// of this host itself, without user,
// query and fragment: `got X, want Y`.
absl::Status CheckUrl(absl::string_view url);

struct WebRequest {
  std::string url;
  Fields form;  // Not empty = a POST of it.
  // HTTP Basic authentication; empty name = none.
  std::string name;
  std::string password;
};

struct WebAnswer {
  int status = 0;
  std::string body;
};

// Follows no redirects, verifies certificates. Thread-safe.
class WebClient {
 public:
  // `ca_file`: PEM certificates of authorities; empty = those of the host.
  explicit WebClient(std::string ca_file);

  // UNAVAILABLE if the answer does not arrive whole within the bounds.
  absl::StatusOr<WebAnswer> Ask(const WebRequest& request) const;

 private:
  const std::string ca_file_;
};

}  // namespace priorityd::sign_in

#endif  // PRIORITYD_SERVER_SIGN_IN_WEB_CLIENT_H_
