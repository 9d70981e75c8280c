#include "server/identity/authenticator.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/identity/munge_credential.h"
#include "server/identity/refusal.h"

namespace priorityd::identity {
namespace {

using authorization::Role;

constexpr absl::Duration kBetweenLooks = absl::Seconds(1);
constexpr char kRoot[] = "root";
// The kind of callers whose only proof is that they may open the Unix socket.
constexpr char kSocketKind[] = "socket";

// The accepted proofs, for messages.
std::string Accepted(const KeyRing& ring) {
  std::vector<std::string> proofs;
  const AuthSettings& settings = ring.settings;
  if (settings.munge) proofs.push_back("a MUNGE credential (authorization: MUNGE ...)");
  if (settings.slurm_tokens) proofs.push_back("a token of scontrol token (authorization: Bearer)");
  for (const TokenIssuer& issuer : settings.issuers) {
    proofs.push_back(absl::StrCat("a token of ", issuer.url, " for audience ", issuer.audience));
  }
  proofs.push_back("a client certificate, where TLS asks for one");
  return absl::StrJoin(proofs, "; ");
}

absl::Status WithAccepted(const absl::Status& status, const KeyRing& ring) {
  if (!absl::IsUnauthenticated(status)) return status;
  return errors::WithReason(
      absl::UnauthenticatedError(absl::StrCat(status.message(), "; taken are: ", Accepted(ring))),
      errors::ReasonOf(status));
}

// Uid 0 and SlurmUser are administrators, as in Slurm.
bool Administers(const KeyRing& ring, const Principal& principal) {
  const std::string& slurm_user = ring.settings.slurm_user;
  return principal.is_root ||
         (principal.by_slurm && !slurm_user.empty() && principal.name == slurm_user);
}

void SetRoles(const KeyRing& ring, Principal* principal) {
  principal->roles = {};
  principal->bound.clear();
  if (principal->kind == kSocketKind) {
    principal->roles = ring.settings.socket_roles;
    return;
  }
  if (principal->is_user()) principal->roles.Add(Role::kUser);
  if (Administers(ring, *principal)) principal->roles.Add(Role::kAdministrator);
  const auto given = ring.settings.roles.find(principal->qualified());
  if (given == ring.settings.roles.end()) return;
  for (const BoundRoles& line : given->second) {
    if (line.clusters.empty() && line.sources.empty()) {
      principal->roles.Add(line.roles);
    } else {
      principal->bound.push_back(line);
    }
  }
}

// A user authenticated by MUNGE or Slurm.
Principal SlurmsUser(const KeyRing& ring, std::string name, std::string proof,
                     Credential credential, bool is_root) {
  Principal principal{kUserKind, std::move(name), std::move(proof), {}, credential};
  principal.by_slurm = true;
  principal.is_root = is_root;
  SetRoles(ring, &principal);
  return principal;
}

absl::Status ExpiredAt(absl::Time time) {
  return Refused("TOKEN_EXPIRED",
                 absl::StrCat("got a token that expired at ",
                              absl::FormatTime(time, absl::UTCTimeZone()), ", want a new one"));
}

absl::StatusOr<Principal> IdentifyMunge(const KeyRing& ring, const std::string& credential) {
  if (!ring.settings.munge) {
    return Refused("PROOF_NOT_TAKEN", "got a MUNGE credential, which this service does not take");
  }
  const absl::StatusOr<uid_t> uid = DecodeMunge(credential, ring.settings.munge_socket);
  if (!uid.ok()) return uid.status();
  absl::StatusOr<std::string> name = UserNameOf(*uid);
  if (!name.ok()) return name.status();
  if (absl::Status s = CheckName(*name); !s.ok()) return s;
  return SlurmsUser(ring, *std::move(name), absl::StrCat("MUNGE, uid ", *uid), Credential::kMunge,
                    *uid == 0);
}

// The first name with a role, or else the first name.
absl::StatusOr<Principal> IdentifyCertificate(const KeyRing& ring,
                                              const std::vector<std::string>& names) {
  const auto& roles = ring.settings.roles;
  const auto known = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return roles.contains(absl::StrCat(kCertificateKind, ":", name));
  });
  const std::string& name = known == names.end() ? names.front() : *known;
  if (absl::Status s = CheckName(name); !s.ok()) return s;
  Principal principal{kCertificateKind, name, "client certificate", {}, Credential::kCertificate};
  SetRoles(ring, &principal);
  return principal;
}

