#include "server/api/grants/administer_grants.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/priority/limits/grant_owners.h"
#include "engine/priority/site/microseconds.h"
#include "server/administration/grants/grant_change.h"
#include "server/api/grants/convert_grant.h"
#include "server/api/grants/grant_effects.h"
#include "server/api/grants/validate_grants.h"
#include "server/api/shared/convert_change.h"
#include "server/grants/supposed_standings.h"
#include "storage/ledger/domain_store.h"

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
      .comment = options.comment(),
      .rights = RightsOf(call.caller),
      .share = FrameOf(call, options).share.value_or(storage::LeaseAuthors())};
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

// Of a usage domain: that grants of operators which are used up hold in its members.
absl::Status WarnOfMembers(storage::Transaction& transaction, int32_t cluster_id,
                           const GrantAuthor& author,
                           const std::vector<priority::GrantStanding>& standings,
                           ChangeList* list) {
  const auto has_effect = [](const priority::GrantStanding& standing) {
    return standing.consequence != priority::GrantConsequence::kNone &&
           priority::IsUsedUp(standing);
  };
  if (!author.rights.is_operator || absl::c_none_of(standings, has_effect)) {
    return absl::OkStatus();
  }
  const auto members = storage::DomainStore(transaction).MembersOf(cluster_id);
  if (!members.ok() || members->empty()) return members.status();
  list->Warn(absl::StrCat("Consequence: it is also for the jobs of the ", members->size(),
                          " members of the domain, which are not counted here"));
  return absl::OkStatus();
}

// The immediate effects of the changed grants.
absl::Status WarnOfEffects(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const GrantAuthor& author, const std::vector<std::string>& names,
                           const queue::QueueState& queue, ChangeList* list) {
  const grants::SettlementInput input{cluster.id, queue.snapshot().tree(), author.zone, author.now};
  auto supposed = grants::SupposeStandings(transaction, input, names);
  if (!supposed.ok()) return supposed.status();
  if (!supposed->is_known) {
    list->Warn(
        "Begin: what was used since then is not known before the next recalculation, nor whether "
        "the grant is used up at once");
  }
  for (const std::string& text : EffectTexts(queue, supposed->standings)) {
    list->Warn(absl::StrCat("Consequence: ", text));
  }
  return WarnOfMembers(transaction, cluster.id, author, supposed->standings, list);
}

std::vector<std::string> NamesOf(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return {names.begin(), names.end()};
}

}  // namespace

absl::Status UpdateGrants(const AdministrationCall& call, const v1::UpdateGrantsRequest& request,
                          v1::ChangeResponse* response) {
  // Before the transaction, as it may need one of its own.
  const std::shared_ptr<const queue::QueueState> queue = call.queue();
  const auto update = [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                          const GrantAuthor& author, ChangeList* list) {
    const std::vector<std::string> names = NamesOf(request.names());
    absl::Status status =
        administration::UpdateGrants(transaction, cluster, names, ToSettings(request.settings()),
                                     request.allow_missing(), author, list);
    if (!status.ok() || queue == nullptr) return status;
    return WarnOfEffects(transaction, cluster, author, names, *queue, list);
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
    return administration::TransferGrant(
        transaction, cluster, request.from(), request.to(),
        AmountOf(request.amount_minutes(), request.amount_tres_seconds()), author, list);
  };
  return Change(call, request, transfer, response);
}

}  // namespace priorityd::rpc
