#include "server/api/administration/administer_backups.h"

#include "engine/errors/error_details.h"
#include "server/api/administration/validate_cluster.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Status NotEmbeddedError() {
  return errors::WithReason(
      absl::FailedPreconditionError("backups: got --database_url, want --data_dir: back up a "
                                    "PostgreSQL of your own by its own "
                                    "tools (docs/backup.md)"),
      "NO_EMBEDDED_DATABASE");
}

void Fill(const backups::Backup& backup, v1::Backup* proto) {
  proto->set_name(backup.name);
  ToProto(backup.begun_at, proto->mutable_begun_at());
  proto->set_bytes(backup.bytes);
  proto->set_reason(backup.reason);
  proto->set_schema_version(backup.schema_version);
  proto->set_fault(backup.fault);
  if (backup.verified_at.has_value()) {
    ToProto(*backup.verified_at, proto->mutable_verified_at());
  }
}

}  // namespace

absl::Status CreateBackup(backups::Backups* backups, const v1::CreateBackupRequest& request,
                          v1::Backup* response) {
  if (backups == nullptr) return NotEmbeddedError();
  auto backup = backups->Create(backups::kManual);
  if (backup.ok() && request.verify()) backup = backups->Verify(backup->name);
  if (!backup.ok()) return backup.status();
  Fill(*backup, response);
  return absl::OkStatus();
}

absl::Status VerifyBackup(backups::Backups* backups, const v1::VerifyBackupRequest& request,
                          v1::Backup* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  if (backups == nullptr) return NotEmbeddedError();
  const auto backup = backups->Verify(request.name());
  if (!backup.ok()) return backup.status();
  Fill(*backup, response);
  return absl::OkStatus();
}

absl::Status ListBackups(backups::Backups* backups, const v1::ListBackupsRequest&,
                         v1::ListBackupsResponse* response) {
  if (backups == nullptr) return NotEmbeddedError();
  const auto list = backups->List();
  if (!list.ok()) return list.status();
  response->set_folder(backups->folder());
  for (const backups::Backup& backup : *list) Fill(backup, response->add_backups());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
