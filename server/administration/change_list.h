// What a change of the configuration does, thing by thing.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_CHANGE_LIST_H_
#define PRIORITYD_SERVER_ADMINISTRATION_CHANGE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/administration/reconciliation.h"
#include "storage/audit_store.h"
#include "storage/transaction.h"

namespace priorityd::administration {

// What is set of a thing: Slurm's word to value, without what is unset.
using Attributes = std::map<std::string, std::string>;

enum class ChangeKind { kCreated, kUpdated, kDeleted };

struct Change {
  ChangeKind kind;
  std::string object;  // Such as `account chem`.
  // `NAME=VALUE` joined by blanks; of an update what differs, with `NAME=` where it is unset.
  // A value with blanks or quotes stands in "...", one of more than 4 KiB is cut.
  std::string before;
  std::string after;

  bool operator==(const Change&) const = default;
};

// The changes in the order in which they are made.
class ChangeList {
 public:
  void Created(std::string object, const Attributes& after);
  void Deleted(std::string object, const Attributes& before);
  // Counts as unchanged where both are the same.
  void Updated(std::string object, const Attributes& before, const Attributes& after);
  // Things meant that are as wanted already.
  void Unchanged(int64_t things = 1) { counts_.unchanged += things; }
  // What the operator should know.
  void Warn(std::string warning) { warnings_.push_back(std::move(warning)); }

  const std::vector<Change>& changes() const { return changes_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const Counts& counts() const { return counts_; }

  // Writes an audit row for each change, in their order and by one statement: `frame` with what is
  // told of the change. The first `most` of them.
  absl::Status Audit(storage::Transaction& transaction, const storage::AuditEvent& frame,
                     size_t most = std::numeric_limits<size_t>::max()) const;

 private:
  std::vector<Change> changes_;
  std::vector<std::string> warnings_;
  Counts counts_;
};

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_CHANGE_LIST_H_
