#include "server/api/administration/administer_qos.h"

#include "server/administration/changes/qos_change.h"
#include "server/administration/settings/qos_settings.h"
#include "server/api/administration/administer_leases.h"
#include "server/api/administration/check_names.h"
#include "server/api/administration/list_named.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/shared/convert_change.h"
#include "storage/configuration/qos_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

}  // namespace

absl::Status ListQos(const AdministrationCall& call, const v1::ListQosRequest& request,
                     v1::ListQosResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  absl::Status listed =
      ListNamed<storage::QosStore>(call, request, response, [&](const storage::Qos& qos) {
        v1::Qos* proto = response->add_qos();
        proto->set_id(qos.id);
        NameAndAttributesToProto(qos.name, administration::AttributesOf(qos), proto);
      });
  return listed.ok() ? AddLeased(call, "qos", response->mutable_qos()) : listed;
}

absl::Status CreateQos(const AdministrationCall& call, const v1::CreateQosRequest& request,
                       v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kDecayRules,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::CreateQos(transaction, cluster, ToNames(request.names()),
                                         ToSettings(request.settings()), list);
      });
  return Answer(call, request.options(), result, response);
}

absl::Status UpdateQos(const AdministrationCall& call, const v1::UpdateQosRequest& request,
                       v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto change = LeaseOf(call, request.options(), "qos", request.settings());
  if (!change.ok()) return change.status();
  auto result = MakeChange(
      call.database, change->frame, Reach::kDecayRules,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UpdateQos(transaction, cluster, ToNames(request.names()),
                                         change->settings, call.now, list);
      });
  return Answer(call, request.options(), result, response);
}

absl::Status DeleteQos(const AdministrationCall& call, const v1::DeleteQosRequest& request,
                       v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kDecayRules,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::DeleteQos(transaction, cluster, ToNames(request.names()), call.now,
                                         list);
      });
  return Answer(call, request.options(), result, response);
}

}  // namespace priorityd::rpc
