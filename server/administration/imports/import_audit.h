// The audit events of an import, one per changed object, up to a maximum.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_AUDIT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_AUDIT_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/administration/frame/change_list.h"
#include "storage/configuration/audit_store.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/cluster_user_store.h"
#include "storage/configuration/partition_store.h"
#include "storage/configuration/qos_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// An import may change a million objects. Changed and deleted objects and granted rights matter
// most later: these get events first, new objects in the remaining room.
class ImportAudit {
 public:
  // Maximum number of events.
  static constexpr size_t kMostEvents = 1000;

  using Describe = absl::FunctionRef<void(ChangeList* list)>;

  // An object was changed or deleted, or a user was granted rights: `describe` adds the change to a
  // list, unless there are kMostEvents already.
  void Changed(Describe describe) { Add(describe, &changed_, &changed_count_); }
  // The same for a new object.
  void Created(Describe describe) { Add(describe, &created_, &created_count_); }

  // All changes of `list`.
  void Include(const ChangeList& list);

  // The number of changes without an event.
  int64_t omitted() const;

  // Writes the audit events: `frame` with the object, before and after.
  absl::Status Append(storage::Transaction& transaction, const storage::AuditEvent& frame) const;

 private:
  static void Add(Describe describe, ChangeList* list, int64_t* count);
  // The number of events for new objects.
  size_t CreatedEvents() const;

  ChangeList changed_;
  ChangeList created_;
  int64_t changed_count_ = 0;
  int64_t created_count_ = 0;
};

// Records the change from `before` (null = new) to `after` (null = deleted).
void RecordChange(const storage::Qos* before, const storage::Qos* after, ImportAudit* audit);
void RecordChange(const storage::Partition* before, const storage::Partition* after,
                  ImportAudit* audit);
void RecordChange(const storage::ClusterUser* before, const storage::ClusterUser* after,
                  ImportAudit* audit);
void RecordChange(const storage::Cluster& before, const storage::Cluster& after,
                  ImportAudit* audit);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_IMPORT_AUDIT_H_
