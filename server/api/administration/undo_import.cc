#include "server/api/administration/undo_import.h"

#include "server/administration/imports/import_undo.h"
#include "server/api/administration/validate_cluster.h"
#include "server/messages/convert_time.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

absl::Status UndoImport(const AdministrationCall& call, const v1::UndoImportRequest& request,
                        v1::UndoImportResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto undone = administration::UndoImport(
      call.database, call.cluster, request.import_id(), request.comment(),
      {call.caller.ToString(), call.now, request.validate_only()});
  if (!undone.ok()) return undone.status();
  response->set_cluster(call.cluster);
  response->set_import_id(undone->import_id);
  response->set_associations(undone->counts.associations);
  response->set_users(undone->counts.users);
  response->set_qos(undone->counts.qos);
  response->set_partitions(undone->counts.partitions);
  response->set_opening_usage(undone->counts.opening_usage);
  response->set_grants(undone->counts.grants);
  response->set_grant_transfers(undone->counts.grant_transfers);
  response->set_leases(undone->counts.leases);
  response->set_user_merges(undone->counts.user_merges);
  response->set_user_aliases(undone->counts.user_aliases);
  response->set_policy_version(undone->policy_version);
  if (request.validate_only()) return absl::OkStatus();
  // The change is committed: without a schedule, the next turn of the loop finds it.
  const auto when =
      call.loop.ScheduleCluster(call.cluster, recalculation::RecalculationLoop::Pace::kPeriodic);
  if (when.ok() && when->has_value()) ToProto(**when, response->mutable_takes_effect_at());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
