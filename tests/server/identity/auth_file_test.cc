#include "server/identity/auth_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"

namespace priorityd::identity {
namespace {

using authorization::Role;
using authorization::RoleSet;
using ::testing::HasSubstr;

absl::StatusOr<AuthSettings> Parse(const std::string& text) {
  return ParseAuthFile({"auth.conf", text});
}

TEST(AuthFileTest, LinesOfSlurmConfMeanWhatTheyMeanThere) {
  const auto settings = Parse(
      "# As in slurm.conf\n"
      "AuthType=auth/munge\n"
      "AuthInfo=socket=/run/munge/global.socket.2,ttl=60\n"
      "AuthAltTypes=auth/jwt\n"
      "AuthAltParameters=jwks=/etc/slurm/jwks.json,jwt_key=/etc/slurm/jwt.key,"
      "disable_token_creation,userclaimfield=preferred_username\n"
      "SlurmUser=slurm\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_TRUE(settings->munge);
  EXPECT_EQ(settings->munge_socket, "/run/munge/global.socket.2");
  EXPECT_TRUE(settings->slurm_tokens);
  EXPECT_EQ(settings->jwt_key, "/etc/slurm/jwt.key");
  EXPECT_EQ(settings->jwks, "/etc/slurm/jwks.json");
  EXPECT_EQ(settings->user_claim, "preferred_username");
  EXPECT_EQ(settings->slurm_user, "slurm");
}

TEST(AuthFileTest, RateLimitsAreWordsOfSlurmctldParameters) {
  const auto settings =
      Parse("AuthType=auth/munge\nSlurmctldParameters=rl_enable,rl_bucket_size=1000\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_TRUE(settings->rate_limits.enabled);
  EXPECT_EQ(settings->rate_limits.bucket_size, 1000);
  EXPECT_FALSE(Parse("AuthType=auth/munge\n")->rate_limits.enabled);
  const auto wrong =
      Parse("\nSlurmctldParameters=rl_enable,rl_bucketsize=9,idle_on_node_suspend\n");
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("\"rl_bucketsize=9\""));
  EXPECT_EQ(errors::ViolationsOf(wrong.status()).size(), 2);
  EXPECT_EQ(errors::ViolationsOf(wrong.status())[0].field, "auth.conf line 2");
}

TEST(AuthFileTest, WhatIsNotNamedIsNotTaken) {
  const auto settings = Parse("AuthType=auth/none\nPrincipal=tls:c.example.org Role=collector\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_FALSE(settings->munge);
  EXPECT_FALSE(settings->slurm_tokens);
  EXPECT_EQ(settings->user_claim, "sun");
  EXPECT_TRUE(settings->socket_roles.empty());
}

TEST(AuthFileTest, AnIssuerNamesUsersOrServices) {
  const auto settings = Parse(
      "TokenIssuer=https://login.example.org Audience=priorityd Jwks=/a UserClaim=email\n"
      "TokenIssuer=https://kubernetes.default.svc Audience=p Jwks=/b Name=k8s\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  ASSERT_EQ(settings->issuers.size(), 2);
  EXPECT_EQ(settings->issuers[0].url, "https://login.example.org");
  EXPECT_EQ(settings->issuers[0].kind, "user");
  EXPECT_EQ(settings->issuers[0].claim, "email");
  EXPECT_EQ(settings->issuers[1].kind, "k8s");
  EXPECT_EQ(settings->issuers[1].claim, "sub");
  EXPECT_EQ(settings->issuers[1].jwks, "/b");
}

RoleSet AllOf(const std::vector<BoundRoles>& lines) {
  RoleSet all;
  for (const BoundRoles& line : lines) all.Add(line.roles);
  return all;
}

TEST(AuthFileTest, RolesAddUp) {
  const auto settings = Parse(
      "Principal=k8s:system:serviceaccount:batch:frontend Role=frontend\n"
      "Principal=tls:c.example.org Role=collector,dashboard\n"
      "Principal=tls:c.example.org Role=Operator\n"
      "SocketRole=administrator\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_EQ(AllOf(settings->roles.at("k8s:system:serviceaccount:batch:frontend")),
            RoleSet({Role::kFrontend}));
  EXPECT_EQ(AllOf(settings->roles.at("tls:c.example.org")),
            RoleSet({Role::kCollector, Role::kDashboard, Role::kOperator}));
  EXPECT_EQ(settings->socket_roles, RoleSet({Role::kAdministrator}));
}

TEST(AuthFileTest, ALineMayBindItsRolesToClustersAndSources) {
  const auto settings = Parse(
      "AuthType=auth/munge\n"
      "Principal=user:collectd Role=collector Source=clusterA,clusterB Cluster=orc\n"
      "Principal=user:collectd Cluster=elf Role=frontend,provisioner\n");
  ASSERT_TRUE(settings.ok()) << settings.status();
  const auto& lines = settings->roles.at("user:collectd");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].roles, RoleSet({Role::kCollector}));
  EXPECT_EQ(lines[0].clusters, std::vector<std::string>({"orc"}));
  EXPECT_EQ(lines[0].sources, std::vector<std::string>({"clusterA", "clusterB"}));
  EXPECT_EQ(lines[1].roles, RoleSet({Role::kFrontend, Role::kProvisioner}));
  EXPECT_EQ(lines[1].clusters, std::vector<std::string>({"elf"}));
  EXPECT_TRUE(lines[1].sources.empty());
}

TEST(AuthFileTest, AFileThatLetsNobodyInIsRefused) {
  const std::string key = "AuthAltParameters=jwt_key=/k\n";
  for (const std::string& text :
       {std::string(), std::string("# AuthType=auth/munge\n"), std::string("AuthType=auth/none\n"),
        std::string("SlurmUser=slurm\n"), key, std::string("AuthInfo=socket=/s\nSlurmUser=slurm\n"),
        std::string("Principal=user:ann Role=operator\nPrincipal=tlsx:ann Role=operator\n"),
        std::string("SlurmctldParameters=rl_enable\n")}) {
    const auto settings = Parse(text);
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(settings.status().message()),
                HasSubstr("auth.conf: got no proof that is accepted, want AuthType=auth/munge"))
        << text;
  }
  for (const std::string& text :
       {std::string("AuthType=auth/munge\n"), "AuthAltTypes=auth/jwt\n" + key,
        std::string("TokenIssuer=https://a Audience=b Jwks=/c Name=k8s\n"),
        std::string("SocketRole=dashboard\n"),
        std::string("Principal=user:ann Role=operator\nPrincipal=tls:c Role=collector\n")}) {
    EXPECT_TRUE(Parse(text).ok()) << Parse(text).status();
  }
}

// A typing error must neither open nor close a door unseen.
TEST(AuthFileTest, NothingIsSkipped) {
  for (const char* line : {"AuthTyp=auth/munge",
                           "AuthType=auth/mung",
                           "AuthType=",
                           "AuthAltTypes=auth/jwtt",
                           "AuthAltTypes=auth/jwt",
                           "AuthAltParameters=jwtkey=/a",
                           "AuthInfo=sock=/a",
                           "Principal=amy Role=operator",
                           "Principal=user: Role=operator",
                           "Principal=user:amy",
                           "Principal=user:amy Role=operators",
                           "SlurmUser=",
                           "SlurmUser=ann,bob",
                           "SlurmUser=slurm(64030)",
                           "SlurmUser=slu\u200brm",
                           "Principal=user:\u202eyma Role=operator",
                           "Principal=us\u00ader:amy Role=operator",
                           "Principal=user:ame\u0301 Role=operator",
                           "Principal=user:amy Role=operator Role=frontend",
                           "Principal=user:amy Role=",
                           "Principal=user:amy Role=user",
                           "Principal=user:amy Role=coordinator",
                           "Principal=user:amy Cluster=orc",
                           "Principal=user:amy Role=collector Cluster=",
                           "Principal=user:amy Role=collector Source=",
                           "Principal=user:amy Role=collector Sources=a",
                           "Principal=user:amy Role=collector Source=a Source=b",
                           "Principal=user:amy Role=collector Source=user:bob",
                           "Principal=user:amy Role=operator Source=a",
                           "Principal=user:amy Role=collector,dashboard Source=a",
                           "SocketRole=root",
                           "TokenIssuer=https://a Audience=b Jwks=/c",
                           "TokenIssuer=https://a Audience=b UserClaim=c",
                           "TokenIssuer=https://a Jwks=/b Name=c",
                           "TokenIssuer=https://a Audience=b Jwks=/c Name=k8s UserClaim=d",
                           "TokenIssuer=https://a Audience=b Jwks=/c Name=user",
                           "TokenIssuer=https://a Audience=b Jwks=/c Name=tls",
                           "TokenIssuer=https://a Audience=b Jwks=/c Name=k8s Claim=d",
                           "gibberish"}) {
    const auto settings = Parse(absl::StrCat("SocketRole=dashboard\n", line));
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument) << line;
    const auto violations = errors::ViolationsOf(settings.status());
    ASSERT_FALSE(violations.empty()) << line;
    EXPECT_THAT(violations.front().field, HasSubstr("auth.conf")) << line;
  }
}

TEST(AuthFileTest, SlurmUserIsOneUserNamedOnce) {
  const std::string munge = "AuthType=auth/munge\n";
  EXPECT_EQ(Parse(munge + "SlurmUser=am\u00e9\n")->slurm_user, "am\u00e9");
  for (const char* lines :
       {"SlurmUser=slurm\nSlurmUser=amy\n", "SlurmUser=slurm\nSlurmUser=slurm\n",
        "SlurmUser=slurm\nSlurmUser=\n", "SlurmUser=slurm SlurmUser=amy\n"}) {
    const auto settings = Parse(munge + lines);
    EXPECT_THAT(std::string(settings.status().message()),
                HasSubstr("SlurmUser: got it twice, want it once"))
        << lines;
  }
  EXPECT_THAT(std::string(Parse(munge + "\nSlurmUser=ann,bob\n").status().message()),
              HasSubstr("auth.conf line 3: SlurmUser: got \"ann,bob\", want the name of one user"));
}

TEST(AuthFileTest, AnIssuerStandsOnce) {
  const std::string line = "TokenIssuer=https://a Audience=b Jwks=/c Name=k8s\n";
  EXPECT_TRUE(Parse(line).ok());
  EXPECT_FALSE(Parse(line + line).ok());
}

}  // namespace
}  // namespace priorityd::identity
