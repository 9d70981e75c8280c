// Authenticates callers by their credentials.
#ifndef PRIORITYD_SERVER_IDENTITY_AUTHENTICATOR_H_
#define PRIORITYD_SERVER_IDENTITY_AUTHENTICATOR_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/identity/key_ring.h"
#include "server/identity/principal.h"
#include "server/identity/token_buckets.h"

namespace priorityd::identity {

// A user whose ID token was verified some time ago; this process or another replica has sealed it.
struct Session {
  std::string issuer;  // Of the ID token.
  std::string name;    // The user.
  absl::Time ends;
};

// The credentials of a call.
struct Presented {
  enum class Scheme { kNone, kBearer, kMunge, kUnknown, kSession };

  Scheme scheme = Scheme::kNone;
  std::string credential;
  // The names in the peer's client certificate, which the transport has verified, in order of
  // preference. Empty = no certificate.
  std::vector<std::string> certificate_names;
  Session session;  // Of kSession.
  bool over_unix_socket = false;
};

// The claims that an ID token must have (OpenID Connect Core 1.0, 3.1.3.7).
struct IdTokenWants {
  std::string issuer;
  std::string client_id;  // In `aud`; the only one, or `azp`.
  std::string nonce;
};

// `MUNGE CREDENTIAL` or `Bearer TOKEN`, as in the metadata `authorization`.
void ReadAuthorization(absl::string_view header, Presented* presented);

// Maximum difference between the clocks of issuers and of this host.
inline constexpr absl::Duration kTokenLeeway = absl::Minutes(1);
// Size of the cache of verified tokens.
inline constexpr size_t kMaxKnownTokens = 4096;

// Reads its files again when they change, checked at most once a second; if new files are invalid,
// logs that and keeps the previous settings. Thread-safe.
class Authenticator {
 public:
  using Clock = std::function<absl::Time()>;

  // Errors of ReadKeyRing. `clock`: the present time, for the expiry of tokens.
  static absl::StatusOr<std::unique_ptr<Authenticator>> Open(const std::string& auth_file,
                                                             Clock clock);

  // Whether Identify waits for another process.
  static bool Waits(const Presented& presented) {
    return presented.scheme == Presented::Scheme::kMunge;
  }

  // A credential takes precedence over a certificate, and that over the socket. UNAUTHENTICATED
  // states why the proof is refused and which are accepted; UNAVAILABLE if munged does not answer.
  absl::StatusOr<Principal> Identify(const Presented& presented);

  // The same principal some time later, with the roles that the file now grants. UNAUTHENTICATED
  // (TOKEN_EXPIRED) if the proof has expired.
  absl::StatusOr<Principal> IdentifyAgain(const Principal& principal);

  // The user of an ID token of an issuer with UserClaim, as Identify would name them; `ends` is
  // the token's expiry. UNAUTHENTICATED with the reason.
  absl::StatusOr<Session> VerifyIdToken(const std::string& token, const IdTokenWants& wants);

  // INVALID_ARGUMENT unless the auth file now has this issuer, of users.
  absl::Status CheckIssuer(const std::string& url);

  // Whether it is a session, or a token verified before: both are cheap to accept.
  bool IsKnown(const Presented& presented) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Rates of callers' calls, and of refused proofs per connection; both by the limits in the auth
  // file.
  TokenBuckets& calls() { return calls_; }
  TokenBuckets& failures() { return failures_; }

  // The number of cached tokens.
  size_t known_tokens() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct KnownToken {
    Principal principal;
    absl::Time expires;
  };

  Authenticator(std::string auth_file, Clock clock, KeyRing ring);

  // The newest valid settings.
  std::shared_ptr<const KeyRing> Ring() ABSL_LOCKS_EXCLUDED(reading_, mutex_);
  void ReadAgain(const std::shared_ptr<const KeyRing>& present)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(reading_) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<Principal> IdentifyToken(const KeyRing& ring, const std::string& token);
  absl::StatusOr<KnownToken> Verify(const KeyRing& ring, const std::string& token) const;
  absl::StatusOr<KnownToken> VerifyOfSlurm(const KeyRing& ring, absl::string_view token,
                                           const TokenContent& content) const;
  // `audience`: the one that the token must have.
  absl::StatusOr<KnownToken> VerifyOfIssuer(const KeyRing& ring, const TokenIssuer& issuer,
                                            const std::string& audience, absl::string_view token,
                                            const TokenContent& content) const;
  absl::StatusOr<Principal> IdentifySession(const KeyRing& ring, const Session& session) const;

  void SetLimits(const RateLimits& limits);

  const std::string auth_file_;
  const Clock clock_;
  TokenBuckets calls_;
  TokenBuckets failures_;

  absl::Mutex reading_;
  absl::Time look_at_ ABSL_GUARDED_BY(reading_);
  std::string failure_ ABSL_GUARDED_BY(reading_);  // The error in the present files; empty = valid.

  mutable absl::Mutex mutex_;  // Never held for long.
  std::shared_ptr<const KeyRing> ring_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, KnownToken> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_AUTHENTICATOR_H_
