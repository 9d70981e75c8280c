#include "storage/migration.h"

#include <spdlog/spdlog.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr Migration kMigrations[] = {
#include "storage/migration_files.inc"
};

constexpr char kLock[] = "SELECT pg_advisory_xact_lock(7411, 1)";
constexpr char kPrepare[] =
    "CREATE SCHEMA IF NOT EXISTS priorityd; "
    "CREATE TABLE IF NOT EXISTS priorityd.schema_migration ("
    "version integer PRIMARY KEY, name text NOT NULL, "
    "applied_at timestamptz NOT NULL DEFAULT now())";
constexpr char kVersion[] = "SELECT coalesce(max(version), 0) FROM priorityd.schema_migration";
constexpr char kRecord[] = "INSERT INTO priorityd.schema_migration (version, name) VALUES ($1, $2)";

int32_t DecodeVersion(RowReader& row) {
  int32_t version = 0;
  row.Read(&version);
  return version;
}

// The schema's version, after making sure that its table is there.
absl::StatusOr<int32_t> PresentVersion(Transaction& transaction) {
  absl::Status prepared = transaction.Execute(kLock).status();
  if (prepared.ok()) prepared = transaction.ExecuteScript(kPrepare);
  if (!prepared.ok()) return prepared;
  return transaction.QueryOne(DecodeVersion, kVersion);
}

absl::Status Apply(Transaction& transaction, const Migration& migration) {
  spdlog::info("storage: applying migration {}", migration.name);
  absl::Status status = transaction.ExecuteScript(migration.sql);
  if (!status.ok()) return status;
  return transaction.Execute(kRecord, {migration.version, migration.name}).status();
}

}  // namespace

absl::Span<const Migration> AllMigrations() { return kMigrations; }

absl::Status Migrate(Database& database, absl::Span<const Migration> migrations) {
  return database.Write(kNoLimits, [&](Transaction& transaction) -> absl::Status {
    absl::StatusOr<int32_t> present = PresentVersion(transaction);
    if (!present.ok()) return present.status();
    int known = migrations.empty() ? 0 : migrations.back().version;
    if (*present > known) {
      return absl::FailedPreconditionError(absl::StrCat("database: got schema version ", *present,
                                                        ", want at most ", known,
                                                        ": it was made by a newer priorityd"));
    }
    for (const Migration& migration : migrations) {
      if (migration.version <= *present) continue;
      absl::Status status = Apply(transaction, migration);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
}

}  // namespace priorityd::storage
