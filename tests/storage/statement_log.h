// The statements that PostgreSQL was given.
#ifndef TESTS_STORAGE_STATEMENT_LOG_H_
#define TESTS_STORAGE_STATEMENT_LOG_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::storage {

// Of a database of TestServer, by what the server writes to its log.
class StatementLog {
 public:
  // From now on every new connection to the database logs its statements.
  explicit StatementLog(const std::string& database_url);

  // Forgets those so far.
  void Clear();

  // How many there were since with this text in them.
  int Count(absl::string_view text) const;

 private:
  std::string Text() const;

  std::string file_;
  int64_t begin_ = 0;
};

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_STATEMENT_LOG_H_
