// The content of a database, as numbers that two databases with the same content share.
#ifndef STORAGE_SCHEMA_CONTENT_DIGEST_H_
#define STORAGE_SCHEMA_CONTENT_DIGEST_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/database/transaction.h"

namespace priorityd::storage {

// Of each table of priorityd: its rows and a sum over hashes of their texts, such as "12 8812".
using TableDigests = std::map<std::string, std::string>;

// REQUIRES: all in one Database::Read.
class ContentDigest {
 public:
  explicit ContentDigest(Transaction& transaction) : transaction_(transaction) {}

  // The name by which pg_dump --snapshot sees what this transaction sees, until its end.
  absl::StatusOr<std::string> ExportSnapshot();

  // Reads every row of every table, in the texts of any database: time zone, formats of dates,
  // numbers and bytes are set for the transaction.
  absl::StatusOr<TableDigests> Tables();

  // The version of the schema.
  absl::StatusOr<int32_t> SchemaVersion();

  // The server does not end the transaction as idle.
  absl::Status KeepAlive();

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_SCHEMA_CONTENT_DIGEST_H_
