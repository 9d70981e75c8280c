// Lists the named objects of a cluster's configuration.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_LIST_NAMED_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_LIST_NAMED_H_

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "server/administration/changes/configuration_change.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Adds to `response` with `add` each row of a Store in request.names(), or all rows if that is
// empty, and sets the cluster and the etag of its configuration. NOT_FOUND (UNKNOWN_CLUSTER);
// errors of the database.
template <typename Store, typename Request, typename Response, typename Add>
absl::Status ListNamed(const AdministrationCall& call, const Request& request, Response* response,
                       const Add& add) {
  std::string etag;
  const auto rows = call.database.Read(
      [&](storage::Transaction& transaction) -> decltype(Store(transaction).List(0)) {
        auto found = administration::FindWithEtag(transaction, call.cluster);
        if (!found.ok()) return found.status();
        etag = std::move(found->etag);
        return Store(transaction).List(found->cluster.id);
      });
  if (!rows.ok()) return rows.status();
  response->set_cluster(call.cluster);
  response->set_etag(etag);
  const absl::flat_hash_set<std::string> wanted(request.names().begin(), request.names().end());
  for (const auto& row : *rows) {
    if (wanted.empty() || wanted.contains(row.name)) add(row);
  }
  return absl::OkStatus();
}

template <typename Proto>
void NameAndAttributesToProto(const std::string& name, administration::Attributes attributes,
                              Proto* proto) {
  proto->set_name(name);
  for (auto& [word, value] : attributes) (*proto->mutable_attributes())[word] = std::move(value);
}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_LIST_NAMED_H_
