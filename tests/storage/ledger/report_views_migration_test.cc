// How the views of the schema priorityd_report come into a database, and stay there.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "storage/schema/migration.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

constexpr char kViews[] =
    "SELECT viewname::text FROM pg_views WHERE schemaname = 'priorityd_report'";

std::vector<std::string> ViewsOf(Database& database) {
  return database.Read([](Transaction& t) { return t.Query(OnlyColumn<std::string>, kViews); })
      .value();
}

TEST(ReportViewsMigrationTest, TheViewsSurviveThatOldKeysAreTakenAway) {
  Database database({.url = NewEmptyTestDatabase()});
  ASSERT_OK(Migrate(database, AllMigrations().first(18)));
  ASSERT_OK(Migrate(database));
  ASSERT_OK(Migrate(database, AllMigrations(), {.contract = true}));
  EXPECT_EQ(ViewsOf(database).size(), 16u);
}

TEST(ReportViewsMigrationTest, WhoMayNotMakeRolesHasTheViewsAndAnAdministratorTheRole) {
  PostgresServer server;
  const auto run = [&](const std::string& database, const std::string& statements) {
    server.Run("psql",
               {"-X", "-v", "ON_ERROR_STOP=1", "-d", server.Url(database), "-c", statements});
  };
  run("postgres", "CREATE ROLE plain LOGIN");
  run("postgres", "CREATE DATABASE site OWNER plain");
  {
    Database database({.url = server.Url("site", "&user=plain")});
    ASSERT_OK(Migrate(database));
    EXPECT_EQ(ViewsOf(database).size(), 16u);
  }
  // The page's own words.
  std::ifstream file("docs/reports-sql.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string text = page.str();
  for (const char* first :
       {"CREATE ROLE priorityd_report NOLOGIN;", "SET search_path = pg_catalog;"}) {
    const size_t begin = text.find(first);
    ASSERT_NE(begin, std::string::npos);
    run("site", text.substr(begin, text.find("```", begin) - begin));
  }
  run("site", "SET ROLE priorityd_report; SELECT count(*) FROM priorityd_report.share");
  // The program keeps what its readers lose.
  run("site", "SET ROLE plain; SELECT pg_advisory_xact_lock(7412, 1); CREATE TEMPORARY TABLE t()");
}

}  // namespace
}  // namespace priorityd::storage
