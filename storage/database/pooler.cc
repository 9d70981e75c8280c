#include "storage/database/pooler.h"

#include "storage/database/connection_string.h"
#include "storage/database/session.h"

namespace priorityd::storage {
namespace {

// Between two of a session's transactions another client may have taken its connection and
// given it back, so that nothing was to be seen.
constexpr int kAttempts = 5;

absl::StatusOr<int32_t> PidIn(Transaction& transaction) {
  return transaction.QueryOne(OnlyColumn<int32_t>, "SELECT pg_backend_pid()");
}

absl::StatusOr<int32_t> PidOf(Session& session) {
  absl::StatusOr<int32_t> pid = absl::UnknownError("not run");
  const TransactionEnd end = session.Run(AccessMode::kRead, [&](Transaction& transaction) {
    pid = PidIn(transaction);
    return pid.status();
  });
  return end.status.ok() ? pid : absl::StatusOr<int32_t>(end.status);
}

// Whether two sessions get the same connection when one has a transaction while the other
// has none, or a session's connection changes meanwhile.
absl::StatusOr<bool> AreShared(Session& first, Session& second) {
  const absl::StatusOr<int32_t> before = PidOf(first);
  if (!before.ok()) return before.status();
  bool shared = false;
  const TransactionEnd end = second.Run(AccessMode::kRead, [&](Transaction& transaction) {
    const absl::StatusOr<int32_t> pid = PidIn(transaction);
    if (!pid.ok()) return pid.status();
    shared = *pid == *before;
    if (shared) return absl::OkStatus();
    const absl::StatusOr<int32_t> after = PidOf(first);
    shared = after.ok() && *after != *before;
    return after.status();
  });
  if (!end.status.ok()) return end.status;
  return shared;
}

}  // namespace

absl::Status CheckPooler(const Database& database) {
  const DatabaseOptions& options = database.options();
  const auto words = CompleteConnectionString(options.url, options.application_name);
  if (!words.ok()) return words.status();
  auto first = Session::Open(*words);
  if (!first.ok()) return first.status();
  if ((*first)->IsDirect()) return absl::OkStatus();
  auto second = Session::Open(*words);
  if (!second.ok()) return second.status();
  for (int i = 0; i < kAttempts; ++i) {
    const absl::StatusOr<bool> shared = AreShared(**first, **second);
    if (!shared.ok()) return shared.status();
    if (*shared) {
      return absl::FailedPreconditionError(
          "database_url: got a pooler that shares connections out by transaction, want one in "
          "session mode (pgbouncer: pool_mode = session), or PostgreSQL itself");
    }
  }
  return absl::OkStatus();
}

}  // namespace priorityd::storage
