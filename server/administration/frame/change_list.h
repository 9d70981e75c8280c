// The individual changes of a change of the configuration.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_FRAME_CHANGE_LIST_H_
#define PRIORITYD_SERVER_ADMINISTRATION_FRAME_CHANGE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/frame/reconciliation.h"
#include "storage/configuration/audit_store.h"
#include "storage/database/transaction.h"

namespace priorityd::administration {

// The attributes of an object: Slurm's word to value, without unset ones.
using Attributes = std::map<std::string, std::string>;

// The changed object, by the names that identify it; empty = not part of the key.
struct ObjectKey {
  std::string kind;  // association, user, qos, partition or job.
  std::string account;
  std::string user;
  std::string partition;
  std::string qos;
  std::string job;

  bool operator==(const ObjectKey&) const = default;
};

// `account chem`, `user ann account chem`, `user ann account chem partition main`, `user ann`, `qos
// high`, `partition main` or `job 812`.
std::string TextOf(const ObjectKey& key);

enum class ChangeKind { kCreated, kUpdated, kDeleted };

struct Change {
  ChangeKind kind;
  std::string object;  // Such as `account chem`.
  // `NAME=VALUE` joined by blanks; for an update only the differences, with `NAME=` for an unset
  // value. A value with blanks or quotes is in "..."; one of more than 4 KiB is truncated.
  std::string before;
  std::string after;
  // The cluster of the object, if it is not that of the list.
  int32_t cluster_id = 0;
  std::string cluster;

  bool operator==(const Change&) const = default;
};

// The changes in order.
class ChangeList {
 public:
  void Created(std::string object, const Attributes& after);
  void Deleted(std::string object, const Attributes& before);
  // Counts as unchanged if both are equal.
  void Updated(std::string object, const Attributes& before, const Attributes& after);
  // A change of another list.
  void Add(Change change);
  // All of the list of another cluster.
  void AddOf(int32_t cluster_id, const std::string& cluster, const ChangeList& list);
  // Objects that already are as requested.
  void Unchanged(int64_t things = 1) { counts_.unchanged += things; }
  // Notes an object whose settings a request changes, even if they are already as requested.
  void Meant(ObjectKey key) { meant_.push_back(std::move(key)); }
  // Adds a warning to the operator.
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  const std::vector<Change>& changes() const { return changes_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const Counts& counts() const { return counts_; }
  const std::vector<ObjectKey>& meant() const { return meant_; }

  // Writes an audit event for each of the first `most` changes, in order and by one statement:
  // `frame` with the change's description, in the audit of the object's cluster.
  absl::Status Audit(storage::Transaction& transaction, const storage::AuditEvent& frame,
                     size_t most = std::numeric_limits<size_t>::max()) const;

 private:
  std::vector<Change> changes_;
  std::vector<std::string> warnings_;
  std::vector<ObjectKey> meant_;
  Counts counts_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_FRAME_CHANGE_LIST_H_
