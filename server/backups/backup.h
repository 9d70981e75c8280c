// A backup, and how it is written down beside its dump.
#ifndef PRIORITYD_SERVER_BACKUPS_BACKUP_H_
#define PRIORITYD_SERVER_BACKUPS_BACKUP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "storage/schema/content_digest.h"

namespace priorityd::backups {

// The reasons for a backup.
inline constexpr char kManual[] = "manual";
inline constexpr char kBeforeImport[] = "import";
inline constexpr char kBeforeMigration[] = "migration";
inline constexpr char kBeforeUpgrade[] = "upgrade";

struct Backup {
  std::string name;  // priorityd-YYYYMMDDTHHMMSSZ-REASON
  absl::Time begun_at;
  int64_t bytes = 0;   // Of the dump.
  std::string sha256;  // Of the dump, 64 hexadecimal digits; empty in manifests before 0.4.
  std::string reason;
  int32_t schema_version = 0;
  std::optional<absl::Time> verified_at;  // Of the last restore that had the same content.
  storage::TableDigests tables;           // At the moment of the dump.
  std::string fault;                      // Of a damaged one; see Damaged. Empty = none.
  bool operator==(const Backup&) const = default;
};

// The name of a backup that begins now, to the second.
std::string NameOf(absl::Time begun_at, absl::string_view reason);

// Whether NameOf can have made it: no other text becomes part of a path.
bool IsBackupName(absl::string_view name);

// A backup whose manifest cannot be read: `fault` says why. Its name says when and why it was made,
// nothing else is known of it.
Backup Damaged(const std::string& name, absl::string_view fault);

// A line per value: `reason manual`, `table job 12 8812`.
std::string ToText(const Backup& backup);

// DATA_LOSS, naming the line, for a text that ToText did not make.
absl::StatusOr<Backup> FromText(const std::string& name, absl::string_view text);

}  // namespace priorityd::backups

#endif  // PRIORITYD_SERVER_BACKUPS_BACKUP_H_
