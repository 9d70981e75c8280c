#include "server/api/grants/administer_grants.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/priority/site/microseconds.h"
#include "server/administration/grant_change.h"
#include "server/api/grants/validate_grants.h"
#include "server/api/shared/convert_change.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::GrantAuthor;
using administration::Reach;

// By the clock and in the zone of the newest snapshot's policy. The errors of the registry: the
// cluster has none yet.
absl::StatusOr<GrantAuthor> AuthorOf(const AdministrationCall& call,
                                     const v1::ChangeOptions& options) {
  const auto snapshot = call.registry.Find(call.cluster);
  if (!snapshot.ok()) return snapshot.status();
  const priority::Policy& policy = (*snapshot)->policy();
  const bool is_manual = policy.clock == priority::ClockMode::kManual;
  return GrantAuthor{
      .now = is_manual ? (*snapshot)->computed_at() : priority::CutToMicroseconds(call.now),
      .zone = policy.time_zone,
      .qos_counts = policy.weight_qos > 0,
      .principal = call.caller.ToString(),
      .comment = options.comment()};
}

template <typename Request, typename Work>
absl::Status Change(const AdministrationCall& call, const Request& request, Work work,
                    v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto author = AuthorOf(call, request.options());
  if (!author.ok()) return author.status();
  auto result =
      MakeChange(call.database, FrameOf(call, request.options()), Reach::kTree,
                 [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                     ChangeList* list) { return work(transaction, cluster, *author, list); });
  return Answer(call, request.options(), result, response);
}

std::vector<std::string> NamesOf(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

absl::Status UpdateGrants(const AdministrationCall& call, const v1::UpdateGrantsRequest& request,
                          v1::ChangeResponse* response) {
  const auto update = [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                          const GrantAuthor& author, ChangeList* list) {
    return administration::UpdateGrants(transaction, cluster, NamesOf(request.names()),
                                        ToSettings(request.settings()), request.allow_missing(),
                                        author, list);
  };
  return Change(call, request, update, response);
}

absl::Status RevokeGrants(const AdministrationCall& call, const v1::RevokeGrantsRequest& request,
                          v1::ChangeResponse* response) {
  const auto revoke = [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                          const GrantAuthor& author, ChangeList* list) {
    return administration::RevokeGrants(transaction, cluster, NamesOf(request.names()), author,
                                        list);
  };
  return Change(call, request, revoke, response);
}

absl::Status TransferGrant(const AdministrationCall& call, const v1::TransferGrantRequest& request,
                           v1::ChangeResponse* response) {
  const auto transfer = [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                            const GrantAuthor& author, ChangeList* list) {
    return administration::TransferGrant(transaction, cluster, request.from(), request.to(),
                                         request.amount_minutes(), author, list);
  };
  return Change(call, request, transfer, response);
}

}  // namespace priorityd::rpc
