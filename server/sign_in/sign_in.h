// Sign-in of a page's reader by the site's OpenID provider, and the session that follows: OpenID
// Connect Core 1.0, authorization code flow with PKCE (RFC 7636).
#ifndef PRIORITYD_SERVER_SIGN_IN_SIGN_IN_H_
#define PRIORITYD_SERVER_SIGN_IN_SIGN_IN_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/http/exchange.h"
#include "server/identity/authenticator.h"
#include "server/sign_in/cookies.h"
#include "server/sign_in/provider.h"
#include "server/sign_in/sealer.h"

namespace priorityd::sign_in {

// The provider's redirect URI is the page's URL with this.
inline constexpr char kDonePath[] = "signin/done";

struct Options {
  std::string page_url;  // Of the page as browsers reach it, with `/` at its end; see CheckUrl.
  std::string issuer;    // A TokenIssuer of the auth file with UserClaim.
  Client client;
  std::string scope = "openid profile";
  std::string ca_file;  // Authorities of the provider's certificate; empty = the host's.
  std::string key;      // The secret of the sessions, the same on all replicas.
  absl::Duration session_time = absl::Hours(8);
  identity::Authenticator* authenticator = nullptr;  // Must outlive the object.
  std::function<absl::Time()> clock;
};

// All state is in two sealed cookies of the browser: that of a sign-in in progress, and the
// session. Tokens never reach the browser. Any replica with the same key serves the next request.
// Thread-safe.
class SignIn {
 public:
  explicit SignIn(Options options);

  // Begin, Finish and End may wait for the provider for some seconds.

  // GET signin/begin?to=VIEW: redirects to the provider, and later to that view of the page.
  http::Response Begin(const http::Request& request);
  // GET signin/done: redirects to the page, with a session or with `#/signin?failed=REASON`. REASON
  // is state, refused, provider or token.
  http::Response Finish(const http::Request& request);
  // POST signin/end: ends the session. `{"next": URL}` is where the provider ends its own; empty =
  // it cannot.
  http::Response End(const http::Request& request);

  // The session of a request without other credentials, also an expired one; nullopt if there is
  // none. PERMISSION_DENIED (ORIGIN_REFUSED) if another page than ours may have sent it.
  absl::StatusOr<std::optional<identity::Session>> SessionIn(const http::Request& request) const;

  const std::string& issuer() const { return provider_.issuer(); }
  const std::string& page_url() const { return options_.page_url; }

 private:
  struct Beginning;

  absl::StatusOr<Beginning> BeginningOf(const http::Request& request) const;
  absl::StatusOr<identity::Session> Exchange(const http::Request& request,
                                             const Beginning& beginning);
  // To a view of the page, or to another site.
  http::Response ToView(absl::string_view view) const;
  http::Response Failed(const http::Request& request, const absl::Status& why) const;
  bool IsOurs(const http::Request& request) const;
  std::string RedirectUrl() const { return options_.page_url + kDonePath; }

  const Options options_;
  const Sealer sealer_;
  const CookieJar cookies_;
  const std::string origin_;
  Provider provider_;
};

}  // namespace priorityd::sign_in

#endif  // PRIORITYD_SERVER_SIGN_IN_SIGN_IN_H_
