#include "server/rpc/administer_qos.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/administration/qos_change.h"
#include "server/administration/qos_settings.h"
#include "server/configuration/find_cluster.h"
#include "server/rpc/check_names.h"
#include "server/rpc/convert_change.h"
#include "server/rpc/validate_administration.h"
#include "storage/qos_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

absl::Status PageToProto(const std::vector<storage::Qos>& all, const v1::ListQosRequest& request,
                         v1::ListQosResponse* response) {
  const absl::flat_hash_set<std::string> wanted(request.names().begin(), request.names().end());
  for (const storage::Qos& qos : all) {
    if (!wanted.empty() && !wanted.contains(qos.name)) continue;
    v1::Qos* proto = response->add_qos();
    proto->set_id(qos.id);
    proto->set_name(qos.name);
    for (auto& [word, value] : administration::AttributesOf(qos)) {
      (*proto->mutable_attributes())[word] = value;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ListQos(const AdministrationCall& call, const v1::ListQosRequest& request,
                     v1::ListQosResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  response->set_cluster(call.cluster);
  return call.database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto cluster = configuration::FindCluster(transaction, call.cluster);
    if (!cluster.ok()) return cluster.status();
    auto etag = administration::ReadEtag(transaction, cluster->id);
    if (!etag.ok()) return etag.status();
    response->set_etag(*etag);
    auto all = storage::QosStore(transaction).List(cluster->id);
    return all.ok() ? PageToProto(*all, request, response) : all.status();
  });
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
  auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kDecayRules,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UpdateQos(transaction, cluster, ToNames(request.names()),
                                         ToSettings(request.settings()), call.now, list);
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
