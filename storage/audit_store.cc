#include "storage/audit_store.h"

namespace priorityd::storage {
namespace {

constexpr char kAppend[] =
    "INSERT INTO priorityd.audit_event (cluster_id, principal, action, object, before, after) "
    "VALUES ($1, $2, $3, $4, $5, $6)";
constexpr char kList[] =
    "SELECT id, cluster_id, at, principal, action, object, before, after "
    "FROM priorityd.audit_event WHERE cluster_id = $1 AND ($2 = 0 OR id < $2::bigint) "
    "ORDER BY id DESC LIMIT $3::bigint";

AuditEvent Decode(RowReader& row) {
  AuditEvent event;
  row.Read(&event.id, &event.cluster_id, &event.at, &event.principal, &event.action, &event.object,
           &event.before, &event.after);
  return event;
}

}  // namespace

absl::Status AuditStore::Append(const AuditEvent& event) {
  return transaction_
      .Execute(kAppend, {event.cluster_id, event.principal, event.action, event.object,
                         event.before, event.after})
      .status();
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::List(int32_t cluster_id, int64_t before,
                                                         int64_t limit) {
  return transaction_.Query(Decode, kList, {cluster_id, before, limit});
}

}  // namespace priorityd::storage
