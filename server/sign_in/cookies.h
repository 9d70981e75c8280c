// Cookies of the page: those of a request, and the header that sets one (RFC 6265).
#ifndef PRIORITYD_SERVER_SIGN_IN_COOKIES_H_
#define PRIORITYD_SERVER_SIGN_IN_COOKIES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::sign_in {

// The cookies of the page, by its URL for browsers: `https://priority.example.org/priority/`.
class CookieJar {
 public:
  // REQUIRES: CheckUrl accepts `page_url`, which ends with `/`.
  explicit CookieJar(absl::string_view page_url);

  // The value of the cookie in the header Cookie; empty if there is none, or it has two.
  std::string ValueIn(absl::string_view header, absl::string_view name) const;

  // Set-Cookie: no script reads it, no other site sends it with a POST, and with https no other
  // host sets it. `lasts` of zero deletes it.
  std::string Setting(absl::string_view name, absl::string_view value, absl::Duration lasts) const;

 private:
  std::string NameOf(absl::string_view name) const;

  bool is_secure_;
  std::string path_;
};

// `https://priority.example.org` of that page.
std::string OriginOf(absl::string_view page_url);

}  // namespace priorityd::sign_in

#endif  // PRIORITYD_SERVER_SIGN_IN_COOKIES_H_
