#include "server/administration/changes/domain_change.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/words/numbers.h"
#include "server/administration/settings/to_storage.h"
#include "server/administration/tree/domain_merges.h"
#include "server/administration/tree/merge_change.h"
#include "server/configuration/find_cluster.h"
#include "storage/configuration/cluster_move_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/database/status.h"
#include "storage/ledger/domain_store.h"

namespace priorityd::administration {
namespace {

using MaybeMember = std::optional<storage::DomainMember>;

constexpr int64_t kShownMissing = 10;

absl::Status RefuseDomain(absl::string_view reason, absl::string_view field,
                          const std::string& cluster, absl::string_view what) {
  return errors::WithReason(
      absl::FailedPreconditionError(absl::StrCat(field, ": got ", cluster, ", ", what)), reason);
}

std::string MemberObject(const std::string& cluster) { return absl::StrCat("member ", cluster); }

Attributes MemberAttributes(const storage::DomainMember& member) {
  Attributes attributes = {{"Domain", member.domain}};
  std::vector<std::string> prices;
  for (const storage::NamedAmount& price : member.prices) {
    prices.push_back(absl::StrCat(price.name, "=", slurm::DecimalText(price.amount)));
  }
  if (!prices.empty()) attributes["Prices"] = absl::StrJoin(prices, ",");
  return attributes;
}

absl::Status CheckStays(storage::Transaction& transaction, absl::string_view field,
                        const storage::Cluster& cluster) {
  auto leaving = storage::ClusterMoveStore(transaction).IsLeaving(cluster.id);
  if (!leaving.ok() || !*leaving) return leaving.status();
  return RefuseDomain("CLUSTER_MOVES", field, cluster.name,
                      "which is moving to another cell, want a cluster that stays");
}

// The domain can have members.
absl::Status CheckDomain(storage::Transaction& transaction, const storage::Cluster& domain) {
  if (absl::Status s = CheckStays(transaction, "cluster", domain); !s.ok()) return s;
  auto membership = storage::DomainStore(transaction).Find(domain.id);
  if (!membership.ok()) return membership.status();
  if (!membership->has_value()) return absl::OkStatus();
  return RefuseDomain("DOMAIN_NESTED", "cluster", domain.name,
                      absl::StrCat("a member of the domain ", (*membership)->domain,
                                   ", want a cluster that is not a member"));
}

absl::Status RefuseNested(const std::string& cluster) {
  return RefuseDomain("DOMAIN_NESTED", "join", cluster,
                      "a domain, want a cluster that is not a domain");
}

// The locked cluster can join; returns its present membership of this domain.
absl::StatusOr<MaybeMember> CheckJoin(storage::Transaction& transaction,
                                      const storage::Cluster& domain,
                                      const storage::Cluster& cluster) {
  storage::DomainStore store(transaction);
  auto members = store.MembersOf(cluster.id);
  if (!members.ok()) return members.status();
  if (cluster.id == domain.id || !members->empty()) return RefuseNested(cluster.name);
  if (absl::Status s = CheckStays(transaction, "join", cluster); !s.ok()) return s;
  auto membership = store.Find(cluster.id, /*locks=*/true);
  if (!membership.ok()) return membership.status();
  if (membership->has_value() && (*membership)->domain_id != domain.id) {
    return RefuseDomain("OTHER_DOMAIN", "join", cluster.name,
                        absl::StrCat("a member of the domain ", (*membership)->domain,
                                     ", want one that has left other domains"));
  }
  return membership;
}

// A cluster that has moved to another cell and back has another id, as has one that was created
// again; its collector may have brought the same records.
absl::Status CheckCountsOnce(storage::DomainStore& store, const storage::DomainMember& member) {
  auto source = store.CountedByOtherId(member);
  if (!source.ok() || !source->has_value()) return source.status();
  const std::string shown = absl::CHexEscape(**source);
  return RefuseDomain(
      "COUNTED_ALREADY", "join", member.cluster,
      absl::StrCat("of which the domain has records as source ", shown,
                   ", from when the cluster had another ID, and would count them twice; want one "
                   "of which such sources were voided: prioctl --cluster=",
                   member.domain, " usage void --source '", shown, "'"));
}

absl::Status WarnOfMissing(storage::DomainStore& store, const storage::DomainMember& member,
                           ChangeList* list) {
  auto missing = store.MissingOf(member.cluster_id, member.domain_id, kShownMissing);
  if (!missing.ok()) return missing.status();
  if (missing->count == 0) return absl::OkStatus();
  list->Warn(absl::StrCat("join: ", member.cluster, " has ", missing->count,
                          " associations that the domain lacks; their fair-share is 0: ",
                          absl::StrJoin(missing->first, " "),
                          missing->count > kShownMissing ? " ..." : ""));
  return absl::OkStatus();
}

// A name may be misspelt; records without that TRES settle with 0 for it.
absl::Status WarnOfUnknownTres(storage::Transaction& transaction,
                               const storage::DomainMember& member, ChangeList* list) {
  auto known = storage::TresStore(transaction).ListOf(member.cluster_id);
  if (!known.ok()) return known.status();
  std::vector<std::string> unknown;
  for (const storage::NamedAmount& price : member.prices) {
    if (price.name != "billing" && !known->contains(price.name)) unknown.push_back(price.name);
  }
  if (unknown.empty()) return absl::OkStatus();
  list->Warn(absl::StrCat("prices: ", member.cluster, " does not have the TRES ",
                          absl::CHexEscape(absl::StrJoin(unknown, " ")),
                          "; records without it settle with 0 for it"));
  return absl::OkStatus();
}

// `name` is locked: neither a change of its own domain, nor of its horizon, nor the end of a move
// is in progress.
absl::Status Join(storage::Transaction& transaction, const storage::Cluster& domain,
                  const std::string& name, const priority::TresMap& prices, ChangeList* list) {
  auto cluster = configuration::FindCluster(transaction, name);
  if (!cluster.ok()) return cluster.status();
  auto present = CheckJoin(transaction, domain, *cluster);
  if (!present.ok()) return present.status();
  storage::DomainMember member{.cluster_id = cluster->id,
                               .cluster = cluster->name,
                               .domain_id = domain.id,
                               .domain = domain.name,
                               .prices = ToStorage(prices)};
  member.counts_from = std::max(cluster->ledger_horizon, domain.ledger_horizon);
  storage::DomainStore store(transaction);
  if (absl::Status s = CheckCountsOnce(store, member); !s.ok()) return s;
  if (absl::Status s = store.Put(member); !s.ok()) return s;
  if (present->has_value()) {
    // Its ledger is read again, also with equal prices.
    Attributes before = MemberAttributes(**present);
    Attributes after = MemberAttributes(member);
    after["Settled"] = "again";
    list->Updated(MemberObject(name), before, after);
  } else {
    list->Created(MemberObject(name), MemberAttributes(member));
  }
  absl::Status status = TakeOverMerges(transaction, member, !present->has_value(), list);
  if (status.ok()) status = WarnOfUnknownTres(transaction, member, list);
  if (status.ok()) status = WarnOfMissing(store, member, list);
  return status.ok() ? WarnOfMergesOnlyInMember(transaction, member, list) : status;
}

// A member of the domain; its membership is locked.
absl::StatusOr<storage::DomainMember> FindMember(storage::Transaction& transaction,
                                                 const storage::Cluster& domain,
                                                 const std::string& name) {
  auto cluster = configuration::FindCluster(transaction, name);
  if (!cluster.ok()) return cluster.status();
  auto membership = storage::DomainStore(transaction).Find(cluster->id, /*locks=*/true);
  if (!membership.ok()) return membership.status();
  if (membership->has_value() && (*membership)->domain_id == domain.id) return **membership;
  return RefuseDomain("NOT_A_MEMBER", "leave", name,
                      absl::StrCat("want a member of the domain ", domain.name));
}

absl::Status Leave(storage::Transaction& transaction, const storage::Cluster& domain,
                   const std::string& name, ChangeList* list) {
  auto member = FindMember(transaction, domain, name);
  if (!member.ok()) return member.status();
  auto removed = storage::DomainStore(transaction).Remove(member->cluster_id);
  if (!removed.ok()) return removed.status();
  list->Deleted(MemberObject(name), MemberAttributes(*member));
  return EndTakenMerges(transaction, *member, list);
}

}  // namespace

absl::StatusOr<std::set<int32_t>> ClustersOf(storage::Transaction& transaction,
                                             const DomainUpdate& update) {
  std::set<int32_t> ids;
  for (const auto* names : {&update.leave, &update.join}) {
    for (const std::string& name : *names) {
      auto cluster = configuration::FindCluster(transaction, name);
      if (!cluster.ok()) return cluster.status();
      ids.insert(cluster->id);
    }
  }
  return ids;
}

absl::Status UpdateDomain(storage::Transaction& transaction, const storage::Cluster& domain,
                          const DomainUpdate& update, ChangeList* list) {
  if (!update.join.empty()) {
    if (absl::Status s = CheckDomain(transaction, domain); !s.ok()) return s;
  }
  for (const std::string& name : update.leave) {
    if (absl::Status s = Leave(transaction, domain, name, list); !s.ok()) return s;
  }
  for (const std::string& name : update.join) {
    if (absl::Status s = Join(transaction, domain, name, update.prices, list); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckNoDomain(storage::Transaction& transaction, const storage::Cluster& cluster,
                           absl::string_view field) {
  storage::DomainStore store(transaction);
  auto membership = store.Find(cluster.id);
  if (!membership.ok()) return membership.status();
  if (membership->has_value()) {
    return RefuseDomain("IN_DOMAIN", field, cluster.name,
                        absl::StrCat("a member of the usage domain ", (*membership)->domain,
                                     ", want a cluster that has left it"));
  }
  auto members = store.MembersOf(cluster.id);
  if (!members.ok()) return members.status();
  if (!members->empty()) {
    return RefuseDomain("IN_DOMAIN", field, cluster.name,
                        "a usage domain, want a cluster whose members have left it");
  }
  auto publisher = store.PublisherOf(cluster.id);
  if (!publisher.ok() || !publisher->has_value()) return publisher.status();
  return RefuseDomain("IN_DOMAIN", field, cluster.name,
                      absl::StrCat("the usage domain that ", **publisher,
                                   " has left, want one once ", **publisher, " is recalculated"));
}

}  // namespace priorityd::administration
