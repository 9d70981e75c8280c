// Takes what a caller presents and says who she is.
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

// What came with a call.
struct Presented {
  enum class Scheme { kNone, kBearer, kMunge, kUnknown };

  Scheme scheme = Scheme::kNone;
  std::string credential;
  // Of the peer's client certificate, which the transport has verified; those that are to be
  // looked for first come first. Empty = it showed none.
  std::vector<std::string> certificate_names;
  bool over_unix_socket = false;
};

// `MUNGE CREDENTIAL` or `Bearer TOKEN`, as in the metadata `authorization`.
void ReadAuthorization(absl::string_view header, Presented* presented);

// How far clocks of issuers and this host may be apart.
inline constexpr absl::Duration kTokenLeeway = absl::Minutes(1);
// Verified tokens that are remembered.
inline constexpr size_t kMaxKnownTokens = 4096;

// Reads its files again when they change, and looks for that once a second at most; files that
// cannot be used are logged, and what was read before holds. Thread-safe.
class Authenticator {
 public:
  using Clock = std::function<absl::Time()>;

  // Errors of ReadKeyRing. `clock`: the present time, by which tokens expire.
  static absl::StatusOr<std::unique_ptr<Authenticator>> Open(const std::string& auth_file,
                                                             Clock clock);

  // Whether Identify waits for another process.
  static bool Waits(const Presented& presented) {
    return presented.scheme == Presented::Scheme::kMunge;
  }

  // A credential counts before a certificate, and that before the socket. UNAUTHENTICATED says why
  // the proof is not taken and which are; UNAVAILABLE where munged does not answer.
  absl::StatusOr<Principal> Identify(const Presented& presented);

  // The same principal some time later: with the roles that the file gives her now. UNAUTHENTICATED
  // (TOKEN_EXPIRED) when her proof holds no more.
  absl::StatusOr<Principal> IdentifyAgain(const Principal& principal);

  // Whether it is a token that was verified before: to take it costs nothing.
  bool IsKnown(const Presented& presented) const ABSL_LOCKS_EXCLUDED(mutex_);

  // How often callers call, and how often proofs from a connection were not taken; both by the
  // limits of the auth file.
  TokenBuckets& calls() { return calls_; }
  TokenBuckets& failures() { return failures_; }

  // Tokens that are remembered now.
  size_t known_tokens() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct KnownToken {
    Principal principal;
    absl::Time expires;
  };

  Authenticator(std::string auth_file, Clock clock, KeyRing ring);

  // The newest that can be used.
  std::shared_ptr<const KeyRing> Ring() ABSL_LOCKS_EXCLUDED(reading_, mutex_);
  void ReadAgain(const std::shared_ptr<const KeyRing>& present)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(reading_) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<Principal> IdentifyToken(const KeyRing& ring, const std::string& token);
  absl::StatusOr<KnownToken> Verify(const KeyRing& ring, const std::string& token) const;
  absl::StatusOr<KnownToken> VerifyOfSlurm(const KeyRing& ring, absl::string_view token,
                                           const TokenContent& content) const;
  absl::StatusOr<KnownToken> VerifyOfIssuer(const KeyRing& ring, const TokenIssuer& issuer,
                                            absl::string_view token,
                                            const TokenContent& content) const;

  void SetLimits(const RateLimits& limits);

  const std::string auth_file_;
  const Clock clock_;
  TokenBuckets calls_;
  TokenBuckets failures_;

  absl::Mutex reading_;
  absl::Time look_at_ ABSL_GUARDED_BY(reading_);
  std::string failure_ ABSL_GUARDED_BY(reading_);  // Why they could not be used; empty = they can.

  mutable absl::Mutex mutex_;  // Never held for long.
  std::shared_ptr<const KeyRing> ring_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, KnownToken> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace priorityd::identity

#endif  // PRIORITYD_SERVER_IDENTITY_AUTHENTICATOR_H_
