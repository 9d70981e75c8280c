#include "storage/database/session.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <pqxx/pqxx>
#include <pqxx/tablewriter>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/database/connection.h"
#include "storage/database/read_context.h"

namespace priorityd::storage {
namespace {

// JIT compilation costs a report a second and saves none of our statements as much. A frozen
// process would keep its locks for ever; no transaction of ours is idle for half a minute.
constexpr char kSettings[] =
    "SET idle_in_transaction_session_timeout = '30s'; "
    "SET TIME ZONE 'UTC'; SET DateStyle = 'ISO'; SET client_encoding = 'UTF8'; "
    "SET extra_float_digits = 1; SET standard_conforming_strings = on; SET jit = off; ";

// See TransactionKind.
constexpr char kNoStatementLimit[] = "SET LOCAL statement_timeout = 0";

using WriteTransaction = pqxx::transaction<pqxx::read_committed, pqxx::read_write>;
using ReadTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

// As a setting: 0 = no limit.
int64_t Milliseconds(absl::Duration limit) {
  return limit == absl::InfiniteDuration() ? 0 : absl::ToInt64Milliseconds(limit);
}

// The statements of a read take no longer than its result is needed.
class ReadLimit {
 public:
  // `kind` must live as long. `is_watched`: something else ends a statement at the deadline, so
  // that the first limit will do.
  ReadLimit(const TransactionKind& kind, bool is_watched) : kind_(kind), is_watched_(is_watched) {}

  // Limits the next statement to what is left.
  void Set(pqxx::transaction_base& transaction) {
    const ReadContext* context = ReadContext::Current();
    if (context == nullptr || (is_set_ && is_watched_)) return;
    is_set_ = true;
    const absl::Duration left = std::max(context->Left(), absl::Milliseconds(1));
    if (left >= kind_.statement) return;
    transaction.exec(absl::StrCat("SET LOCAL statement_timeout = ",
                                  Milliseconds(absl::Ceil(left, absl::Milliseconds(1)))));
  }

 private:
  const TransactionKind& kind_;
  const bool is_watched_;
  bool is_set_ = false;
};

class RowTexts : public ColumnTexts {
 public:
  explicit RowTexts(pqxx::row row) : row_(std::move(row)), size_(row_.size()) {}
  size_t size() const override { return size_; }
  std::optional<absl::string_view> Text(size_t column) const override {
    const pqxx::field field = row_[static_cast<pqxx::row_size_type>(column)];
    const absl::string_view text(field.c_str(), field.size());
    if (text.empty() && field.is_null()) return std::nullopt;
    return text;
  }

 private:
  const pqxx::row row_;
  const size_t size_;
};

// Transaction by libpqxx.
class SessionTransaction : public Transaction {
 public:
  // `limit`: nullopt = of a write.
  SessionTransaction(pqxx::transaction_base& transaction, int64_t incarnation, bool keeps_plans,
                     std::optional<ReadLimit> limit)
      : Transaction(incarnation),
        transaction_(transaction),
        keeps_plans_(keeps_plans),
        limit_(std::move(limit)) {}

  absl::StatusOr<int64_t> Execute(const char* statement,
                                  absl::Span<const Parameter> parameters) override {
    absl::StatusOr<pqxx::result> result = ExecuteWith(statement, parameters);
    if (!result.ok()) return result.status();
    return static_cast<int64_t>(result->affected_rows());
  }

  absl::Status ExecuteScript(const char* statements) override {
    return Try("statement", [&] { return transaction_.exec(statements); }).status();
  }

  absl::Status Copy(const std::string& table, absl::Span<const std::string> columns, size_t rows,
                    absl::FunctionRef<CopyLine(size_t)> line) override;

 private:
  absl::Status ForEachRow(const char* statement, absl::Span<const Parameter> parameters,
                          absl::FunctionRef<void(size_t)> begin,
                          absl::FunctionRef<absl::Status(RowReader&)> read) override;

  absl::StatusOr<pqxx::result> ExecuteWith(const char* statement,
                                           absl::Span<const Parameter> parameters);

  // The name under which the connection has the statement from its first use on.
  std::string NameOf(const char* statement) {
    const std::string text = statement;
    const std::string name = absl::StrCat("priorityd_", absl::Hex(std::hash<std::string>()(text)));
    transaction_.conn().prepare(name, text);
    return name;
  }

  absl::StatusOr<pqxx::result> Try(const char* activity,
                                   absl::FunctionRef<pqxx::result()> function) {
    if (error().has_value()) return error()->status;
    if (absl::Status ended = CheckNeeded(); !ended.ok()) {
      return Fail({std::move(ended), Failure::kCanceled});
    }
    try {
      if (limit_.has_value()) limit_->Set(transaction_);
      return function();
    } catch (...) {
      return Fail(CurrentDatabaseError(activity));
    }
  }

  // A change that has begun is made, also if its caller does not wait.
  absl::Status CheckNeeded() const {
    return limit_.has_value() ? ReadContext::CheckCurrent() : absl::OkStatus();
  }

