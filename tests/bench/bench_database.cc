#include "tests/bench/bench_database.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "storage/embedded_postgres/embedded_postgres.h"
#include "tests/bench/figures.h"
#include "tests/temporary_folder.h"

namespace priorityd::bench {

void WithPostgres(absl::FunctionRef<void(const std::string& url)> measure) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("bench"));
  const TemporaryFolder folder;
  auto postgres = storage::EmbeddedPostgres::Start({.data_dir = folder.path() + "/data"});
  Check(postgres.status());
  measure((*postgres)->Url());
}

void RunScript(storage::Database& database, const std::string& sql) {
  Check(database.Write(
      [&](storage::Transaction& transaction) { return transaction.ExecuteScript(sql.c_str()); }));
}

}  // namespace priorityd::bench
