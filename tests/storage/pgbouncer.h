// Debian's pgbouncer before a server of a test.
#ifndef TESTS_STORAGE_PGBOUNCER_H_
#define TESTS_STORAGE_PGBOUNCER_H_

#include <optional>
#include <string>

#include "tests/storage/postgres_server.h"

namespace priorityd::storage {

// Runs as long as the object lives.
class Pgbouncer {
 public:
  // `pool_mode`: session, transaction or statement. Returns when it listens.
  Pgbouncer(const PostgresServer& server, const std::string& pool_mode);

  std::string Url(const std::string& database) const;

 private:
  const std::string folder_;
  const int port_;
  std::optional<BackgroundProgram> program_;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_PGBOUNCER_H_
