#include "server/identity/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "engine/errors/error_details.h"
#include "server/identity/munge_credential.h"
#include "tests/await.h"
#include "tests/server/identity/private_munged.h"
#include "tests/server/identity/signing_key.h"
#include "tests/server/identity/slurm_tokens.h"
#include "tests/temporary_folder.h"

namespace priorityd::identity {
namespace {

using authorization::Role;
using authorization::RoleSet;
using ::testing::HasSubstr;
using ::testing::Not;

class AuthenticatorTest : public testing::Test {
 protected:
  // Made once: a new RSA key takes a while.
  struct IssuersKeys {
    SigningKey login = SigningKey::Rsa();
    SigningKey k8s = SigningKey::Ec();
  };
  static const IssuersKeys& Keys() {
    static const auto* const keys = new IssuersKeys;
    return *keys;
  }

  // By rename, as deployments do; closed to others.
  std::string Write(const std::string& name, const std::string& content) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path + ".new", std::ios::binary) << content;
    chmod((path + ".new").c_str(), 0600);
    std::filesystem::rename(path + ".new", path);
    return path;
  }

  void Open(const std::string& settings) {
    auto opened = Authenticator::Open(Write("auth.conf", settings), [this] { return now_; });
    ASSERT_TRUE(opened.ok()) << opened.status();
    authenticator_ = *std::move(opened);
  }
  void OpenForSlurmTokens() {
    Open(absl::StrCat("AuthAltTypes=auth/jwt\nSlurmUser=slurm\nAuthAltParameters=jwt_key=",
                      Write("jwt.key", SlurmKey()), "\n"));
  }
  // Of users and of services.
  void OpenForIssuers() {
    Open(absl::StrCat("SlurmUser=slurm\nTokenIssuer=https://login Audience=priorityd Jwks=",
                      Write("login.jwks", JwksOf(login_.Jwk("a"))), " UserClaim=name\n",
                      "TokenIssuer=https://k8s Audience=priorityd Jwks=",
                      Write("k8s.jwks", JwksOf(k8s_.Jwk("a"))), " Name=k8s\n",
                      "Principal=k8s:batch Role=frontend\n"));
  }

  absl::StatusOr<Principal> Present(const std::string& authorization) {
    Presented presented;
    ReadAuthorization(authorization, &presented);
    return authenticator_->Identify(presented);
  }
  absl::StatusOr<Principal> Bearer(const std::string& token) { return Present("Bearer " + token); }
  std::string Refusal(const absl::StatusOr<Principal>& principal) {
    return errors::ReasonOf(principal.status());
  }

  // Claims that hold now, of the login service.
  std::string Claims(const std::string& more) const {
    return absl::StrCat(R"({"iss":"https://login","aud":"priorityd","exp":)",
                        absl::ToUnixSeconds(now_) + 300, more, "}");
  }

  const TemporaryFolder folder_;
  absl::Time now_ = WhileSlurmTokensHold();
  const SigningKey& login_ = Keys().login;
  const SigningKey& k8s_ = Keys().k8s;
  std::unique_ptr<Authenticator> authenticator_;
};

TEST_F(AuthenticatorTest, TheTokenOfScontrolProvesAUserUntilItExpires) {
  OpenForSlurmTokens();
  const auto ann = Bearer(kSlurmTokenOfAnn);
  ASSERT_TRUE(ann.ok()) << ann.status();
  EXPECT_EQ(ann->qualified(), "user:ann");
  EXPECT_EQ(ann->proof, "Slurm token");
  EXPECT_EQ(ann->roles, RoleSet({Role::kUser}));
  now_ = SlurmTokensExpire();
  EXPECT_EQ(Refusal(Bearer(kSlurmTokenOfAnn)), "TOKEN_EXPIRED");
}

TEST_F(AuthenticatorTest, RootAndSlurmUserAdministerByASlurmToken) {
  OpenForSlurmTokens();
  EXPECT_TRUE(Bearer(kSlurmTokenOfRoot)->roles.Has(Role::kAdministrator));
  const std::string slurm =
      SigningKey::OfSecret(SlurmKey()).Token(R"({"sun":"slurm","exp":1795340527})");
  EXPECT_TRUE(Bearer(slurm)->roles.Has(Role::kAdministrator));
}

