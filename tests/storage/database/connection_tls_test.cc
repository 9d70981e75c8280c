// TLS to PostgreSQL, as --database_url asks for it.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::storage {
namespace {

using identity::CertificateAuthority;

void Execute(const PostgresServer& server, const std::string& statement) {
  server.Run("psql",
             {"-q", "-v", "ON_ERROR_STOP=1", "-d", server.Url("postgres"), "-c", statement});
}

// Into the server's data, readable by its own user only.
void WriteServerFile(const PostgresServer& server, const std::string& name,
                     const std::string& content) {
  Execute(server, absl::StrCat("COPY (SELECT unnest(string_to_array($$", content,
                               "$$, E'\\n'))) TO PROGRAM 'umask 077; cat > ", name, "'"));
}

class ConnectionTlsTest : public ::testing::Test {
 protected:
  // The server proves that it is `names`.
  void ServeTls(const std::string& names) {
    const identity::CertificateFiles files = authority_.Issue("postgres", names);
    WriteServerFile(server_, "server.crt", identity::ReadWholeFile(files.certificate));
    WriteServerFile(server_, "server.key", identity::ReadWholeFile(files.key));
    Execute(server_, "ALTER SYSTEM SET ssl = on");
    Execute(server_, "SELECT pg_reload_conf()");
  }

  std::string Url(const CertificateAuthority& trusted) const {
    return server_.Url("postgres",
                       absl::StrCat("&sslmode=verify-full&sslrootcert=", trusted.certificate()));
  }

  // Whether the session is encrypted, or why there is none.
  absl::StatusOr<bool> IsEncrypted(const CertificateAuthority& trusted) {
    Database database({.url = Url(trusted)});
    return database.Read([](Transaction& transaction) {
      return transaction.QueryOne(OnlyColumn<bool>,
                                  "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    });
  }

  const CertificateAuthority authority_;
  PostgresServer server_;
};

TEST_F(ConnectionTlsTest, AReadThatAFrozenServerDoesNotAnswerEnds) {
  ServeTls("IP:127.0.0.1");
  Database database({.url = Url(authority_), .read_patience = absl::Seconds(1)});
  const absl::Status status = database.Read([&](Transaction& transaction) {
    absl::Status done = transaction.Execute("SELECT").status();
    EXPECT_TRUE(done.ok()) << done;
    server_.Freeze();
    return transaction.Execute("SELECT").status();
  });
  EXPECT_EQ(status.message(), "PostgreSQL does not answer; retry") << status;
  server_.Thaw();
  EXPECT_TRUE(IsEncrypted(authority_).value());
}

TEST_F(ConnectionTlsTest, VerifyFullSpeaksTlsWithAServerThatProvesItsName) {
  ServeTls("IP:127.0.0.1");
  const auto encrypted = IsEncrypted(authority_);
  ASSERT_TRUE(encrypted.ok()) << encrypted.status();
  EXPECT_TRUE(*encrypted);
}

TEST_F(ConnectionTlsTest, VerifyFullRefusesAServerThatAnotherAuthorityVouchesFor) {
  ServeTls("IP:127.0.0.1");
  const CertificateAuthority other;
  EXPECT_EQ(IsEncrypted(other).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ConnectionTlsTest, VerifyFullRefusesAServerOfAnotherName) {
  ServeTls("IP:127.0.0.2");
  EXPECT_EQ(IsEncrypted(authority_).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ConnectionTlsTest, VerifyFullSpeaksToNoServerWithoutTls) {
  EXPECT_EQ(IsEncrypted(authority_).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace priorityd::storage
