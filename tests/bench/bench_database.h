// The database of benchmarks that run parts of the server in their own process, or beside it.
#ifndef PRIORITYD_TESTS_BENCH_BENCH_DATABASE_H_
#define PRIORITYD_TESTS_BENCH_BENCH_DATABASE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "storage/database/database.h"

namespace priorityd::bench {

// Calls `measure` with the URL of a new embedded PostgreSQL, which is removed afterwards. The log
// goes to standard error: standard output is for the figures.
void WithPostgres(absl::FunctionRef<void(const std::string& url)> measure);

// In one transaction.
void RunScript(storage::Database& database, const std::string& sql);

}  // namespace priorityd::bench

#endif  // PRIORITYD_TESTS_BENCH_BENCH_DATABASE_H_