TEST_F(AuthenticatorTest, ASlurmTokenWithoutAnEndOrANameIsRefused) {
  OpenForSlurmTokens();
  const SigningKey key = SigningKey::OfSecret(SlurmKey());
  EXPECT_EQ(Refusal(Bearer(key.Token(R"({"sun":"amy"})"))), "TOKEN_MALFORMED");
  EXPECT_EQ(Refusal(Bearer(key.Token(R"({"sub":"amy","exp":1795340527})"))), "TOKEN_MALFORMED");
  EXPECT_EQ(Refusal(Bearer(key.Token(R"({"sun":"","exp":1795340527})"))), "NAME_UNUSABLE");
  EXPECT_EQ(Refusal(Bearer(key.Token(R"({"sun":"a\nb","exp":1795340527})"))), "NAME_UNUSABLE");
}

TEST_F(AuthenticatorTest, AnIssuersTokenMustBeForUsAndOfItsTime) {
  OpenForIssuers();
  const auto amy = Bearer(login_.Token(Claims(R"(,"name":"amy")")));
  ASSERT_TRUE(amy.ok()) << amy.status();
  EXPECT_EQ(amy->qualified(), "user:amy");
  EXPECT_EQ(amy->proof, "token of https://login");
  const std::string other_audience =
      R"({"iss":"https://login","aud":["else"],"exp":1795340000,"name":"amy"})";
  EXPECT_EQ(Refusal(Bearer(login_.Token(other_audience))), "TOKEN_AUDIENCE");
  const int64_t now = absl::ToUnixSeconds(now_);
  const auto at = [&](const char* claim, int64_t time) {
    return login_.Token(absl::StrCat(R"({"iss":"https://login","aud":"priorityd","name":"amy",)",
                                     claim, time, "}"));
  };
  EXPECT_TRUE(Bearer(at(R"("exp":)", now - 59)).ok());
  EXPECT_EQ(Refusal(Bearer(at(R"("exp":)", now - 60))), "TOKEN_EXPIRED");
  EXPECT_TRUE(Bearer(at(R"("exp":1795340000,"nbf":)", now + 60)).ok());
  EXPECT_EQ(Refusal(Bearer(at(R"("exp":1795340000,"nbf":)", now + 61))), "TOKEN_NOT_YET_VALID");
}

TEST_F(AuthenticatorTest, AnIdTokenMustBeForTheClientAndItsSignIn) {
  OpenForIssuers();
  const IdTokenWants wants = {"https://login", "page", "n1"};
  const auto verify = [&](const std::string& claims) {
    const auto session = authenticator_->VerifyIdToken(
        login_.Token(absl::StrCat(R"({"iss":"https://login","exp":)",
                                  absl::ToUnixSeconds(now_) + 300, ",", claims, "}")),
        wants);
    return session.ok() ? session->name : errors::ReasonOf(session.status());
  };
  EXPECT_EQ(verify(R"("aud":"page","nonce":"n1","name":"amy")"), "amy");
  EXPECT_EQ(verify(R"("aud":["page","b"],"azp":"page","nonce":"n1","name":"amy")"), "amy");
  EXPECT_EQ(verify(R"("aud":["page","b"],"nonce":"n1","name":"amy")"), "TOKEN_AUDIENCE");
  EXPECT_EQ(verify(R"("aud":["page","b"],"azp":"b","nonce":"n1","name":"amy")"), "TOKEN_AUDIENCE");
  // The audience of the auth file is that of other tokens.
  EXPECT_EQ(verify(R"("aud":"priorityd","nonce":"n1","name":"amy")"), "TOKEN_AUDIENCE");
  EXPECT_EQ(verify(R"("aud":"page","nonce":"n2","name":"amy")"), "TOKEN_NONCE");
  EXPECT_EQ(verify(R"("aud":"page","name":"amy")"), "TOKEN_NONCE");
  EXPECT_EQ(verify(R"("aud":"page","nonce":"n1")"), "TOKEN_MALFORMED");
  EXPECT_EQ(verify(R"("aud":"page","nonce":"n1","name":"root")"), "NAME_RESERVED");
  EXPECT_EQ(verify(R"("aud":"page","nonce":"n1","name":"slurm")"), "NAME_RESERVED");
  EXPECT_FALSE(authenticator_->CheckIssuer("https://k8s").ok());
  EXPECT_TRUE(authenticator_->CheckIssuer("https://login").ok());
}

TEST_F(AuthenticatorTest, ASessionIsOfAUserUntilItEnds) {
  OpenForIssuers();
  const auto identify = [&](const Session& session) {
    Presented presented;
    presented.scheme = Presented::Scheme::kSession;
    presented.session = session;
    return authenticator_->Identify(presented);
  };
  const absl::Time end = now_ + absl::Hours(1);
  const auto amy = identify({"https://login", "amy", end});
  ASSERT_TRUE(amy.ok()) << amy.status();
  EXPECT_EQ(amy->qualified(), "user:amy");
  EXPECT_EQ(amy->roles, RoleSet({Role::kUser}));
  EXPECT_FALSE(amy->by_slurm);
  EXPECT_EQ(amy->expires, end);
  EXPECT_EQ(Refusal(identify({"https://login", "amy", now_})), "SESSION_EXPIRED");
  EXPECT_EQ(Refusal(identify({"https://k8s", "amy", end})), "TOKEN_ISSUER");
  EXPECT_EQ(Refusal(identify({"https://login", "slurm", end})), "NAME_RESERVED");
  EXPECT_EQ(Refusal(identify({"https://login", "", end})), "NAME_UNUSABLE");
}

