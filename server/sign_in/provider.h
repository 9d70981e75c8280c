// The site's OpenID provider: its endpoints, and the exchange of codes for ID tokens.
#ifndef PRIORITYD_SERVER_SIGN_IN_PROVIDER_H_
#define PRIORITYD_SERVER_SIGN_IN_PROVIDER_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/sign_in/web_client.h"

namespace priorityd::sign_in {

// The contents of the provider's discovery document (OpenID Connect Discovery 1.0).
struct Endpoints {
  std::string authorization;
  std::string token;
  std::string end_session;    // Empty = it has none.
  bool takes_basic = true;    // The client's secret by HTTP Basic authentication, not in the form.
  bool names_issuer = false;  // Its answers have the parameter iss (RFC 9207).
};

// Reads the document of an issuer. INVALID_ARGUMENT, `field: got X, want Y`, for another issuer's,
// or an endpoint that CheckUrl refuses.
absl::StatusOr<Endpoints> ReadEndpoints(absl::string_view json, absl::string_view issuer);

// Registered with the provider.
struct Client {
  std::string id;
  std::string secret;  // Empty = a public client, which PKCE alone protects.
};

// Calls wait for the provider, kMostAnswerTime each at most. Thread-safe.
class Provider {
 public:
  Provider(std::string issuer, Client client, const std::string& ca_file);

  // Kept for an hour; a failure for 5 seconds, so that a provider that is down is not asked by each
  // reader. UNAVAILABLE if there is no valid document.
  absl::StatusOr<Endpoints> Discover() ABSL_LOCKS_EXCLUDED(mutex_);

  // The unverified ID token for a code. PERMISSION_DENIED if the provider refuses the code;
  // UNAVAILABLE if it does not answer as it should.
  absl::StatusOr<std::string> IdTokenFor(const std::string& code, const std::string& verifier,
                                         const std::string& redirect_url);

  const std::string& issuer() const { return issuer_; }
  const Client& client() const { return client_; }

 private:
  absl::StatusOr<Endpoints> Read() const;

  const std::string issuer_;
  const Client client_;
  const WebClient web_;
  absl::Mutex mutex_;
  absl::StatusOr<Endpoints> endpoints_ ABSL_GUARDED_BY(mutex_);
  absl::Time ask_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace priorityd::sign_in

#endif  // PRIORITYD_SERVER_SIGN_IN_PROVIDER_H_
