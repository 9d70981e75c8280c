#include "storage/schema/index_build.h"

#include <pqxx/pqxx>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "storage/database/connection.h"
#include "storage/database/connection_string.h"
#include "storage/database/status.h"

namespace priorityd::storage {
namespace {

constexpr absl::string_view kBeforeName = "INDEX CONCURRENTLY IF NOT EXISTS ";
// Taken on the connection without waiting: a build waits for all transactions, so that waiting for
// it in a transaction would never end. 1 is used by migrations, 2 by the leader.
constexpr char kTryLock[] = "SELECT pg_try_advisory_lock(7411, 3)";
constexpr char kFindInvalid[] =
    "SELECT count(*) FROM pg_index WHERE NOT indisvalid AND indexrelid = to_regclass(";
constexpr absl::Duration kPause = absl::Milliseconds(200);

struct Statement {
  std::string name;  // priorityd.index
  std::string sql;
};

bool IsComment(absl::string_view line) { return absl::StartsWith(line, "--"); }

absl::StatusOr<std::vector<Statement>> StatementsOf(const std::string& script) {
  std::vector<std::string> lines = absl::StrSplit(script, '\n');
  std::erase_if(lines, IsComment);
  std::vector<Statement> statements;
  for (absl::string_view sql : absl::StrSplit(absl::StrJoin(lines, "\n"), ';')) {
    sql = absl::StripAsciiWhitespace(sql);
    if (sql.empty()) continue;
    const std::vector<absl::string_view> parts =
        absl::StrSplit(sql, absl::MaxSplits(kBeforeName, 1));
    if (parts.size() < 2) {
      return absl::InternalError(absl::StrCat("got \"", sql, "\", want ", kBeforeName));
    }
    const absl::string_view name = parts[1].substr(0, parts[1].find(' '));
    statements.push_back({absl::StrCat("priorityd.", name), std::string(sql)});
  }
  return statements;
}

class Builder {
 public:
  Builder(const std::string& connection_string, absl::Duration patience)
      : connection_(connection_string,
                    absl::StrCat("SET lock_timeout = ", absl::ToInt64Milliseconds(patience), "; ")),
        deadline_(absl::Now() + patience) {}

  // False if another program is at it for too long.
  bool Lock() {
    while (!Run(kTryLock)[0][0].as<bool>()) {
      if (absl::Now() >= deadline_) return false;
      absl::SleepFor(kPause);
    }
    return true;
  }

  void Build(const Statement& statement) {
    const auto invalid = Run(absl::StrCat(kFindInvalid, "'", statement.name, "')"));
    if (invalid[0][0].as<int>() > 0) {
      Run(absl::StrCat("DROP INDEX CONCURRENTLY ", statement.name));
    }
    Run(statement.sql);
  }

 private:
  pqxx::result Run(const std::string& sql) {
    return pqxx::nontransaction(connection_.get()).exec(sql);
  }

  Connection connection_;
  const absl::Time deadline_;
};

}  // namespace

absl::Status BuildIndexes(const std::string& url, const std::string& script,
                          absl::Duration patience) {
  const auto statements = StatementsOf(script);
  if (!statements.ok()) return statements.status();
  const auto connection_string = CompleteConnectionString(url);
  if (!connection_string.ok()) return connection_string.status();
  try {
    Builder builder(*connection_string, patience);
    if (!builder.Lock()) return LockTimeoutError();
    for (const Statement& statement : *statements) builder.Build(statement);
    return absl::OkStatus();
  } catch (...) {
    return CurrentDatabaseError("index").status;
  }
}

}  // namespace priorityd::storage
