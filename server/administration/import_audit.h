// What an import changes, thing by thing, as its audit tells it: so much and no more.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORT_AUDIT_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORT_AUDIT_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/administration/change_list.h"
#include "storage/audit_store.h"
#include "storage/cluster_store.h"
#include "storage/cluster_user_store.h"
#include "storage/partition_store.h"
#include "storage/qos_store.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// An import may change a million things, and who asks later wants to know of those that were there
// before and are others now, or gone, and of whoever was given rights: these are told first, and
// what is new in the room that they leave.
class ImportAudit {
 public:
  // The things that are told one by one at most.
  static constexpr size_t kMostTold = 1000;

  using Tell = absl::FunctionRef<void(ChangeList* list)>;

  // Something was there and is another one now or gone, or somebody was given rights: `tell` adds
  // it to a list, unless there are kMostTold already.
  void Changed(Tell tell) { Add(tell, &changed_, &changed_count_); }
  // The same of what is new.
  void Created(Tell tell) { Add(tell, &created_, &created_count_); }

  // How many things are not told one by one.
  int64_t untold() const;

  // Writes an audit row for each thing that is told: `frame` with the object, before and after.
  absl::Status Append(storage::Transaction& transaction, const storage::AuditEvent& frame) const;

 private:
  static void Add(Tell tell, ChangeList* list, int64_t* count);
  // Of the new things.
  size_t CreatedTold() const;

  ChangeList changed_;
  ChangeList created_;
  int64_t changed_count_ = 0;
  int64_t created_count_ = 0;
};

// Tells of a row as it was, null = it was not there, and as it is, null = it is gone.
void Tell(const storage::Qos* before, const storage::Qos* after, ImportAudit* audit);
void Tell(const storage::Partition* before, const storage::Partition* after, ImportAudit* audit);
void Tell(const storage::ClusterUser* before, const storage::ClusterUser* after,
          ImportAudit* audit);
void Tell(const storage::Cluster& before, const storage::Cluster& after, ImportAudit* audit);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORT_AUDIT_H_
