#include "storage/database/probe.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "storage/database/connection_string.h"
#include "tests/free_port.h"
#include "tests/storage/postgres_server.h"

namespace priorityd::storage {
namespace {

bool GoesOn() { return true; }

class ProbeTest : public testing::Test {
 protected:
  PostgresServer server_;
};

TEST_F(ProbeTest, AServerThatWorksAnswers) {
  EXPECT_TRUE(Answers(server_.Url("postgres"), absl::Minutes(1), GoesOn));
}

TEST_F(ProbeTest, ARefusalIsAnAnswer) {
  EXPECT_TRUE(Answers(server_.Url("no_such_database"), absl::Minutes(1), GoesOn));
  EXPECT_TRUE(Answers(absl::StrCat("host=127.0.0.1 port=", FreePort()), absl::Minutes(1), GoesOn));
  EXPECT_TRUE(Answers("no connection string", absl::Minutes(1), GoesOn));
}

TEST_F(ProbeTest, OfSeveralHostsTheOneThatIsNamedIsAsked) {
  const std::string port = absl::StrCat(server_.port());
  const std::string hosts = absl::StrCat("host=frozen,127.0.0.1 port=1,", port,
                                         " dbname=postgres user=priorityd application_name=a");
  EXPECT_EQ(ConnectionStringTo(hosts, "127.0.0.1", port),
            absl::StrCat("application_name='a' dbname='postgres' host='127.0.0.1' port='", port,
                         "' target_session_attrs='any' user='priorityd'"));
  EXPECT_TRUE(Answers(ConnectionStringTo(hosts, "127.0.0.1", port), absl::Minutes(1), GoesOn));
}

TEST_F(ProbeTest, AFrozenServerDoesNotAnswer) {
  server_.Freeze();
  EXPECT_FALSE(Answers(server_.Url("postgres"), absl::Seconds(1), GoesOn));
  EXPECT_FALSE(Answers(server_.Url("postgres"), absl::Hours(1), [] { return false; }));
}

}  // namespace
}  // namespace priorityd::storage