absl::StatusOr<Principal> IdentifyNothing(const KeyRing& ring, bool over_unix_socket) {
  if (over_unix_socket && !ring.settings.socket_roles.empty()) {
    return Principal{kSocketKind, "anonymous", "may open the Unix socket",
                     ring.settings.socket_roles};
  }
  return Refused("CREDENTIAL_MISSING", "got none, want one");
}

absl::Status CheckTimes(const TokenContent& content, absl::Time now, absl::Duration leeway) {
  if (!content.expires.has_value()) {
    return Refused("TOKEN_MALFORMED", "got a token without exp, want one that expires");
  }
  if (now >= *content.expires + leeway) {
    return ExpiredAt(*content.expires);
  }
  if (content.not_before.has_value() && now + leeway < *content.not_before) {
    return Refused("TOKEN_NOT_YET_VALID", "got a token that is not valid yet");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> NameIn(const TokenContent& content, const std::string& claim) {
  const auto found = content.texts.find(claim);
  if (found == content.texts.end()) {
    return Refused("TOKEN_MALFORMED", absl::StrCat("got a token without the claim ", claim));
  }
  if (absl::Status s = CheckName(found->second); !s.ok()) return s;
  return found->second;
}

// An issuer of tokens of users; null if there is none of this URL.
const TokenIssuer* UsersIssuer(const KeyRing& ring, absl::string_view url) {
  for (const TokenIssuer& issuer : ring.settings.issuers) {
    if (issuer.url == url && issuer.kind == kUserKind) return &issuer;
  }
  return nullptr;
}

// An issuer's users cannot take over Slurm's administrators.
absl::Status CheckNotReserved(const KeyRing& ring, const TokenIssuer& issuer,
                              const std::string& name) {
  const bool is_reserved =
      issuer.kind == kUserKind && (name == kRoot || name == ring.settings.slurm_user);
  if (!is_reserved) return absl::OkStatus();
  return Refused("NAME_RESERVED", absl::StrCat("got a token of ", issuer.url, " for ", name,
                                               ", which only MUNGE and Slurm can authenticate"));
}

std::string TextOf(const TokenContent& content, const char* claim) {
  const auto found = content.texts.find(claim);
  return found == content.texts.end() ? "" : found->second;
}

}  // namespace

void ReadAuthorization(absl::string_view header, Presented* presented) {
  const size_t space = header.find(' ');
  const absl::string_view scheme = header.substr(0, space);
  if (absl::EqualsIgnoreCase(scheme, "Bearer")) {
    presented->scheme = Presented::Scheme::kBearer;
  } else if (absl::EqualsIgnoreCase(scheme, "MUNGE")) {
    presented->scheme = Presented::Scheme::kMunge;
  } else {
    presented->scheme = Presented::Scheme::kUnknown;
    return;
  }
  if (space == absl::string_view::npos) return;
  presented->credential = std::string(absl::StripAsciiWhitespace(header.substr(space)));
}

absl::StatusOr<std::unique_ptr<Authenticator>> Authenticator::Open(const std::string& auth_file,
                                                                   Clock clock) {
  auto ring = ReadKeyRing(auth_file);
  if (!ring.ok()) return ring.status();
  return std::unique_ptr<Authenticator>(
      new Authenticator(auth_file, std::move(clock), *std::move(ring)));
}

Authenticator::Authenticator(std::string auth_file, Clock clock, KeyRing ring)
    : auth_file_(std::move(auth_file)),
      clock_(std::move(clock)),
      ring_(std::make_shared<const KeyRing>(std::move(ring))) {
  SetLimits(ring_->settings.rate_limits);
}

void Authenticator::SetLimits(const RateLimits& limits) {
  calls_.SetLimits(limits);
  failures_.SetLimits(limits);
}

std::shared_ptr<const KeyRing> Authenticator::Ring() {
  std::shared_ptr<const KeyRing> present;
  {
    absl::MutexLock lock(&mutex_);
    present = ring_;
  }
  // Concurrent calls continue with the present settings.
  if (!reading_.TryLock()) return present;
  ReadAgain(present);
  reading_.Unlock();
  absl::MutexLock lock(&mutex_);
  return ring_;
}

void Authenticator::ReadAgain(const std::shared_ptr<const KeyRing>& present) {
  const absl::Time now = absl::Now();
  if (now < look_at_ && look_at_ - now <= kBetweenLooks) return;
  look_at_ = now + kBetweenLooks;
  const files::FileStamps stamps = files::StampsNow(present->stamps);
  if (stamps == present->stamps) return;
  auto ring = ReadKeyRing(auth_file_);
  if (!ring.ok()) {
    const std::string why(ring.status().message());
    if (std::exchange(failure_, why) == why) return;
    return spdlog::error("--auth_file: not reloaded, the previous settings stay in force: {}", why);
  }
  spdlog::info("--auth_file: {} and its keys were read again", auth_file_);
  failure_.clear();
  SetLimits(ring->settings.rate_limits);
  absl::MutexLock lock(&mutex_);
  ring_ = std::make_shared<const KeyRing>(*std::move(ring));
  known_.clear();
}

absl::StatusOr<Principal> Authenticator::Identify(const Presented& presented) {
  const std::shared_ptr<const KeyRing> ring = Ring();
  absl::StatusOr<Principal> principal;
  if (presented.scheme == Presented::Scheme::kBearer) {
    principal = IdentifyToken(*ring, presented.credential);
  } else if (presented.scheme == Presented::Scheme::kMunge) {
    principal = IdentifyMunge(*ring, presented.credential);
  } else if (presented.scheme == Presented::Scheme::kSession) {
    principal = IdentifySession(*ring, presented.session);
  } else if (presented.scheme == Presented::Scheme::kUnknown) {
    principal = Refused("PROOF_NOT_TAKEN", "got an authorization of another scheme than these");
  } else if (!presented.certificate_names.empty()) {
    principal = IdentifyCertificate(*ring, presented.certificate_names);
  } else {
    principal = IdentifyNothing(*ring, presented.over_unix_socket);
  }
  if (principal.ok()) return principal;
  return WithAccepted(principal.status(), *ring);
}

absl::StatusOr<Principal> Authenticator::IdentifyAgain(const Principal& principal) {
  const std::shared_ptr<const KeyRing> ring = Ring();
  if (clock_() >= principal.expires) {
    return WithAccepted(ExpiredAt(principal.expires), *ring);
  }
  Principal now = principal;
  SetRoles(*ring, &now);
  return now;
}

bool Authenticator::IsKnown(const Presented& presented) const {
  if (presented.scheme == Presented::Scheme::kSession) return true;
  if (presented.scheme != Presented::Scheme::kBearer) return false;
  const absl::Time now = clock_();
  absl::MutexLock lock(&mutex_);
  const auto found = known_.find(presented.credential);
  return found != known_.end() && now < found->second.expires;
}

absl::StatusOr<Principal> Authenticator::IdentifyToken(const KeyRing& ring,
                                                       const std::string& token) {
  const absl::Time now = clock_();
  {
    absl::MutexLock lock(&mutex_);
    const auto found = known_.find(token);
    if (found != known_.end() && ring_.get() == &ring && now < found->second.expires) {
      return found->second.principal;
    }
  }
  auto verified = Verify(ring, token);
  if (!verified.ok()) return verified.status();
  verified->principal.expires = verified->expires;
  absl::MutexLock lock(&mutex_);
  if (ring_.get() == &ring) {
    if (known_.size() >= kMaxKnownTokens) known_.clear();
    known_[token] = *verified;
  }
  return verified->principal;
}

absl::StatusOr<Authenticator::KnownToken> Authenticator::Verify(const KeyRing& ring,
                                                                const std::string& token) const {
  const auto content = ReadToken(token);
  if (!content.ok()) return content.status();
  for (const TokenIssuer& issuer : ring.settings.issuers) {
    if (issuer.url != content->issuer) continue;
    return VerifyOfIssuer(ring, issuer, issuer.audience, token, *content);
  }
  if (ring.settings.slurm_tokens) return VerifyOfSlurm(ring, token, *content);
  return Refused("TOKEN_ISSUER", "got a token of an issuer that this service does not know");
}

absl::StatusOr<Authenticator::KnownToken> Authenticator::VerifyOfSlurm(
    const KeyRing& ring, absl::string_view token, const TokenContent& content) const {
  const bool by_secret = content.algorithm == "HS256";
  const TokenKeys& keys = by_secret ? ring.slurm_secret : ring.slurm_public;
  if (absl::Status s = keys.Verify(token, content); !s.ok()) return s;
  if (absl::Status s = CheckTimes(content, clock_(), absl::ZeroDuration()); !s.ok()) return s;
  auto name = NameIn(content, ring.settings.user_claim);
  if (!name.ok()) return name.status();
  const bool is_root = *name == kRoot;
  return KnownToken{SlurmsUser(ring, *std::move(name), "Slurm token", Credential::kToken, is_root),
                    *content.expires};
}

absl::StatusOr<Authenticator::KnownToken> Authenticator::VerifyOfIssuer(
    const KeyRing& ring, const TokenIssuer& issuer, const std::string& wanted,
    absl::string_view token, const TokenContent& content) const {
  const TokenKeys& keys = ring.issuer_keys.at(issuer.url);
  if (absl::Status s = keys.Verify(token, content); !s.ok()) return s;
  if (absl::Status s = CheckTimes(content, clock_(), kTokenLeeway); !s.ok()) return s;
  const auto& audience = content.audience;
  if (std::find(audience.begin(), audience.end(), wanted) == audience.end()) {
    return Refused("TOKEN_AUDIENCE",
                   absl::StrCat("got a token for another audience, want ", wanted));
  }
  auto name = NameIn(content, issuer.claim);
  if (!name.ok()) return name.status();
  if (absl::Status s = CheckNotReserved(ring, issuer, *name); !s.ok()) return s;
  Principal principal{
      issuer.kind, *std::move(name), absl::StrCat("token of ", issuer.url), {}, Credential::kToken};
  SetRoles(ring, &principal);
  return KnownToken{std::move(principal), *content.expires + kTokenLeeway};
}

absl::StatusOr<Session> Authenticator::VerifyIdToken(const std::string& token,
                                                     const IdTokenWants& wants) {
  const std::shared_ptr<const KeyRing> ring = Ring();
  const auto content = ReadToken(token);
  if (!content.ok()) return content.status();
  const TokenIssuer* issuer = UsersIssuer(*ring, wants.issuer);
  if (issuer == nullptr || content->issuer != wants.issuer) {
    return Refused("TOKEN_ISSUER", absl::StrCat("got a token of another issuer, want ",
                                                wants.issuer, " with UserClaim in the auth file"));
  }
  auto verified = VerifyOfIssuer(*ring, *issuer, wants.client_id, token, *content);
  if (!verified.ok()) return verified.status();
  if (content->audience.size() > 1 && TextOf(*content, "azp") != wants.client_id) {
    return Refused("TOKEN_AUDIENCE",
                   "got a token for several audiences, want azp to name this one");
  }
  if (TextOf(*content, "nonce") != wants.nonce) {
    return Refused("TOKEN_NONCE", "got a token of another sign-in");
  }
  return Session{wants.issuer, std::move(verified->principal.name), verified->expires};
}

absl::Status Authenticator::CheckIssuer(const std::string& url) {
  if (UsersIssuer(*Ring(), url) != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("got ", url, ", want a TokenIssuer= with UserClaim= of the --auth_file"));
}

absl::StatusOr<Principal> Authenticator::IdentifySession(const KeyRing& ring,
                                                         const Session& session) const {
  if (clock_() >= session.ends) {
    return Refused(
        "SESSION_EXPIRED",
        absl::StrCat("got a session that ended at ",
                     absl::FormatTime(session.ends, absl::UTCTimeZone()), ", want a new sign-in"));
  }
  const TokenIssuer* issuer = UsersIssuer(ring, session.issuer);
  if (issuer == nullptr) {
    return Refused("TOKEN_ISSUER", "got a session of an issuer that this service does not know");
  }
  if (absl::Status s = CheckName(session.name); !s.ok()) return s;
  if (absl::Status s = CheckNotReserved(ring, *issuer, session.name); !s.ok()) return s;
  Principal principal{
      kUserKind, session.name, absl::StrCat("sign-in at ", session.issuer), {}, Credential::kToken};
  principal.expires = session.ends;
  SetRoles(ring, &principal);
  return principal;
}

size_t Authenticator::known_tokens() const {
  absl::MutexLock lock(&mutex_);
  return known_.size();
}

}  // namespace priorityd::identity
