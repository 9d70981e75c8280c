// Another user of the database, who may create functions in its schema public.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "storage/schema/migration.h"
#include "tests/storage/store_test.h"

namespace priorityd::storage {
namespace {

// It fits a call of each connection better than that of PostgreSQL, which takes any number of any
// types.
constexpr char kTrap[] =
    "CREATE TABLE public.caught (a integer); "
    "CREATE FUNCTION public.concat_ws(text, bigint, numeric, oid) RETURNS text LANGUAGE sql "
    "AS 'INSERT INTO public.caught VALUES (1); SELECT ''caught''::text'";

class SearchPathTest : public ::testing::Test {
 protected:
  static void SetTrap(Database& database) {
    ASSERT_OK(database.Write([](Transaction& t) { return t.ExecuteScript(kTrap); }));
  }
  static std::string SearchPathOf(Database& database) {
    return database
        .Read(
            [](Transaction& t) { return t.QueryOne(OnlyColumn<std::string>, "SHOW search_path"); })
        .value();
  }
};

TEST_F(SearchPathTest, NoFunctionOfAnotherSchemaTakesThePlaceOfPostgresqls) {
  const std::string url = NewTestDatabase();
  Database before({.url = url, .pool_size = 1});
  SetTrap(before);
  Database database({.url = url, .pool_size = 1});
  EXPECT_EQ(SearchPathOf(database), "priorityd");
  EXPECT_EQ(database
                .Read([](Transaction& t) {
                  return t.QueryOne(OnlyColumn<int64_t>, "SELECT count(*) FROM public.caught");
                })
                .value(),
            0);
}

TEST_F(SearchPathTest, TheConnectionThatMigratesCallsNoneFromThenOn) {
  Database database({.url = NewEmptyTestDatabase(), .pool_size = 1});
  ASSERT_OK(Migrate(database));
  EXPECT_EQ(SearchPathOf(database), "priorityd");
}

}  // namespace
}  // namespace priorityd::storage