TEST_F(AuthenticatorTest, AnIssuersKeysVerifyItsTokensAndNoOthers) {
  OpenForIssuers();
  const std::string claims = Claims(R"(,"name":"amy")");
  EXPECT_EQ(Refusal(Bearer(SigningKey::Rsa().Token(claims))), "TOKEN_SIGNATURE");
  EXPECT_EQ(Refusal(Bearer(k8s_.Token(claims))), "TOKEN_ALGORITHM");
  EXPECT_EQ(Refusal(Bearer(SigningKey::OfSecret(SlurmKey()).Token(claims))), "TOKEN_ALGORITHM");
  EXPECT_EQ(Refusal(Bearer(login_.Token(R"({"iss":"https://else","exp":1795340000})"))),
            "TOKEN_ISSUER");
}

TEST_F(AuthenticatorTest, NobodyButMungeAndSlurmProvesWhoAdministersByName) {
  OpenForIssuers();
  for (const char* name : {"root", "slurm"}) {
    const std::string token = login_.Token(Claims(absl::StrCat(R"(,"name":")", name, R"(")")));
    EXPECT_EQ(Refusal(Bearer(token)), "NAME_RESERVED") << name;
  }
}

TEST_F(AuthenticatorTest, AServiceHasTheRolesOfTheFileAndIsNoUser) {
  OpenForIssuers();
  const auto token = [&](const char* name) {
    return k8s_.Token(absl::StrCat(R"({"iss":"https://k8s","aud":"priorityd","sub":")", name,
                                   R"(","exp":1795340000})"));
  };
  EXPECT_EQ(Bearer(token("batch"))->roles, RoleSet({Role::kFrontend}));
  EXPECT_EQ(Bearer(token("else"))->roles, RoleSet());
  EXPECT_FALSE(Bearer(token("amy"))->is_user());
}

TEST_F(AuthenticatorTest, ARealMungedProvesThisProcessesUser) {
  const PrivateMunged munged;
  Open(absl::StrCat("AuthType=auth/munge\nAuthInfo=socket=", munged.socket(), "\n"));
  const std::string credential = munged.Credential();
  const auto me = Present("MUNGE " + credential);
  ASSERT_TRUE(me.ok()) << me.status();
  EXPECT_EQ(me->name, UserNameOf(getuid()).value());
  EXPECT_EQ(me->proof, absl::StrCat("MUNGE, uid ", getuid()));
  EXPECT_EQ(me->roles.Has(Role::kAdministrator), getuid() == 0);
  EXPECT_EQ(Refusal(Present("munge " + credential)), "MUNGE_REPLAYED");
}

TEST_F(AuthenticatorTest, ACertificateIsKnownByTheNameThatHasARole) {
  Open("Principal=tls:collector.example.org Role=collector\n");
  Presented presented;
  presented.certificate_names = {"10.0.0.1", "collector.example.org"};
  const auto known = authenticator_->Identify(presented);
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_EQ(known->qualified(), "tls:collector.example.org");
  EXPECT_EQ(known->roles, RoleSet({Role::kCollector}));
  presented.certificate_names = {"else.example.org", "amy"};
  const auto unknown = authenticator_->Identify(presented);
  EXPECT_EQ(unknown->qualified(), "tls:else.example.org");
  EXPECT_EQ(unknown->roles, RoleSet());
}

TEST_F(AuthenticatorTest, TheSocketProvesWhatTheFileSays) {
  Open("Principal=tls:collector.example.org Role=collector\n");
  Presented presented;
  presented.over_unix_socket = true;
  EXPECT_EQ(Refusal(authenticator_->Identify(presented)), "CREDENTIAL_MISSING");
  Open("SocketRole=operator\n");
  EXPECT_EQ(authenticator_->Identify(presented)->roles, RoleSet({Role::kOperator}));
  presented.over_unix_socket = false;
  EXPECT_EQ(Refusal(authenticator_->Identify(presented)), "CREDENTIAL_MISSING");
}

TEST_F(AuthenticatorTest, ARefusalSaysWhyAndWhatIsTakenAndNeverTheSecret) {
  OpenForSlurmTokens();
  const std::string forged = SigningKey::OfSecret(std::string(32, 'x')).Token(Claims(""));
  for (const std::string& given : {std::string(), "Bearer " + forged, "Basic " + forged,
                                   std::string("MUNGE ") + forged, forged}) {
    const auto refused = given.empty() ? authenticator_->Identify({}) : Present(given);
    ASSERT_EQ(refused.status().code(), absl::StatusCode::kUnauthenticated) << given;
    const std::string message(refused.status().message());
    EXPECT_THAT(message, HasSubstr("taken are: a token of scontrol token"));
    EXPECT_THAT(message, Not(HasSubstr(forged)));
    EXPECT_THAT(message, Not(HasSubstr(forged.substr(forged.rfind('.') + 1))));
  }
}

TEST_F(AuthenticatorTest, ChangedKeysHoldWithinASecondAndTokensOfTheOldOnesDoNot) {
  OpenForIssuers();
  const std::string claims = Claims(R"(,"name":"amy")");
  const std::string before = login_.Token(claims);
  ASSERT_TRUE(Bearer(before).ok());
  const SigningKey next = SigningKey::Rsa();
  Write("login.jwks", JwksOf(next.Jwk("b")));
  EXPECT_TRUE(Await([&] { return Bearer(next.Token(claims)).ok(); }));
  EXPECT_EQ(Refusal(Bearer(before)), "TOKEN_SIGNATURE");
}

TEST_F(AuthenticatorTest, BrokenFilesChangeNothingUntilTheyAreWhole) {
  OpenForIssuers();
  const std::string claims = Claims(R"(,"name":"amy")");
  const std::string token = login_.Token(claims);
  Write("login.jwks", "{");
  const std::string settings = folder_.path() + "/auth.conf";
  std::ofstream(settings, std::ios::app) << "Principal=user:amy Role=oprator\n";
  const absl::Time seen = absl::Now() + absl::Seconds(2);
  EXPECT_TRUE(Await([&] { return !Bearer(token).ok() || absl::Now() > seen; }));
  EXPECT_TRUE(Bearer(token).ok());
  Write("login.jwks", JwksOf(login_.Jwk("a")));
  Write("auth.conf",
        absl::StrCat("TokenIssuer=https://login Audience=priorityd Jwks=", folder_.path(),
                     "/login.jwks UserClaim=name\n", "Principal=user:amy Role=operator\n"));
  EXPECT_TRUE(Await([&] { return Bearer(token)->roles.Has(Role::kOperator); }));
}

// As a full disk or an editor may leave it, within a second.
TEST_F(AuthenticatorTest, AFileThatWasEmptiedChangesNothing) {
  OpenForIssuers();
  const std::string token = login_.Token(Claims(R"(,"name":"amy")"));
  Write("auth.conf", "");
  const absl::Time seen = absl::Now() + absl::Seconds(2);
  EXPECT_TRUE(Await([&] { return !Bearer(token).ok() || absl::Now() > seen; }));
  EXPECT_TRUE(Bearer(token).ok());
}

TEST_F(AuthenticatorTest, AFileThatCannotBeUsedIsAnErrorAtTheStart) {
  const auto clock = [] { return absl::Now(); };
  EXPECT_THAT(std::string(Authenticator::Open(Write("empty.conf", ""), clock).status().message()),
              HasSubstr("empty.conf: got no proof that is accepted"));
  const std::string missing = folder_.path() + "/none";
  EXPECT_THAT(std::string(Authenticator::Open(missing, clock).status().message()),
              HasSubstr(missing));
  const std::string key = Write("open.key", SlurmKey());
  chmod(key.c_str(), 0644);
  const std::string settings =
      Write("auth.conf", "AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=" + key + "\n");
  EXPECT_THAT(std::string(Authenticator::Open(settings, clock).status().message()),
              HasSubstr("chmod o="));
}

TEST_F(AuthenticatorTest, RememberedTokensAreBounded) {
  OpenForSlurmTokens();
  const SigningKey key = SigningKey::OfSecret(SlurmKey());
  for (size_t i = 0; i < kMaxKnownTokens + 10; ++i) {
    ASSERT_TRUE(Bearer(key.Token(absl::StrCat(R"({"exp":1795340527,"sun":"u)", i, R"("})"))).ok());
    ASSERT_LE(authenticator_->known_tokens(), kMaxKnownTokens);
  }
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(Bearer(absl::StrCat("forged.", i, ".")).ok());
  EXPECT_LE(authenticator_->known_tokens(), kMaxKnownTokens);
}

}  // namespace
}  // namespace priorityd::identity
