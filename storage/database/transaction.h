// One database transaction.
#ifndef STORAGE_DATABASE_TRANSACTION_H_
#define STORAGE_DATABASE_TRANSACTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/database/copy_line.h"
#include "storage/database/parameter.h"
#include "storage/database/row_reader.h"
#include "storage/database/status.h"

namespace priorityd::storage {

// The transaction in which the stores run their statements; made by Database::Read and
// Database::Write, which also end it. Not thread-safe.
//
// After a statement failed the transaction is lost: every further one answers
// with the first error, and so does the commit, whatever the caller returns.
class Transaction {
 public:
  explicit Transaction(int64_t incarnation) : incarnation_(incarnation) {}
  virtual ~Transaction() = default;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Runs one statement; returns the number of rows that it inserted, updated, deleted or selected.
  // INVALID_ARGUMENT without asking the database if a parameter holds U+0000.
  virtual absl::StatusOr<int64_t> Execute(const char* statement,
                                          absl::Span<const Parameter> parameters = {}) = 0;
  absl::StatusOr<int64_t> Execute(const std::string& statement,
                                  absl::Span<const Parameter> parameters = {}) {
    return Execute(statement.c_str(), parameters);
  }

  // Runs statements separated by semicolons, without parameters.
  virtual absl::Status ExecuteScript(const char* statements) = 0;

  // Writes `rows` rows to a table by COPY; `line(i)` is row i. ABORTED, to be retried, where
  // another transaction wrote a row with the same key meanwhile: the next attempt sees it.
  virtual absl::Status Copy(const std::string& table, absl::Span<const std::string> columns,
                            size_t rows, absl::FunctionRef<CopyLine(size_t)> line) = 0;

  // Runs one statement and decodes every row of its result.
  template <typename T>
  absl::StatusOr<std::vector<T>> Query(T (*decode)(RowReader&), const char* statement,
                                       absl::Span<const Parameter> parameters = {});
  template <typename T>
  absl::StatusOr<std::vector<T>> Query(T (*decode)(RowReader&), const std::string& statement,
                                       absl::Span<const Parameter> parameters = {}) {
    return Query(decode, statement.c_str(), parameters);
  }

  // As Query, for statements that answer one row or none.
  template <typename T>
  absl::StatusOr<std::optional<T>> QueryOptional(T (*decode)(RowReader&),
                                                 const std::string& statement,
                                                 absl::Span<const Parameter> parameters = {});

  // As Query, for statements that answer exactly one row (else INTERNAL).
  template <typename T>
  absl::StatusOr<T> QueryOne(T (*decode)(RowReader&), const std::string& statement,
                             absl::Span<const Parameter> parameters = {});

  // Another number than that of an earlier transaction of this Database: since then the
  // server was started again, or another one answers, or the database was restored. What
  // was read before, or follows from it, may never have been there.
  int64_t incarnation() const { return incarnation_; }

  // The first failed statement, if any.
  const std::optional<DatabaseError>& error() const { return error_; }

 protected:
  // Makes `error` the one that the transaction is lost by, and returns it.
  absl::Status Fail(DatabaseError error);

 private:
  // Runs one statement; calls `begin` with the number of its rows, then `read` with
  // each until it fails.
  virtual absl::Status ForEachRow(const char* statement, absl::Span<const Parameter> parameters,
                                  absl::FunctionRef<void(size_t)> begin,
                                  absl::FunctionRef<absl::Status(RowReader&)> read) = 0;

  const int64_t incarnation_;
  std::optional<DatabaseError> error_;
};

template <typename T>
absl::StatusOr<std::vector<T>> Transaction::Query(T (*decode)(RowReader&), const char* statement,
                                                  absl::Span<const Parameter> parameters) {
  std::vector<T> rows;
  absl::Status status = ForEachRow(
      statement, parameters, [&](size_t count) { rows.reserve(count); },
      [&](RowReader& reader) {
        rows.push_back(decode(reader));
        return reader.status();
      });
  if (!status.ok()) return status;
  return rows;
}

template <typename T>
absl::StatusOr<std::optional<T>> Transaction::QueryOptional(
    T (*decode)(RowReader&), const std::string& statement, absl::Span<const Parameter> parameters) {
  absl::StatusOr<std::vector<T>> rows = Query(decode, statement, parameters);
  if (!rows.ok()) return rows.status();
  if (rows->size() > 1) return absl::InternalError("stored rows: got several, want at most one");
  if (rows->empty()) return std::optional<T>();
  return std::optional<T>(std::move(rows->front()));
}

template <typename T>
absl::StatusOr<T> Transaction::QueryOne(T (*decode)(RowReader&), const std::string& statement,
                                        absl::Span<const Parameter> parameters) {
  absl::StatusOr<std::optional<T>> row = QueryOptional(decode, statement, parameters);
  if (!row.ok()) return row.status();
  if (!row->has_value()) return absl::InternalError("stored rows: got none, want one");
  return *std::move(*row);
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_TRANSACTION_H_
