#include "server/api/domains/administer_domains.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/priority/site/tres.h"
#include "server/administration/changes/domain_change.h"
#include "server/api/domains/validate_domains.h"
#include "server/api/shared/convert_change.h"
#include "server/messages/convert_time.h"
#include "server/status/domain_standstill.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

constexpr int64_t kMissingShown = 10;

struct ListedMember {
  storage::DomainMember member;
  storage::DomainStore::Missing missing;
};

using MaySee = absl::FunctionRef<bool(const storage::DomainMember&)>;

absl::StatusOr<std::vector<ListedMember>> ReadListed(storage::Database& database, MaySee may_see) {
  using Listed = std::vector<ListedMember>;
  return database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<Listed> {
    storage::DomainStore store(transaction);
    auto members = store.List();
    if (!members.ok()) return members.status();
    Listed listed;
    for (storage::DomainMember& member : *members) {
      if (!may_see(member)) continue;
      auto missing = store.MissingOf(member.cluster_id, member.domain_id, kMissingShown);
      if (!missing.ok()) return missing.status();
      listed.push_back({std::move(member), *std::move(missing)});
    }
    return listed;
  });
}

void SetTime(absl::Time time, google::protobuf::Timestamp* proto) { ToProto(time, proto); }

void ToProto(const ListedMember& listed, v1::DomainMember* proto) {
  const storage::DomainMember& member = listed.member;
  proto->set_domain(member.domain);
  proto->set_cluster(member.cluster);
  for (const storage::NamedAmount& price : member.prices) {
    (*proto->mutable_prices())[price.name] = price.amount;
  }
  SetTime(member.joined_at, proto->mutable_joined_at());
  if (member.counts_from > absl::InfinitePast()) {
    SetTime(member.counts_from, proto->mutable_counts_from());
  }
  if (member.settled_at > absl::InfinitePast()) {
    SetTime(member.settled_at, proto->mutable_settled_at());
  }
  if (member.newest_end > absl::InfinitePast()) {
    SetTime(member.newest_end, proto->mutable_newest_end_time());
  }
  proto->set_counted_records(member.counted);
  proto->set_refused_records(member.refused);
  proto->set_refused_why(member.refused_why);
  proto->set_missing_associations(listed.missing.count);
  for (const std::string& name : listed.missing.first) proto->add_missing(name);
}

bool IsManual(const recalculation::SnapshotRegistry& registry, const std::string& cluster,
              absl::Time now) {
  const auto snapshot = registry.Find(cluster);
  return snapshot.ok() && status::PaceOf(**snapshot, now).is_manual;
}

// By the snapshots of this replica.
void AddStandstill(const recalculation::SnapshotRegistry& registry, absl::Time now,
                   v1::DomainMember* member) {
  const auto domain = registry.Find(member->domain());
  if (!domain.ok()) return;
  const status::ClusterPace pace = status::PaceOf(**domain, now);
  switch (StandstillOf(pace, IsManual(registry, member->cluster(), now))) {
    case status::Standstill::kNone:
      return;
    case status::Standstill::kManualClock:
      member->set_standstill(v1::DOMAIN_STANDSTILL_MANUAL_CLOCK);
      return;
    case status::Standstill::kOverdue:
      member->set_standstill(v1::DOMAIN_STANDSTILL_OVERDUE);
      rpc::ToProto(pace.late_by, member->mutable_overdue_by());
  }
}

administration::DomainUpdate ToUpdate(const v1::UpdateDomainRequest& request) {
  administration::DomainUpdate update;
  update.join.assign(request.join().begin(), request.join().end());
  update.leave.assign(request.leave().begin(), request.leave().end());
  for (const auto& [name, price] : request.prices()) {
    update.prices[*priority::CanonicalTresName(name)] = price;
  }
  return update;
}

absl::Status CheckMembersRights(const AdministrationCall& call,
                                const administration::DomainUpdate& update) {
  for (const auto* names : {&update.join, &update.leave}) {
    for (const std::string& name : *names) {
      absl::Status may = call.boundary->CheckCluster(call.rpc, call.caller, name);
      if (!may.ok()) return may;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ListDomains(storage::Database& database, const Boundary& boundary,
                         const recalculation::SnapshotRegistry& registry, absl::Time now,
                         const Caller& caller, const v1::ListDomainsRequest& request,
                         v1::ListDomainsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const auto may = [&](const std::string& cluster) {
    return boundary.CheckCluster(authorization::Rpc::kListDomains, caller, cluster).ok();
  };
  const auto listed = ReadListed(database, [&](const storage::DomainMember& member) {
    if (!request.domain().empty() && request.domain() != member.domain) return false;
    return may(member.domain) && may(member.cluster);
  });
  if (!listed.ok()) return listed.status();
  for (const ListedMember& member : *listed) {
    v1::DomainMember* proto = response->add_members();
    ToProto(member, proto);
    AddStandstill(registry, now, proto);
  }
  return absl::OkStatus();
}

absl::Status UpdateDomain(const AdministrationCall& call, const v1::UpdateDomainRequest& request,
                          v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::DomainUpdate update = ToUpdate(request);
  if (absl::Status s = CheckMembersRights(call, update); !s.ok()) return s;
  administration::ChangeFrame frame = FrameOf(call, request.options());
  frame.others = [&](storage::Transaction& transaction, const storage::Cluster&) {
    return administration::ClustersOf(transaction, update);
  };
  const auto result = MakeChange(
      call.database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UpdateDomain(transaction, cluster, update, list);
      });
  absl::Status answered = Answer(call, request.options(), result, response);
  if (!answered.ok() || request.options().validate_only()) return answered;
  for (const std::string& member : update.leave) {
    v1::ChangeResponse of_member;  // It takes effect with the domain's, or later.
    PutInForce(call.loop, member, recalculation::RecalculationLoop::Pace::kSoon, &of_member);
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
