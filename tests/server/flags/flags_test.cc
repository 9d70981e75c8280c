#include "server/flags/flags.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "version.h"

namespace priorityd::flags {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<Flags> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "priorityd");
  return ParseFlags(static_cast<int>(arguments.size()), arguments.data());
}

TEST(FlagsTest, ADatabaseIsEnough) {
  const auto flags = Parse({"--data_dir=/var/lib/priorityd"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->data_dir, "/var/lib/priorityd");
  EXPECT_EQ(flags->database_url, "");
  EXPECT_THAT(flags->listen, ElementsAre("127.0.0.1:7411"));
  EXPECT_EQ(flags->log_format, "text");
  EXPECT_EQ(flags->answer, "");
}

// Who lists processes sees their command lines.
TEST(FlagsTest, ADatabaseWithItsPasswordComesFromAFileOrTheEnvironment) {
  const std::string file = testing::TempDir() + "/url";
  std::ofstream(file) << "postgresql://me:secret@host/p\n";
  const auto from_file = Parse({("--database_url_file=" + file).c_str()});
  ASSERT_TRUE(from_file.ok()) << from_file.status();
  EXPECT_EQ(from_file->database_url, "postgresql://me:secret@host/p");
  setenv("PRIORITYD_DATABASE_URL", "postgresql://other", 1);
  const auto from_environment = Parse({});
  const auto from_both = Parse({("--database_url_file=" + file).c_str()});
  unsetenv("PRIORITYD_DATABASE_URL");
  ASSERT_TRUE(from_environment.ok()) << from_environment.status();
  EXPECT_EQ(from_environment->database_url, "postgresql://other");
  EXPECT_THAT(std::string(from_both.status().message()), HasSubstr("want one of them"));
}

TEST(FlagsTest, AStandbyForReportsIsOneOfADatabaseByUrl) {
  const std::string file = testing::TempDir() + "/reports_url";
  std::ofstream(file) << "postgresql://me:secret@standby/p\n";
  const std::string from_file = "--reports_database_url_file=" + file;
  const auto flags =
      Parse({"--database_url=postgresql://h/p", from_file.c_str(), "--reports_max_lag=60"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->reports_database_url, "postgresql://me:secret@standby/p");
  EXPECT_EQ(flags->reports_max_lag_seconds, 60);
  const auto both = Parse({"--database_url=postgresql://h/p", from_file.c_str(),
                           "--reports_database_url=postgresql://standby/p"});
  EXPECT_THAT(std::string(both.status().message()), HasSubstr("want one of them"));
  const auto embedded = Parse({"--data_dir=/d", from_file.c_str()});
  EXPECT_THAT(std::string(embedded.status().message()), HasSubstr("want a standby"));
  const auto short_lag = Parse({"--database_url=postgresql://h/p", "--reports_max_lag=5"});
  EXPECT_FALSE(short_lag.ok());
}

constexpr char kDatabase[] = "--data_dir=/d";

TEST(FlagsTest, TheLogHasALevelAndSlowCallsALimit) {
  const auto flags =
      Parse({kDatabase, "--log_level=warn", "--log_level_file=/l", "--slow_call_ms=250"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->log_level, "warn");
  EXPECT_EQ(flags->log_level_file, "/l");
  EXPECT_EQ(flags->slow_call_ms, 250);
  EXPECT_EQ(Parse({kDatabase})->log_level, "info");
  EXPECT_THAT(std::string(Parse({kDatabase, "--log_level=loud"}).status().message()),
              HasSubstr("--log_level"));
  EXPECT_FALSE(Parse({kDatabase, "--slow_call_ms=0"}).ok());
}

// Without identities of callers, any process that reaches the server administers it.
TEST(FlagsTest, WithoutIdentityItListensOnThisHostAlone) {
  for (const char* listen : {"--listen=127.0.0.1:1", "--listen=127.1.2.3:1", "--listen=[::1]:1",
                             "--listen=localhost:1", "--listen=unix:/run/p/s"}) {
    EXPECT_TRUE(Parse({kDatabase, listen}).ok()) << listen;
  }
  for (const char* listen : {"--listen=0.0.0.0:1", "--listen=[::]:1", "--listen=10.0.0.1:1",
                             "--listen=host:1", "--listen=127.evil.org:1", "--listen=:1"}) {
    const auto refused = Parse({kDatabase, listen});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--insecure")) << listen;
    EXPECT_TRUE(Parse({kDatabase, listen, "--insecure", "--expose_grpc"}).ok()) << listen;
    EXPECT_TRUE(Parse({kDatabase, listen, "--auth_file=/a", "--expose_grpc"}).ok()) << listen;
  }
}

// gRPC itself does not withstand everybody who reaches it (docs/security.md).
TEST(FlagsTest, OtherHostsReachGrpcItselfOnlyWhereItIsAskedFor) {
  for (const char* listen : {"--listen=0.0.0.0:1", "--listen=[::]:1", "--listen=host:1"}) {
    for (const char* nevertheless : {"--auth_file=/a", "--insecure"}) {
      const auto refused = Parse({kDatabase, nevertheless, "--listen=unix:/s", listen});
      EXPECT_THAT(std::string(refused.status().message()),
                  AllOf(HasSubstr("HAProxy"), HasSubstr("--expose_grpc")));
      const auto exposed = Parse({kDatabase, nevertheless, listen, "--expose_grpc"});
      ASSERT_TRUE(exposed.ok()) << exposed.status();
      EXPECT_TRUE(IsGrpcExposed(*exposed));
    }
  }
  const auto behind =
      Parse({kDatabase, "--listen=unix:/s", "--auth_file=/a", "--proxy_secret_file=/p"});
  ASSERT_TRUE(behind.ok()) << behind.status();
  EXPECT_FALSE(IsGrpcExposed(*behind));
  EXPECT_EQ(behind->proxy_secret_file, "/p");
  // Without --auth_file no client has an identity.
  EXPECT_FALSE(Parse({kDatabase, "--listen=unix:/s", "--proxy_secret_file=/p"}).ok());
}

TEST(FlagsTest, ItListensOnEachAddressAndEachMustBeOfThisHost) {
  const auto flags = Parse({kDatabase, "--listen=unix:/run/p/s", "--listen", "127.0.0.1:1"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(flags->listen, ElementsAre("unix:/run/p/s", "127.0.0.1:1"));
  const auto beyond = Parse({kDatabase, "--listen=unix:/run/p/s", "--listen=10.0.0.1:1"});
  EXPECT_THAT(std::string(beyond.status().message()), HasSubstr("--listen: got 10.0.0.1:1"));
  EXPECT_TRUE(Parse({kDatabase, "--listen=unix:/run/p/s", "--listen=10.0.0.1:1", "--auth_file=/a",
                     "--expose_grpc"})
                  .ok());
  std::vector<const char*> many(17, "--listen=127.0.0.1:1");
  many.push_back(kDatabase);
  EXPECT_THAT(std::string(Parse(many).status().message()), HasSubstr("at most 16"));
}

TEST(FlagsTest, SiteFactorServicesArePatternsAndTlsTakesTheirFiles) {
  const auto flags = Parse({kDatabase, "--site_factor_allow=a:1,*.b.org:2",
                            "--site_factor_allow=c:*", "--site_factor_ca=/ca"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_THAT(flags->site_factor_allow, ElementsAre("a:1", "*.b.org:2", "c:*"));
  EXPECT_EQ(flags->site_factor_ca, "/ca");
  EXPECT_TRUE(
      Parse({kDatabase, "--site_factor_ca=/ca", "--site_factor_cert=/c", "--site_factor_key=/k"})
          .ok());
  EXPECT_FALSE(Parse({kDatabase, "--site_factor_ca=/ca", "--site_factor_cert=/c"}).ok());
  EXPECT_FALSE(Parse({kDatabase, "--site_factor_cert=/c", "--site_factor_key=/k"}).ok());
}

TEST(FlagsTest, MetricsAreServedOnThisHostAlone) {
  EXPECT_EQ(Parse({kDatabase})->http_listen, "");
  const auto here = Parse({kDatabase, "--http_listen=127.0.0.1:7412", "--metrics_accounts"});
  ASSERT_TRUE(here.ok()) << here.status();
  EXPECT_EQ(here->http_listen, "127.0.0.1:7412");
  EXPECT_TRUE(here->metrics_accounts);
  for (const char* listen : {"--http_listen=0.0.0.0:1", "--http_listen=host:1"}) {
    const auto refused = Parse({kDatabase, listen, "--auth_file=/a"});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--http_listen: got "));
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--insecure allows it"));
    EXPECT_TRUE(Parse({kDatabase, listen, "--insecure"}).ok()) << listen;
    EXPECT_TRUE(Parse({kDatabase, listen, "--auth_file=/a", "--tls_cert=/c", "--tls_key=/k",
                       "--tls_client_ca=/a"})
                    .ok())
        << listen;
  }
  for (const char* listen :
       {"--http_listen=unix:/s", "--http_listen=7412", "--http_listen=h:70000"}) {
    EXPECT_THAT(std::string(Parse({kDatabase, listen}).status().message()),
                AllOf(HasSubstr("want HOST:PORT"), Not(HasSubstr("or unix:PATH"))))
        << listen;
  }
  EXPECT_FALSE(Parse({kDatabase, "--metrics_accounts"}).ok());
}

TEST(FlagsTest, TheApiIsServedByHttpWhereItOpensTheServiceToNobodyElse) {
  const auto serves = [](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "--data_dir=/d");
    const auto flags = Parse(arguments);
    EXPECT_TRUE(flags.ok()) << flags.status();
    return flags.ok() && ServesHttpApi(*flags);
  };
  EXPECT_FALSE(serves({}));
  EXPECT_TRUE(serves({"--http_listen=127.0.0.1:1"}));
  EXPECT_FALSE(serves({"--http_listen=127.0.0.1:1", "--http_metrics_only"}));
  EXPECT_FALSE(serves({"--http_listen=127.0.0.1:1", "--listen=unix:/s"}));
  EXPECT_TRUE(serves({"--http_listen=127.0.0.1:1", "--listen=unix:/s", "--auth_file=a"}));
  EXPECT_FALSE(serves({"--http_listen=0.0.0.0:1", "--insecure"}));
  EXPECT_TRUE(
      serves({"--http_listen=0.0.0.0:1", "--insecure", "--listen=0.0.0.0:2", "--expose_grpc"}));
}

TEST(FlagsTest, AnOriginIsASchemeAndAHost) {
  for (const char* origin : {"--http_allow_origin=*", "--http_allow_origin=portal.example.org",
                             "--http_allow_origin=https://Portal.example.org",
                             "--http_allow_origin=https://portal.example.org/"}) {
    const auto refused = Parse({"--data_dir=/d", "--http_listen=127.0.0.1:1", origin});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("want https://HOST")) << origin;
  }
  const auto taken = Parse({"--data_dir=/d", "--http_listen=127.0.0.1:1",
                            "--http_allow_origin=https://portal.example.org:8443"});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT(taken->http_allow_origins, ElementsAre("https://portal.example.org:8443"));
}

TEST(FlagsTest, WhatFramesACardIsAnOriginAndNoWordOfAContentSecurityPolicy) {
  for (const char* origin : {"*", "'self'", "https://*.example.org", "https://a; script-src *"}) {
    const std::string flag = std::string("--http_frame_ancestor=") + origin;
    const auto refused = Parse({"--data_dir=/d", "--http_listen=127.0.0.1:1", flag.c_str()});
    EXPECT_THAT(std::string(refused.status().message()), HasSubstr("want https://HOST")) << origin;
  }
  const auto taken = Parse({"--data_dir=/d", "--http_listen=127.0.0.1:1",
                            "--http_frame_ancestor=https://a.example.org",
                            "--http_frame_ancestor=https://b.example.org"});
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT(taken->http_frame_ancestors,
              ElementsAre("https://a.example.org", "https://b.example.org"));
}

TEST(FlagsTest, TlsNeedsBothFilesAndClientCertificatesAnAuthFile) {
  EXPECT_TRUE(Parse({kDatabase, "--tls_cert=/c", "--tls_key=/k"}).ok());
  EXPECT_TRUE(
      Parse({kDatabase, "--tls_cert=/c", "--tls_key=/k", "--tls_client_ca=/a", "--auth_file=/f"})
          .ok());
  EXPECT_FALSE(Parse({kDatabase, "--tls_cert=/c"}).ok());
  EXPECT_FALSE(Parse({kDatabase, "--tls_key=/k"}).ok());
  EXPECT_FALSE(Parse({kDatabase, "--tls_client_ca=/a", "--auth_file=/f"}).ok());
  EXPECT_FALSE(Parse({kDatabase, "--tls_cert=/c", "--tls_key=/k", "--tls_client_ca=/a"}).ok());
}

TEST(FlagsTest, QuotasAreSetOneByOneAndTheOthersKeepTheirParts) {
  const auto flags = Parse({kDatabase, "--quota=watched_rows=7%", "--quota", "calls=9"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->quotas.Of(quotas::kWatchedRows, 1000), 70u);
  EXPECT_EQ(flags->quotas.Of(quotas::kCalls, 1000), 9u);
  EXPECT_EQ(flags->quotas.Of(quotas::kWatchers, 1000), 100u);
}

TEST(FlagsTest, TheModeOfASocketIsOctal) {
  EXPECT_EQ(Parse({kDatabase})->socket_mode, 0600);
  EXPECT_EQ(Parse({kDatabase, "--socket_mode=0660"})->socket_mode, 0660);
  EXPECT_EQ(Parse({kDatabase, "--socket_mode=660"})->socket_mode, 0660);
  for (const char* wrong :
       {"--socket_mode=0680", "--socket_mode=rw", "--socket_mode=1777", "--socket_mode=06600"}) {
    EXPECT_FALSE(Parse({kDatabase, wrong}).ok()) << wrong;
  }
}

TEST(FlagsTest, TheVersionIsThatOfTheRelease) {
  const auto flags = Parse({"--version"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  EXPECT_EQ(flags->answer, std::string("priorityd ") + kVersion + "\n");
}

TEST(FlagsTest, HelpNamesEveryFlag) {
  const auto flags = Parse({"--help"});
  ASSERT_TRUE(flags.ok()) << flags.status();
  for (const char* flag : {"--auth_file",
                           "--tls_cert",
                           "--tls_key",
                           "--tls_client_ca",
                           "--socket_mode",
                           "--socket_group",
                           "--insecure",
                           "--site_factor_allow",
                           "--site_factor_ca",
                           "--site_factor_cert",
                           "--site_factor_key",
                           "--http_listen",
                           "--http_metrics_only",
                           "--http_allow_origin",
                           "--http_frame_ancestor",
                           "--oidc_issuer",
                           "--oidc_session_key_file",
                           "--data_dir",
                           "--database_url",
                           "--migrate_only",
                           "--contract",
                           "--listen",
                           "--log_format",
                           "--database_url_file",
                           "--memory_budget",
                           "--quota",
                           "--max_message_mib",
                           "--max_jobs",
                           "--max_tracked_jobs",
                           "--max_all_tracked_jobs",
                           "--group_file",
                           "--max_records",
                           "--drain_seconds",
                           "--max_staleness",
                           "--max_commit",
                           "--max_clock_offset",
                           "--recalculation_threads",
                           "--history_interval",
                           "--history_days",
                           "--forecast_interval"}) {
    EXPECT_THAT(flags->answer, HasSubstr(flag));
  }
}

struct WrongFlags {
  std::vector<const char*> arguments;
  const char* message;
};

class WrongFlagsTest : public ::testing::TestWithParam<WrongFlags> {};

TEST_P(WrongFlagsTest, AreReportedInOneLine) {
  const auto flags = Parse(GetParam().arguments);
  ASSERT_EQ(flags.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(flags.status().message()), HasSubstr(GetParam().message));
  EXPECT_THAT(std::string(flags.status().message()), HasSubstr("(see priorityd --help)"));
  EXPECT_THAT(std::string(flags.status().message()), Not(HasSubstr("\n")));
  EXPECT_THAT(std::string(flags.status().message()), Not(HasSubstr("Sesame")));
  EXPECT_THAT(std::string(flags.status().message()), Not(ContainsRegex("--[a-z_]+: --")));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongFlagsTest,
    ::testing::Values(WrongFlags{{}, "got neither, want one of them"},
                      WrongFlags{{"--data_dir=a", "--database_url=b"}, "got both, want one"},
                      WrongFlags{{"--database_url=b", "--backup_dir=c"}, "--backup_dir: got no"},
                      WrongFlags{{"--database_url=b", "--upgrade_postgres"},
                                 "--upgrade_postgres: got no --data_dir"},
                      WrongFlags{{"--data_dir=a", "--log_format=xml"}, "--log_format"},
                      WrongFlags{{"--database_url_file=/nowhere"}, "got /nowhere, want a file"},
                      WrongFlags{{"--database_url_file=postgresql://amy:Sesame@h/d"},
                                 "--database_url_file: got a URL, want a file"},
                      WrongFlags{{"--database_url_file=/no/database_url"},
                                 "--database_url_file: got /no/database_url, want a file"},
                      WrongFlags{{"--database_ulr=postgresql://amy:Sesame@h/d"},
                                 "got an argument that may hold a password, want a flag"},
                      WrongFlags{{"--data_dir=a", "--memory_budget=1"}, "--memory_budget"},
                      WrongFlags{{"--data_dir=a", "--quota=watched_rows=0"},
                                 "--quota: got watched_rows=0, want watched_rows=N from 1"},
                      WrongFlags{{"--data_dir=a", "--quota=rows=5"},
                                 "--quota: got rows=5, want NAME=N or NAME=N%"},
                      WrongFlags{{"--data_dir=a", "--max_staleness=10"}, "--max_staleness"},
                      WrongFlags{{"--data_dir=a", "--max_clock_offset=0"}, "--max_clock_offset"},
                      WrongFlags{{"--data_dir=a", "--recalculation_threads=0"},
                                 "--recalculation_threads"},
                      WrongFlags{{"--data_dir=a", "--history_days=0"}, "--history_days"},
                      WrongFlags{{"--data_dir=a", "--site_factor_allow=a"},
                                 "--site_factor_allow: got a, want HOST:PORT"},
                      WrongFlags{{"--data_dir=a", "--socket_mode=9z"},
                                 "--socket_mode: got 9z, want octal digits such as 0660"},
                      WrongFlags{{"--data_dir=a", "--tls_cert=/c"},
                                 "--tls_cert and --tls_key: got one of them, want both or none"},
                      WrongFlags{{"--data_dir=a", "--colour"}, "--colour"}));

}  // namespace
}  // namespace priorityd::flags
