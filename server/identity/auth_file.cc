#include "server/identity/auth_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/words/name.h"
#include "server/identity/principal.h"

namespace priorityd::identity {
namespace {

using slurm::ConfLine;
using slurm::ConfPair;
using slurm::Quoted;

// The roles that a file can grant. Every user has the role user; coordinators come from the
// association data.
constexpr authorization::RoleSet kGiven = {
    authorization::Role::kOperator,  authorization::Role::kAdministrator,
    authorization::Role::kCollector, authorization::Role::kFrontend,
    authorization::Role::kDashboard, authorization::Role::kProvisioner};

// The roles for which a source can be named.
constexpr authorization::RoleSet kNameSources = {authorization::Role::kCollector,
                                                 authorization::Role::kFrontend};
constexpr size_t kMaxSourceBytes = 255;

// Whether the file lets in anybody: a certificate has no role without a line of its own.
bool TakesAnyProof(const AuthSettings& settings) {
  const std::string certificate = absl::StrCat(kCertificateKind, ":");
  const auto named = settings.roles.lower_bound(certificate);
  return settings.munge || settings.slurm_tokens || !settings.issuers.empty() ||
         !settings.socket_roles.empty() ||
         (named != settings.roles.end() && absl::StartsWith(named->first, certificate));
}

// Reads one file, line by line.
class Reader {
 public:
  explicit Reader(slurm::FileViolations* violations) : violations_(*violations) {}

  void Read(const ConfLine& line);
  AuthSettings Take() { return std::move(settings_); }
  // Checks that need the whole file.
  void Finish(const std::string& file);

 private:
  using Words = std::vector<absl::string_view>;

  void Add(const ConfPair& pair, absl::string_view what) {
    violations_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", what));
  }
  void Unexpected(const ConfPair& pair, absl::string_view got, absl::string_view want) {
    Add(pair, absl::StrCat("got ", Quoted(got), ", want ", want));
  }
  // Refuses names that are not what they look like.
  void CheckAppearance(const ConfPair& pair) {
    const absl::Status checked = slurm::CheckAppearance(pair.value);
    if (!checked.ok()) Add(pair, checked.message());
  }
  static Words WordsOf(const ConfPair& pair) {
    return absl::StrSplit(pair.value, ',', absl::SkipWhitespace());
  }

  void ReadType(const ConfPair& pair);
  void ReadInfo(const ConfPair& pair);
  void ReadAltTypes(const ConfPair& pair);
  void ReadAltParameters(const ConfPair& pair);
  void ReadSlurmUser(const ConfPair& pair);
  void ReadSocketRole(const ConfPair& pair) { settings_.socket_roles = RolesOf(pair); }
  void ReadRateLimits(const ConfPair& pair);
  authorization::RoleSet RolesOf(const ConfPair& pair);
  void ReadPrincipal(const ConfLine& line);
  std::vector<std::string> NamesOf(const ConfPair& pair);
  void CheckSources(const ConfLine& line, const BoundRoles& bound);
  void ReadIssuer(const ConfLine& line);
  void CheckIssuer(const ConfPair& head, const TokenIssuer& issuer);

