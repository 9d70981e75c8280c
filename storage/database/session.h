// One connection to PostgreSQL, through libpqxx.
#ifndef STORAGE_DATABASE_SESSION_H_
#define STORAGE_DATABASE_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/status.h"
#include "storage/database/transaction.h"
#include "storage/database/transaction_kind.h"

namespace priorityd::storage {

class Connection;

enum class AccessMode {
  kRead,   // READ ONLY, REPEATABLE READ
  kWrite,  // READ COMMITTED
  kAlone,  // The same without BEGIN and COMMIT: a statement is committed as it ends
};

// The outcome of a transaction.
struct TransactionEnd {
  absl::Status status;
  // The failure, if it is of the database or of the connection to it.
  std::optional<Failure> failure;
  bool begun = false;  // Whether the work was run.
};

// Never reconnects: a new session would lack settings without the caller's knowledge. Unusable
// after Failure::kConnection. Not thread-safe.
class Session {
 public:
  // Connects and sets what every statement of the stores expects.
  static absl::StatusOr<std::unique_ptr<Session>> Open(const std::string& connection_string);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The identity of the database; see Connection.
  const std::string& identity() const;
  // False behind a pooler.
  bool IsDirect() const;

  // See Connection.
  int socket() const;
  const std::string& server() const;

  // See Connection.
  std::function<void()> Canceler() const;

  // The value of Transaction::incarnation.
  int64_t incarnation() const { return incarnation_; }
  void set_incarnation(int64_t incarnation) { incarnation_ = incarnation; }

  // Runs `work` in a transaction and commits it if it returns OK and no statement
  // failed, else rolls back. A read fails at its first statement after its ReadContext has ended.
  TransactionEnd Run(AccessMode mode, absl::FunctionRef<absl::Status(Transaction&)> work,
                     const TransactionKind& kind = kUsual);

  // The kind of the last transaction: another one of that kind costs no additional statement.
  const TransactionKind& kind() const { return kind_; }

 private:
  explicit Session(std::unique_ptr<Connection> connection);
  template <typename DriverTransaction>
  TransactionEnd RunIn(absl::FunctionRef<absl::Status(Transaction&)> work,
                       const TransactionKind& kind);
  void Set(const TransactionKind& kind);

  const std::unique_ptr<Connection> connection_;
  TransactionKind kind_ = kNoLimits;
  int64_t incarnation_ = 0;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_SESSION_H_
