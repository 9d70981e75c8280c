#include "storage/audit_store.h"

#include "storage/parameter.h"

namespace priorityd::storage {
namespace {

constexpr char kAppend[] =
    "INSERT INTO priorityd.audit_event (cluster_id, principal, action, object, before, after) "
    "SELECT cluster_id, principal, action, object, before, after "
    "FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) "
    "WITH ORDINALITY AS given (cluster_id, principal, action, object, before, after, place) "
    "ORDER BY place";
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

absl::Status AuditStore::Append(absl::Span<const AuditEvent> events) {
  if (events.empty()) return absl::OkStatus();
  const auto column = [&](auto AuditEvent::*field) {
    return Column(events, [field](const AuditEvent& event) { return event.*field; });
  };
  return transaction_
      .Execute(kAppend, {column(&AuditEvent::cluster_id), column(&AuditEvent::principal),
                         column(&AuditEvent::action), column(&AuditEvent::object),
                         column(&AuditEvent::before), column(&AuditEvent::after)})
      .status();
}

absl::StatusOr<std::vector<AuditEvent>> AuditStore::List(int32_t cluster_id, int64_t before,
                                                         int64_t limit) {
  return transaction_.Query(Decode, kList, {cluster_id, before, limit});
}

}  // namespace priorityd::storage