  pqxx::transaction_base& transaction_;
  const bool keeps_plans_;  // See TransactionKind::by_key.
  std::optional<ReadLimit> limit_;
};

absl::StatusOr<pqxx::result> SessionTransaction::ExecuteWith(
    const char* statement, absl::Span<const Parameter> parameters) {
  std::vector<std::optional<std::string>> texts;
  texts.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    if (parameter.HasNulByte()) {
      return absl::InvalidArgumentError("text: got U+0000, want text without it");
    }
    texts.push_back(parameter.text());
  }
  return Try("statement", [&] {
    const auto values = pqxx::prepare::make_dynamic_params(texts);
    return keeps_plans_ ? transaction_.exec_prepared(NameOf(statement), values)
                        : transaction_.exec_params(statement, values);
  });
}

absl::Status SessionTransaction::ForEachRow(const char* statement,
                                            absl::Span<const Parameter> parameters,
                                            absl::FunctionRef<void(size_t)> begin,
                                            absl::FunctionRef<absl::Status(RowReader&)> read) {
  absl::StatusOr<pqxx::result> result = ExecuteWith(statement, parameters);
  if (!result.ok()) return result.status();
  begin(result->size());
  for (const pqxx::row& row : *result) {
    const RowTexts texts(row);
    RowReader reader(texts);
    if (absl::Status status = read(reader); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// stream_to, which libpqxx recommends instead, writes no line that is complete already.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
absl::Status SessionTransaction::Copy(const std::string& table,
                                      absl::Span<const std::string> columns, size_t rows,
                                      absl::FunctionRef<CopyLine(size_t)> line) {
  if (error().has_value()) return error()->status;
  try {
    pqxx::tablewriter writer(transaction_, table, columns.begin(), columns.end());
    for (size_t i = 0; i < rows; ++i) writer.write_raw_line(line(i).text());
    writer.complete();
    return absl::OkStatus();
  } catch (const pqxx::unique_violation&) {
    return Fail(
        {absl::AbortedError("the same row was written meanwhile; retry"), Failure::kRetryable});
  } catch (...) {
    return Fail(CurrentDatabaseError("copy"));
  }
}
#pragma GCC diagnostic pop

}  // namespace

Session::Session(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Session::~Session() = default;

absl::StatusOr<std::unique_ptr<Session>> Session::Open(const std::string& connection_string) {
  try {
    auto connection = std::make_unique<Connection>(connection_string, kSettings);
    return std::unique_ptr<Session>(new Session(std::move(connection)));
  } catch (...) {
    return CurrentConnectError().status;
  }
}

const std::string& Session::identity() const { return connection_->identity(); }

int Session::socket() const { return connection_->socket(); }

const std::string& Session::server() const { return connection_->server(); }

std::function<void()> Session::Canceler() const { return connection_->Canceler(); }

bool Session::IsDirect() const { return connection_->IsDirect(); }

TransactionEnd Session::Run(AccessMode mode, absl::FunctionRef<absl::Status(Transaction&)> work,
                            const TransactionKind& kind) {
  switch (mode) {
    case AccessMode::kRead:
      return RunIn<ReadTransaction>(work, kind);
    case AccessMode::kAlone:
      return RunIn<pqxx::nontransaction>(work, kind);
    case AccessMode::kWrite:
      break;
  }
  return RunIn<WriteTransaction>(work, kind);
}

void Session::Set(const TransactionKind& kind) {
  if (kind == kind_) return;
  std::string settings = absl::StrCat("SET lock_timeout = ", Milliseconds(kind.lock),
                                      "; SET statement_timeout = ", Milliseconds(kind.statement));
  for (const char* other_than_by_index : {"enable_seqscan", "enable_bitmapscan", "enable_hashjoin",
                                          "enable_mergejoin", "enable_sort"}) {
    absl::StrAppend(&settings, "; SET ", other_than_by_index,
                    kind.by_key ? " = off" : " TO DEFAULT");
  }
  pqxx::nontransaction(connection_->get()).exec(settings);
  kind_ = kind;
}

template <typename DriverTransaction>
TransactionEnd Session::RunIn(absl::FunctionRef<absl::Status(Transaction&)> work,
                              const TransactionKind& kind) {
  const char* activity = "begin";
  TransactionEnd end;
  try {
    Set(kind);
    DriverTransaction driver(connection_->get());
    end.begun = true;
    activity = "transaction";
    std::optional<ReadLimit> limit;
    // CancelWatch watches direct connections.
    if (std::is_same_v<DriverTransaction, ReadTransaction>) limit.emplace(kind, IsDirect());
    SessionTransaction transaction(driver, incarnation_, kind.by_key, limit);
    end.status = work(transaction);
    if (const auto& error = transaction.error(); error.has_value()) {
      end.failure = error->failure;
      if (end.status.ok()) end.status = error->status;
    }
    if (!end.status.ok()) return end;
    activity = "commit";
    const bool writes = std::is_same_v<DriverTransaction, WriteTransaction>;
    if (writes && kind.statement != absl::InfiniteDuration()) driver.exec(kNoStatementLimit);
    driver.commit();
    return end;
  } catch (...) {
    DatabaseError error = CurrentDatabaseError(activity);
    return {std::move(error.status), error.failure, end.begun};
  }
}

}  // namespace priorityd::storage
