// UndoImport.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_UNDO_IMPORT_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_UNDO_IMPORT_H_

#include "absl/status/status.h"
#include "priority/v1/recovery.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// INVALID_ARGUMENT with the violations; errors of administration::UndoImport.
absl::Status UndoImport(const AdministrationCall& call,
                        const ::priority::v1::UndoImportRequest& request,
                        ::priority::v1::UndoImportResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_UNDO_IMPORT_H_