  slurm::FileViolations& violations_;
  AuthSettings settings_;
};

void Reader::ReadType(const ConfPair& pair) {
  settings_.munge = absl::EqualsIgnoreCase(pair.value, "auth/munge");
  if (settings_.munge || absl::EqualsIgnoreCase(pair.value, "auth/none")) return;
  Unexpected(pair, pair.value, "auth/munge, or auth/none where there is no munged");
}

void Reader::ReadInfo(const ConfPair& pair) {
  for (absl::string_view word : WordsOf(pair)) {
    if (absl::ConsumePrefix(&word, "socket=")) {
      settings_.munge_socket = std::string(word);
    } else if (!absl::StartsWith(word, "ttl=") && !absl::StartsWith(word, "cred_expire=")) {
      Unexpected(pair, word, "socket=FILE, ttl=SECONDS or cred_expire=SECONDS");
    }
  }
}

void Reader::ReadAltTypes(const ConfPair& pair) {
  for (const absl::string_view word : WordsOf(pair)) {
    if (absl::EqualsIgnoreCase(word, "auth/jwt")) {
      settings_.slurm_tokens = true;
    } else {
      Unexpected(pair, word, "auth/jwt");
    }
  }
}

void Reader::ReadAltParameters(const ConfPair& pair) {
  for (absl::string_view word : WordsOf(pair)) {
    if (absl::ConsumePrefix(&word, "jwt_key=")) {
      settings_.jwt_key = std::string(word);
    } else if (absl::ConsumePrefix(&word, "jwks=")) {
      settings_.jwks = std::string(word);
    } else if (absl::ConsumePrefix(&word, "userclaimfield=")) {
      settings_.user_claim = std::string(word);
    } else if (word != "disable_token_creation" && !absl::StartsWith(word, "max_token_lifespan=")) {
      Unexpected(pair, word,
                 "jwt_key=FILE, jwks=FILE, userclaimfield=CLAIM, disable_token_creation or "
                 "max_token_lifespan=SECONDS");
    }
  }
}

// `slurm(64030)`, as scontrol prints it, would be a user of that name.
void Reader::ReadSlurmUser(const ConfPair& pair) {
  if (!settings_.slurm_user.empty()) Add(pair, "got it twice, want it once");
  if (pair.value.empty() || absl::StrContains(pair.value, ',') ||
      absl::StrContains(pair.value, '(')) {
    Unexpected(pair, pair.value, "the name of one user");
  }
  CheckAppearance(pair);
  settings_.slurm_user = pair.value;
}

void Reader::ReadRateLimits(const ConfPair& pair) {
  for (const absl::string_view word : WordsOf(pair)) {
    const absl::Status read = ReadRateLimit(word, &settings_.rate_limits);
    if (!read.ok()) Add(pair, read.message());
  }
}

authorization::RoleSet Reader::RolesOf(const ConfPair& pair) {
  authorization::RoleSet roles;
  for (const absl::string_view word : WordsOf(pair)) {
    const auto role = authorization::RoleNamed(word);
    if (role.has_value() && kGiven.Has(*role)) {
      roles.Add(*role);
    } else {
      Unexpected(pair, word,
                 "operator, administrator, collector, frontend, dashboard or provisioner");
    }
  }
  if (roles.empty()) Add(pair, "got no role, want one");
  return roles;
}

void Reader::ReadPrincipal(const ConfLine& line) {
  const ConfPair& head = line.pairs.front();
  const size_t colon = head.value.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == head.value.size()) {
    Unexpected(head, head.value, "KIND:NAME, such as tls:collector.example.org or user:ann");
  }
  CheckAppearance(head);
  BoundRoles bound;
  bool has_role = false;
  for (size_t i = 1; i < line.pairs.size(); ++i) {
    const ConfPair& pair = line.pairs[i];
    if (absl::EqualsIgnoreCase(pair.key, "Role") && !has_role) {
      has_role = true;
      bound.roles = RolesOf(pair);
    } else if (absl::EqualsIgnoreCase(pair.key, "Cluster") && bound.clusters.empty()) {
      bound.clusters = NamesOf(pair);
    } else if (absl::EqualsIgnoreCase(pair.key, "Source") && bound.sources.empty()) {
      bound.sources = NamesOf(pair);
    } else {
      return Add(pair,
                 "want Role=ROLE[,...], Cluster=NAME[,...] and Source=NAME[,...] after "
                 "Principal=, each once");
    }
  }
  if (!has_role) return Add(head, "want Role=ROLE[,...] after it");
  CheckSources(line, bound);
  settings_.roles[head.value].push_back(std::move(bound));
}

std::vector<std::string> Reader::NamesOf(const ConfPair& pair) {
  std::vector<std::string> names;
  for (const absl::string_view word : WordsOf(pair)) names.emplace_back(word);
  if (names.empty()) Add(pair, "got no name, want one");
  return names;
}

void Reader::CheckSources(const ConfLine& line, const BoundRoles& bound) {
  if (bound.sources.empty()) return;
  const ConfPair& head = line.pairs.front();
  for (const authorization::Role role : authorization::kRoles) {
    if (!bound.roles.Has(role) || kNameSources.Has(role)) continue;
    Add(head, absl::StrCat("got Source= with Role=", authorization::NameOf(role),
                           ", want it with collector and frontend only; other roles in a line of "
                           "their own"));
  }
  for (const std::string& source : bound.sources) {
    if (source.size() > kMaxSourceBytes) {
      Add(head, absl::StrCat("got a Source of ", source.size(), " bytes, want at most ",
                             kMaxSourceBytes));
    }
    if (!absl::StartsWith(source, "user:")) continue;
    Add(head, absl::StrCat("got Source=", source,
                           ", want one that does not begin with user:, which "
                           "is that of a user's own jobs"));
  }
}

void Reader::CheckIssuer(const ConfPair& head, const TokenIssuer& issuer) {
  if (issuer.audience.empty()) Add(head, "got no Audience=, want the one that its tokens have");
  if (issuer.jwks.empty()) Add(head, "got no Jwks=FILE, want the file of its keys");
  if (issuer.kind.empty()) {
    Add(head, "got neither UserClaim=CLAIM nor Name=NAME, want one: users or services");
  }
  const bool is_there =
      std::any_of(settings_.issuers.begin(), settings_.issuers.end(),
                  [&](const TokenIssuer& other) { return other.url == issuer.url; });
  if (is_there) Add(head, "got this issuer twice, want it once");
}

void Reader::ReadIssuer(const ConfLine& line) {
  const ConfPair& head = line.pairs.front();
  TokenIssuer issuer = {.url = head.value, .claim = "sub"};
  for (size_t i = 1; i < line.pairs.size(); ++i) {
    const ConfPair& pair = line.pairs[i];
    const bool names_kind = !issuer.kind.empty();
    if (absl::EqualsIgnoreCase(pair.key, "Audience")) {
      issuer.audience = pair.value;
    } else if (absl::EqualsIgnoreCase(pair.key, "Jwks")) {
      issuer.jwks = pair.value;
    } else if (absl::EqualsIgnoreCase(pair.key, "UserClaim") && !names_kind) {
      issuer.kind = kUserKind;
      issuer.claim = pair.value;
    } else if (absl::EqualsIgnoreCase(pair.key, "Name") && !names_kind) {
      issuer.kind = pair.value;
      if (pair.value == kUserKind || pair.value == kCertificateKind) {
        Unexpected(pair, pair.value, "another name, this one is taken");
      }
    } else {
      Add(pair, "want Audience=, Jwks= and one of UserClaim= and Name= after TokenIssuer=, once");
    }
  }
  CheckIssuer(head, issuer);
  settings_.issuers.push_back(std::move(issuer));
}

void Reader::Read(const ConfLine& line) {
  struct Key {
    const char* name;
    void (Reader::*read)(const ConfPair&);
  };
  static constexpr Key kKeys[] = {{"AuthType", &Reader::ReadType},
                                  {"AuthInfo", &Reader::ReadInfo},
                                  {"AuthAltTypes", &Reader::ReadAltTypes},
                                  {"AuthAltParameters", &Reader::ReadAltParameters},
                                  {"SlurmUser", &Reader::ReadSlurmUser},
                                  {"SocketRole", &Reader::ReadSocketRole},
                                  {"SlurmctldParameters", &Reader::ReadRateLimits}};
  const ConfPair& head = line.pairs.front();
  if (!line.violation.empty()) return Add(head, line.violation);
  if (absl::EqualsIgnoreCase(head.key, "TokenIssuer")) return ReadIssuer(line);
  if (absl::EqualsIgnoreCase(head.key, "Principal")) return ReadPrincipal(line);
  for (const ConfPair& pair : line.pairs) {
    const auto known = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& key) {
      return absl::EqualsIgnoreCase(key.name, pair.key);
    });
    if (known != std::end(kKeys)) {
      (this->*known->read)(pair);
    } else {
      Add(pair,
          "unknown, want AuthType, AuthInfo, AuthAltTypes, AuthAltParameters, SlurmUser, "
          "SlurmctldParameters, SocketRole, TokenIssuer or Principal");
    }
  }
}

void Reader::Finish(const std::string& file) {
  if (settings_.slurm_tokens && settings_.jwt_key.empty() && settings_.jwks.empty()) {
    violations_.Add(file, 0,
                    "AuthAltTypes: got auth/jwt without AuthAltParameters, want "
                    "jwt_key=FILE or jwks=FILE");
  }
  if (violations_.empty() && !TakesAnyProof(settings_)) {
    violations_.Add(file, 0,
                    "got no proof that is accepted, want AuthType=auth/munge, "
                    "AuthAltTypes=auth/jwt, TokenIssuer=, SocketRole= or Principal=tls:NAME");
  }
}

}  // namespace

absl::StatusOr<AuthSettings> ParseAuthFile(const slurm::SourceFile& file) {
  slurm::FileViolations violations;
  std::vector<std::string> warnings;
  Reader reader(&violations);
  slurm::ReadConfLines({&file, 1}, violations, warnings,
                       [&](const ConfLine& line) { reader.Read(line); });
  reader.Finish(file.name);
  if (!violations.empty()) return violations.ToStatus();
  return reader.Take();
}

}  // namespace priorityd::identity
