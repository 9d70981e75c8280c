#include "storage/schema/migration.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "storage/database/status.h"
#include "storage/schema/index_build.h"

namespace priorityd::storage {
namespace {

constexpr Migration kMigrations[] = {
#include "storage/schema/migration_files.inc"
};

constexpr char kLock[] = "SELECT pg_advisory_xact_lock(7411, 1)";
constexpr char kPrepare[] =
    "CREATE SCHEMA IF NOT EXISTS priorityd; SET search_path = priorityd; "
    "CREATE TABLE IF NOT EXISTS priorityd.schema_migration ("
    "version integer PRIMARY KEY, name text NOT NULL, "
    "applied_at timestamptz NOT NULL DEFAULT now()); "
    "ALTER TABLE priorityd.schema_migration ADD COLUMN IF NOT EXISTS compatible_from integer";
constexpr char kFind[] =
    "SELECT count(*) FROM pg_attribute WHERE attname = 'compatible_from' AND "
    "attrelid = to_regclass('priorityd.schema_migration')";
constexpr char kSchema[] =
    "SELECT coalesce(max(version), 0), "
    "coalesce(max(coalesce(compatible_from, version)) FILTER (WHERE version > $1), 0) "
    "FROM priorityd.schema_migration";
constexpr char kApplied[] = "SELECT version FROM priorityd.schema_migration";
constexpr char kIsApplied[] = "SELECT count(*) FROM priorityd.schema_migration WHERE version = $1";
constexpr char kRecord[] =
    "INSERT INTO priorityd.schema_migration (version, name, compatible_from) VALUES ($1, $2, $3)";

// As a program sees it that knows the migrations up to `known`.
struct Schema {
  int32_t version = 0;
  int32_t compatible_from = 0;  // Of what it does not know; 0 if it knows all.
};

Schema DecodeSchema(RowReader& row) {
  Schema schema;
  row.Read(&schema.version);
  row.Read(&schema.compatible_from);
  return schema;
}

// Version 0 also where the table of versions is none yet, or one of before compatible_from.
absl::StatusOr<Schema> ReadSchema(Database& database, int known) {
  return database.Read([&](Transaction& transaction) -> absl::StatusOr<Schema> {
    auto found = transaction.QueryOne(OnlyColumn<int64_t>, kFind);
    if (!found.ok()) return found.status();
    if (*found == 0) return Schema();
    return transaction.QueryOne(DecodeSchema, kSchema, {known});
  });
}

using Versions = absl::flat_hash_set<int32_t>;

// Empty where ReadSchema answers 0. Some may be missing in between: those that contract.
absl::StatusOr<Versions> ReadApplied(Database& database, const Schema& schema) {
  if (schema.version == 0) return Versions();
  auto versions = database.Read(
      [](Transaction& transaction) { return transaction.Query(OnlyColumn<int32_t>, kApplied); });
  if (!versions.ok()) return versions.status();
  return Versions(versions->begin(), versions->end());
}

bool HasLine(const Migration& migration, absl::string_view line) {
  const std::vector<absl::string_view> lines = absl::StrSplit(migration.sql, '\n');
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

// Applies it unless another program did meanwhile.
absl::Status Apply(Transaction& transaction, const Migration& migration) {
  absl::Status status = transaction.Execute(kLock).status();
  if (status.ok()) status = transaction.ExecuteScript(kPrepare);
  if (!status.ok()) return status;
  const auto applied = transaction.QueryOne(OnlyColumn<int64_t>, kIsApplied, {migration.version});
  if (!applied.ok()) return applied.status();
  if (*applied > 0) return absl::OkStatus();
  spdlog::info("storage: applying migration {}", migration.name);
  if (!RunsOutsideTransaction(migration)) status = transaction.ExecuteScript(migration.sql);
  if (!status.ok()) return status;
  return transaction
      .Execute(kRecord, {migration.version, migration.name, CompatibleFrom(migration)})
      .status();
}

absl::Status ApplyPatiently(Database& database, const Migration& migration,
                            const MigrationOptions& options) {
  if (RunsOutsideTransaction(migration)) {
    spdlog::info("storage: building the indexes of migration {}", migration.name);
    absl::Status built = BuildIndexes(database.options().url, migration.sql, options.patience);
    if (!built.ok()) return built;
  }
  const absl::Time deadline = absl::Now() + options.patience;
  for (;;) {
    absl::Status status =
        database.Write({.lock = options.lock_timeout},
                       [&](Transaction& transaction) { return Apply(transaction, migration); });
    if (!IsLockTimeout(status) || absl::Now() >= deadline) return status;
    spdlog::warn("storage: migration {} waits for a lock that another transaction holds",
                 migration.name);
    absl::SleepFor(options.pause);
  }
}

void LogContraction(const Migration& migration) {
  spdlog::info(
      "storage: migration {} waits for `priorityd --migrate_only --contract`: run it when no "
      "program from before migration {} will be started again",
      migration.name, CompatibleFrom(migration));
}

absl::Status CheckKnown(const Schema& schema, int known) {
  if (schema.compatible_from <= known) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("database: got schema version ", schema.version,
                   ", made by a newer priorityd for programs ", "that know version ",
                   schema.compatible_from, "; this one knows ", known, ": start the newer one"));
}

}  // namespace

absl::Span<const Migration> AllMigrations() { return kMigrations; }

int CompatibleFrom(const Migration& migration) {
  for (absl::string_view line : absl::StrSplit(migration.sql, '\n')) {
    int version = 0;
    if (absl::ConsumePrefix(&line, "-- compatible-from:") && absl::SimpleAtoi(line, &version)) {
      return version;
    }
  }
  return migration.version;
}

bool Contracts(const Migration& migration) { return HasLine(migration, "-- contracts"); }

bool RunsOutsideTransaction(const Migration& migration) {
  return HasLine(migration, "-- outside-transaction");
}

absl::StatusOr<bool> NeedsMigration(Database& database, absl::Span<const Migration> migrations,
                                    const MigrationOptions& options) {
  const int known = migrations.empty() ? 0 : migrations.back().version;
  absl::StatusOr<Schema> schema = ReadSchema(database, known);
  if (!schema.ok()) return schema.status();
  const absl::StatusOr<Versions> applied = ReadApplied(database, *schema);
  if (!applied.ok()) return applied.status();
  return !applied->empty() &&
         std::any_of(migrations.begin(), migrations.end(), [&](const Migration& migration) {
           return !applied->contains(migration.version) &&
                  (options.contract || !Contracts(migration));
         });
}

absl::Status Migrate(Database& database, absl::Span<const Migration> migrations,
                     const MigrationOptions& options) {
  const int known = migrations.empty() ? 0 : migrations.back().version;
  absl::StatusOr<Schema> schema = ReadSchema(database, known);
  if (!schema.ok()) return schema.status();
  const absl::StatusOr<Versions> applied = ReadApplied(database, *schema);
  if (!applied.ok()) return applied.status();
  for (const Migration& migration : migrations) {
    if (applied->contains(migration.version)) continue;
    if (Contracts(migration) && !options.contract && !applied->empty()) {
      LogContraction(migration);
      continue;
    }
    absl::Status status = ApplyPatiently(database, migration, options);
    if (!status.ok()) return status;
  }
  schema = ReadSchema(database, known);
  if (!schema.ok()) return schema.status();
  return CheckKnown(*schema, known);
}

}  // namespace priorityd::storage
