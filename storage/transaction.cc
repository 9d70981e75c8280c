#include "storage/transaction.h"

#include <string>

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
