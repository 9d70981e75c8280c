// Brings a database's schema `priorityd` up to what this program knows.
#ifndef STORAGE_MIGRATION_H_
#define STORAGE_MIGRATION_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "storage/database.h"

namespace priorityd::storage {

// One file of migrations/, as compiled into the program.
struct Migration {
  int version = 0;  // the file name's number: 1, 2, ... without gaps
  const char* name = "";
  const char* sql = "";
};

absl::Span<const Migration> AllMigrations();

// Applies what is missing, all in one transaction, under an advisory lock:
// several programs may do it at once. Running it again changes nothing.
// FAILED_PRECONDITION if the database has a version this program does not
// know: it was made by a newer one.
absl::Status Migrate(Database& database, absl::Span<const Migration> migrations = AllMigrations());

}  // namespace priorityd::storage

#endif  // STORAGE_MIGRATION_H_
