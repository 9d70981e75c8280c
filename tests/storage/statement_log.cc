#include "tests/storage/statement_log.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "storage/database/database.h"

namespace priorityd::storage {
namespace {

constexpr char kLogAll[] =
    "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET log_statement = %L', "
    "current_database(), 'all'); END $$";
constexpr char kDirectory[] = "SELECT current_setting('data_directory')";

}  // namespace

StatementLog::StatementLog(const std::string& database_url) {
  Database database({.url = database_url, .pool_size = 1});
  const auto directory =
      database.Write([](Transaction& transaction) -> absl::StatusOr<std::string> {
        absl::Status status = transaction.ExecuteScript(kLogAll);
        if (!status.ok()) return status;
        return transaction.QueryOne(OnlyColumn<std::string>, kDirectory);
      });
  EXPECT_TRUE(directory.ok()) << directory.status();
  file_ = directory.value_or("") + ".log";
}

std::string StatementLog::Text() const {
  std::ifstream file(file_, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << file_;
  file.seekg(begin_);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void StatementLog::Clear() {
  begin_ = 0;
  begin_ = static_cast<int64_t>(Text().size());
}

int StatementLog::Count(absl::string_view text) const {
  const std::string log = Text();
  int count = 0;
  for (size_t at = log.find(std::string(text)); at != std::string::npos;
       at = log.find(std::string(text), at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace priorityd::storage
