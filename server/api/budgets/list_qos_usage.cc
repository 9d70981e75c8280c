#include "server/api/budgets/list_qos_usage.h"

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "server/api/budgets/convert_budget.h"
#include "server/api/shared/convert_ranking.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {

void ListQosUsage(const priority::Snapshot& snapshot, const budgets::RunningUsage& running,
                  const authorization::Visibility& sees,
                  const ::priority::v1::ListQosUsageRequest& request,
                  ::priority::v1::ListQosUsageResponse* response) {
  const absl::flat_hash_set<std::string> wanted(request.qos().begin(), request.qos().end());
  const std::vector<bool> shown = ShownQos(sees, snapshot);
  std::map<std::string, int> by_name;
  for (size_t qos = 0; qos < shown.size(); ++qos) {
    const std::string& name = snapshot.qos()[qos].name;
    if (shown[qos] && (wanted.empty() || wanted.contains(name))) {
      by_name.emplace(name, static_cast<int>(qos));
    }
  }
  for (const auto& [name, qos] : by_name) {
    ToProto(snapshot, qos, running.OfQos(snapshot, qos), response->add_qos());
  }
  for (const std::string& tres : TresNames(snapshot)) response->add_tres(tres);
  ToProto(snapshot, response->mutable_snapshot());
}

}  // namespace priorityd::rpc
