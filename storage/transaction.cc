#include "storage/transaction.h"

#include <string>
#include <tuple>

// libpqxx has no other way to write a line that is complete already.
template <>
inline std::string pqxx::internal::TypedCopyEscaper::operator()(
    const priorityd::storage::CopyLine* line) const {
  return line->text();
}

namespace priorityd::storage {

absl::StatusOr<pqxx::result> Transaction::Execute(const char* statement,
                                                  absl::Span<const Parameter> parameters) {
  std::vector<std::optional<std::string>> texts;
  texts.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    if (parameter.HasNulByte()) {
      return absl::InvalidArgumentError("text: got U+0000, want text without it");
    }
    texts.push_back(parameter.text());
  }
  return Run([&] {
    return transaction_.exec_params(statement, pqxx::prepare::make_dynamic_params(texts));
  });
}

absl::Status Transaction::ExecuteScript(const char* statements) {
  return Run([&] { return transaction_.exec(statements); }).status();
}

absl::Status Transaction::Copy(const char* table, absl::Span<const char* const> columns,
                               size_t rows, absl::FunctionRef<CopyLine(size_t)> line) {
  if (error_.has_value()) return error_->status;
  try {
    pqxx::stream_to stream(transaction_, table, columns.begin(), columns.end());
    for (size_t i = 0; i < rows; ++i) stream << std::tuple(line(i));
    stream.complete();
    return absl::OkStatus();
  } catch (const pqxx::unique_violation&) {
    error_ = {absl::AbortedError("the same row was written meanwhile; try again"),
              Failure::kRetryable};
  } catch (...) {
    error_ = CurrentDatabaseError("copy");
  }
  return error_->status;
}

absl::StatusOr<pqxx::result> Transaction::Run(absl::FunctionRef<pqxx::result()> statement) {
  if (error_.has_value()) return error_->status;
  try {
    return statement();
  } catch (...) {
    error_ = CurrentDatabaseError("statement");
    return error_->status;
  }
}

}  // namespace priorityd::storage
