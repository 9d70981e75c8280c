// A real PostgreSQL for tests: one temporary server per test binary, started
// when first asked for and stopped after the last test, and as many databases
// as wanted.
#ifndef TESTS_STORAGE_TEST_DATABASE_H_
#define TESTS_STORAGE_TEST_DATABASE_H_

#include <string>

#include "storage/embedded_postgres/embedded_postgres.h"

namespace priorityd::storage {

// Each of these ends the program if the server does not start. Not thread-safe.
EmbeddedPostgres& TestServer();

// The URL of a new database with the whole schema in it and no rows but the
// schema's own.
std::string NewTestDatabase();

// The URL of a new database with nothing in it.
std::string NewEmptyTestDatabase();

// A new directory of the test's own that other users can look through (by root
// PostgreSQL runs as somebody else). Removed after the last test.
std::string NewTestDirectory();

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_TEST_DATABASE_H_
