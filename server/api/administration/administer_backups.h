// CreateBackup, VerifyBackup and ListBackups.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_BACKUPS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_BACKUPS_H_

#include "absl/status/status.h"
#include "priority/v1/recovery.pb.h"
#include "server/backups/backups.h"

namespace priorityd::rpc {

// `backups`: null = the database is not an embedded one: FAILED_PRECONDITION
// (NO_EMBEDDED_DATABASE). Else errors of backups::Backups.
absl::Status CreateBackup(backups::Backups* backups,
                          const ::priority::v1::CreateBackupRequest& request,
                          ::priority::v1::Backup* response);
absl::Status VerifyBackup(backups::Backups* backups,
                          const ::priority::v1::VerifyBackupRequest& request,
                          ::priority::v1::Backup* response);
absl::Status ListBackups(backups::Backups* backups,
                         const ::priority::v1::ListBackupsRequest& request,
                         ::priority::v1::ListBackupsResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_BACKUPS_H_
